//! Side files: files that describe a raster and have the same folder and the same name with another extension. They are
//! world files, projections, GDAL's `.aux.xml`, masks and headers.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::coordinate_text::{system_of_text, wkt_height_unit};
use super::place::{CoordinateSystem, MapTransform};
use super::units::length_named;

/// A side file of a raster, with its contents.
#[derive(Clone, Debug)]
pub(super) struct SideFile {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl SideFile {
    /// The contents as text, without a byte order mark.
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim_start_matches('\u{feff}').to_string()
    }

    /// The file name, for messages.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The side files of a raster.
#[derive(Clone, Debug, Default)]
pub struct SideFiles {
    /// Position as six numbers (`.tfw`, `.pgw`, `.wld`).
    pub(super) world: Option<SideFile>,
    /// Coordinate system as text (`.prj`).
    pub(super) projection: Option<SideFile>,
    /// GDAL's description (`.aux.xml`).
    pub(super) description: Option<SideFile>,
    /// GDAL's mask (`.msk`), a TIFF file.
    pub(super) mask: Option<SideFile>,
    /// Header of a file of raw numbers (`.hdr`).
    pub(super) header: Option<SideFile>,
}

/// Maximum size in bytes of a text side file.
const MOST_TEXT: u64 = 4 << 20;
/// Maximum size in bytes of a mask.
const MOST_MASK: u64 = 1 << 30;

/// The kinds of side files.
#[derive(Clone, Copy, PartialEq)]
enum SideFileKind {
    World,
    Projection,
    Description,
    Mask,
    Header,
}

const KINDS: [SideFileKind; 5] = [
    SideFileKind::World,
    SideFileKind::Projection,
    SideFileKind::Description,
    SideFileKind::Mask,
    SideFileKind::Header,
];

/// Possible paths of a side file of the raster at `path`, in order of precedence.
fn candidates(path: &Path, kind: SideFileKind) -> Vec<PathBuf> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let appended = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let endings = match kind {
        SideFileKind::World => {
            let mut letters = extension.chars();
            let short = letters.next().zip(letters.last()).map(|(first, last)| format!("{first}{last}w"));
            short.into_iter().chain([format!("{extension}w"), "wld".into()]).collect()
        }
        SideFileKind::Projection => vec!["prj".to_string()],
        SideFileKind::Header => vec!["hdr".to_string()],
        SideFileKind::Description => return vec![appended(".aux.xml")],
        SideFileKind::Mask => return vec![appended(".msk")],
    };
    endings.iter().flat_map(|end| [path.with_extension(end), path.with_extension(end.to_uppercase())]).collect()
}

fn found(path: &Path, kind: SideFileKind) -> Option<PathBuf> {
    candidates(path, kind).into_iter().find(|side| side.is_file())
}

/// The existing side files of the raster at `path`. They belong to the raster: a copy of the raster needs copies of
/// them.
pub fn side_files(path: &Path) -> Vec<PathBuf> {
    KINDS.into_iter().filter_map(|kind| found(path, kind)).collect()
}

/// Modification times and lengths of the side files of a raster.
pub(in crate::io) fn side_stamps(path: &Path) -> Vec<(SystemTime, u64)> {
    let stamp = |side: PathBuf| {
        let about = std::fs::metadata(side).ok()?;
        Some((about.modified().unwrap_or(SystemTime::UNIX_EPOCH), about.len()))
    };
    side_files(path).into_iter().filter_map(stamp).collect()
}

impl SideFiles {
    /// Reads the side files of the raster at `path`. A file that is too large or cannot be read counts as missing.
    pub(in crate::io) fn read_beside(path: &Path) -> Self {
        let read = |kind: SideFileKind| {
            let path = found(path, kind)?;
            let most = if kind == SideFileKind::Mask { MOST_MASK } else { MOST_TEXT };
            let bytes = std::fs::metadata(&path).ok().filter(|about| about.len() <= most);
            bytes.and_then(|_| std::fs::read(&path).ok()).map(|bytes| SideFile { path, bytes })
        };
        Self {
            world: read(SideFileKind::World),
            projection: read(SideFileKind::Projection),
            description: read(SideFileKind::Description),
            mask: read(SideFileKind::Mask),
            header: read(SideFileKind::Header),
        }
    }

    /// The contents of all files, in a fixed order.
    pub(in crate::io) fn contents(&self) -> impl Iterator<Item = &[u8]> {
        [&self.world, &self.projection, &self.description, &self.mask, &self.header]
            .into_iter()
            .flatten()
            .map(|file| &file.bytes[..])
    }

    /// The position that the world file states, and the name of that file.
    pub(super) fn world_affine(&self) -> Option<(MapTransform, String)> {
        let file = self.world.as_ref()?;
        let number = |word: &str| word.replace(',', ".").parse::<f64>().ok().filter(|v| v.is_finite());
        let numbers: Vec<f64> = file.text().split_whitespace().take(6).map_while(number).collect();
        let &[a, d, b, e, x, y] = &numbers[..] else { return None };
        Some((MapTransform { x, a, b, y, d, e }, file.name()))
    }

    /// The coordinate system that the `.prj` file states, and the name of that file.
    pub(super) fn system(&self) -> Option<(CoordinateSystem, String)> {
        let file = self.projection.as_ref()?;
        Some((system_of_text(&file.text())?, file.name()))
    }

    /// The contents of GDAL's `.aux.xml`; empty if the file is missing or broken.
    pub(super) fn auxiliary_metadata(&self) -> AuxiliaryMetadata {
        self.description.as_ref().and_then(|file| AuxiliaryMetadata::parse(&file.text())).unwrap_or_default()
    }
}

/// Information about heights and their position in GDAL's `.aux.xml`.
#[derive(Default)]
pub(super) struct AuxiliaryMetadata {
    pub affine: Option<MapTransform>,
    pub system: Option<CoordinateSystem>,
    pub is_point: bool,
    pub has_control_points: bool,
    pub no_data: Option<f64>,
    pub scale: Option<f64>,
    pub offset: Option<f64>,
    /// Name of the unit of the heights, and its length in metres if it is known.
    pub unit: Option<(String, Option<f64>)>,
}

impl AuxiliaryMetadata {
    fn parse(text: &str) -> Option<Self> {
        let document = roxmltree::Document::parse(text).ok()?;
        let root = document.root_element();
        let child = |node: roxmltree::Node, name: &str| -> Option<String> {
            let found = node.children().find(|child| child.has_tag_name(name))?;
            Some(found.text().unwrap_or_default().trim().to_string())
        };
        let band = root.children().find(|node| {
            node.has_tag_name("PAMRasterBand") && node.attribute("band").is_none_or(|number| number == "1")
        });
        let in_band = |name: &str| band.and_then(|band| child(band, name));
        let number = |name: &str| in_band(name).and_then(|text| text.parse::<f64>().ok());
        let numbers = child(root, "GeoTransform")
            .map(|text| text.split(',').map_while(|word| word.trim().parse::<f64>().ok()).collect::<Vec<f64>>());
        let affine = numbers.and_then(|six| six.try_into().ok()).map(MapTransform::of_corner);
        let wkt = child(root, "SRS");
        let named = in_band("UnitType").filter(|unit| !unit.is_empty());
        let unit = named.map(|name| {
            let metres = length_named(&name).map(|(_, metres)| metres);
            (name, metres)
        });
        let of_wkt = || wkt.as_deref().and_then(wkt_height_unit).map(|(name, metres)| (name, Some(metres)));
        let is_point = root.descendants().any(|node| {
            node.has_tag_name("MDI")
                && node.attribute("key") == Some("AREA_OR_POINT")
                && node.text().is_some_and(|text| text.trim().eq_ignore_ascii_case("point"))
        });
        Some(Self {
            affine,
            system: wkt.as_deref().and_then(system_of_text),
            is_point,
            has_control_points: root.children().any(|node| node.has_tag_name("GCPList")),
            no_data: number("NoDataValue"),
            scale: number("Scale"),
            offset: number("Offset"),
            unit: unit.or_else(of_wkt),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_name_of_a_side_file_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let raster = folder.path().join("a.tif");
        assert!(side_files(&raster).is_empty());
        for name in ["a.tfw", "a.prj", "a.tif.aux.xml", "a.tif.msk", "a.hdr"] {
            std::fs::write(folder.path().join(name), "1").unwrap();
        }
        assert_eq!(side_files(&raster).len(), 5);
        for (name, raster) in [("b.TFW", "b.tif"), ("c.tifw", "c.tif"), ("d.wld", "d.png"), ("e.pgw", "e.png")] {
            std::fs::write(folder.path().join(name), "30 0 0 -30 500015 4999985").unwrap();
            let sides = SideFiles::read_beside(&folder.path().join(raster));
            let (affine, found) = sides.world_affine().unwrap();
            assert_eq!((affine.a, affine.e, affine.x, found.as_str()), (30.0, -30.0, 500_015.0, name));
        }
    }

    #[test]
    fn a_description_of_gdal_gives_place_and_numbers() {
        let text = "<PAMDataset><SRS>PROJCS[\"a\",UNIT[\"metre\",1],AUTHORITY[\"EPSG\",\"32632\"]]</SRS>\
                    <GeoTransform> 5.0e5, 30, 0, 5000000, 0, -30</GeoTransform>\
                    <PAMRasterBand band=\"1\"><NoDataValue>-9.0E+1</NoDataValue><UnitType>ft</UnitType><Offset>3</Offset>\
                    <Scale>0.5</Scale></PAMRasterBand></PAMDataset>";
        let found = AuxiliaryMetadata::parse(text).unwrap();
        assert_eq!(found.affine, Some(MapTransform::of_corner([5.0e5, 30.0, 0.0, 5.0e6, 0.0, -30.0])));
        assert_eq!(found.system.unwrap().epsg, Some(32632));
        assert_eq!((found.no_data, found.offset, found.scale), (Some(-90.0), Some(3.0), Some(0.5)));
        assert_eq!(found.unit, Some(("ft".into(), Some(0.3048))));
        assert!(AuxiliaryMetadata::parse("<a").is_none());
    }
}

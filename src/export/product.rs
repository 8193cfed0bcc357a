//! The products of an export, with their formats.

use std::path::{Path, PathBuf};

use super::coordinates::check_placement;
use super::maps::{ExportMap, MapError, MapNature};
use super::names::without_separators;
use super::raster_file::sample_type;
use super::request::path_text;
use super::{ExportError, ExportRequest, MESH, PLANTS, ScatterFormat, TEXTURES, texture_sets};
use crate::io::formats::{RASTER_FORMATS, RasterFormat};
use crate::mesh::formats::{MeshFormat, quantized};
use crate::scene::{AttributeReach, BuildProduct, Scene};

/// A map, mesh or table to export as one file or several.
#[derive(Clone, Debug)]
pub struct ExportProduct {
    /// The content of the product, and its format.
    pub kind: ProductKind,
    /// File to write; if `None`, the file is named by the pattern of the request.
    pub file: Option<PathBuf>,
}

/// Id of the only format of textures in build presets.
pub const TEXTURES_FORMAT: &str = "images";

/// The content of a product, with its format.
#[derive(Clone, Debug)]
pub enum ProductKind {
    /// A map written as a raster.
    Map(ExportMap, &'static RasterFormat),
    /// The terrain written as a mesh.
    Mesh(&'static MeshFormat),
    /// Plants and stones in this format.
    Plants(ScatterFormat),
    /// The images of the ground materials, with a table of the rules.
    Textures,
}

impl ProductKind {
    /// Part of a file name that identifies the product, if the product is a single sheet.
    pub(super) fn label(&self) -> String {
        without_separators(&self.id().replace(':', "-"))
    }

    /// Id of the product in build presets.
    fn id(&self) -> String {
        match self {
            Self::Map(map, _) => map.to_string(),
            Self::Mesh(_) => MESH.into(),
            Self::Plants(_) => PLANTS.into(),
            Self::Textures => TEXTURES.into(),
        }
    }

    /// Id of the format in build presets.
    fn format_id(&self) -> &'static str {
        match self {
            Self::Map(_, format) => format.id,
            Self::Mesh(format) => format.id,
            Self::Plants(format) => format.id(),
            Self::Textures => TEXTURES_FORMAT,
        }
    }

    /// Extensions of the product's files, the usual extension first.
    pub(super) fn extensions(&self) -> Vec<&'static str> {
        match self {
            Self::Map(_, format) => format.extensions.to_vec(),
            Self::Mesh(format) => vec![format.extension],
            Self::Plants(format) => vec![format.extension()],
            Self::Textures => vec![texture_sets::EXTENSION],
        }
    }
}

impl ExportProduct {
    /// Reads the names in a product of a build preset.
    ///
    /// # Errors
    /// If there is no such map or format. The error lists the known maps or formats.
    pub(super) fn named(product: &BuildProduct) -> Result<Self, ExportError> {
        let id = product.format.as_str();
        let unknown = |of: &str, known: Vec<&str>| {
            ExportError::Request(format!("there is no format `{id}`{of}; there are {}", known.join(", ")))
        };
        let kind = match product.map.as_str() {
            MESH => {
                let format = mesh_formats().find(|format| format.id == id);
                let known = || mesh_formats().map(|format| format.id).collect();
                ProductKind::Mesh(format.ok_or_else(|| unknown(" for meshes", known()))?)
            }
            PLANTS => {
                let format = ScatterFormat::ALL.into_iter().find(|format| format.id() == id);
                let known = || ScatterFormat::ALL.map(ScatterFormat::id).to_vec();
                ProductKind::Plants(format.ok_or_else(|| unknown(" for plants", known()))?)
            }
            TEXTURES if id == TEXTURES_FORMAT => ProductKind::Textures,
            TEXTURES => return Err(unknown(" for textures", vec![TEXTURES_FORMAT])),
            map => {
                let map: ExportMap = map.parse().map_err(ExportError::Request)?;
                let known = || RASTER_FORMATS.map(|format| format.id).to_vec();
                ProductKind::Map(map, RasterFormat::named(id).ok_or_else(|| unknown("", known()))?)
            }
        };
        Ok(Self { kind, file: product.file.as_ref().map(PathBuf::from) })
    }

    /// The product that a file name requests: the name of a map with a file extension, such as `flow.tif`, or
    /// `mesh.glb`.
    ///
    /// # Errors
    /// If there is no such map or format.
    pub fn for_file_name(name: &str) -> Result<Self, ExportError> {
        let path = Path::new(name);
        if path.file_name().and_then(|file| file.to_str()) != Some(name) {
            return Err(ExportError::Request("it is not a file name".into()));
        }
        let mesh = MeshFormat::for_path(path);
        let raster = if mesh.is_none() { Some(RasterFormat::for_path(path)?) } else { None };
        let endings = raster.map_or(&[][..], |format| format.extensions).iter().copied();
        let lower = name.to_ascii_lowercase();
        let ending =
            endings.chain(mesh.map(|format| format.extension)).filter(|end| lower.ends_with(&format!(".{end}")));
        let what = &name[..name.len() - ending.map(|end| end.len() + 1).max().unwrap_or(0)];
        let kind = match (mesh, raster) {
            (Some(format), _) if what == MESH => ProductKind::Mesh(format),
            (None, Some(format)) if what != MESH => {
                ProductKind::Map(what.parse().map_err(ExportError::Request)?, format)
            }
            _ => {
                return Err(ExportError::Request(
                    "only `mesh` is written in mesh formats, and maps in raster formats".into(),
                ));
            }
        };
        Ok(Self { kind, file: Some(name.into()) })
    }

    /// The product in the form in which a build preset stores it.
    pub(super) fn to_build(&self) -> BuildProduct {
        let file = self.file.as_deref().map(path_text);
        BuildProduct { map: self.kind.id(), format: self.kind.format_id().into(), file }
    }

    /// Whether the product depends on the heights alone.
    pub(super) fn is_of_heights(&self) -> bool {
        let of_heights = |map: &ExportMap| match map {
            ExportMap::Heights => true,
            // An erosion's flow map keeps precedence over the flow that the heights give.
            ExportMap::Attribute(attribute) => attribute.reach() == AttributeReach::Neighbours,
            _ => false,
        };
        matches!(&self.kind, ProductKind::Map(map, _) if of_heights(map))
    }

    /// Refuses a product whose format cannot hold the map, or whose map the scene does not have.
    fn check(&self, scene: &Scene) -> Result<(), ExportError> {
        let is_planet = scene.is_planet();
        match &self.kind {
            ProductKind::Mesh(format) if !mesh_formats().any(|known| known.id == format.id) => {
                Self::named(&self.to_build()).map(drop)
            }
            ProductKind::Mesh(_) => Ok(()),
            ProductKind::Plants(_) if is_planet => Err(ExportError::Request(
                "plants and stones can only be exported from terrains; a planet is too large for them".into(),
            )),
            ProductKind::Plants(_) | ProductKind::Textures => Ok(()),
            ProductKind::Map(map, format) => {
                check_holds(format, map)?;
                let is_there = ExportMap::of_scene(scene).contains(map);
                match map {
                    _ if is_there => Ok(()),
                    ExportMap::Data(_) => Err(MapError::not_written(map.clone(), scene).into()),
                    _ if is_planet => Err(MapError::OfTerrains(map.clone()).into()),
                    _ => Ok(()),
                }
            }
        }
    }
}

/// All products of a request, with those of its target, checked against the scene.
///
/// # Errors
/// If a name is unknown, or a format cannot hold a map.
pub(super) fn all_products(request: &ExportRequest, scene: &Scene) -> Result<Vec<ExportProduct>, ExportError> {
    if let Some(wrong) = request.to_preset("").wrong_number() {
        return Err(ExportError::Request(wrong));
    }
    if let Some(placement) = request.placement.as_ref().filter(|_| !scene.is_planet()) {
        check_placement(placement)?;
    }
    let mut products = request.products.clone();
    for product in request.target.map_or_else(Vec::new, |target| target.products(scene)) {
        // Skip a product of the target if the user has chosen the same product.
        if !products.iter().any(|chosen| chosen.to_build() == product.to_build()) {
            products.push(product);
        }
    }
    if products.is_empty() {
        return Err(ExportError::Request("there is nothing to export; choose a product".into()));
    }
    products.iter().try_for_each(|product| product.check(scene))?;
    Ok(products)
}

/// Formats for meshes of a whole terrain; quantized-mesh is excluded, because it holds tiles of a globe.
pub fn mesh_formats() -> impl Iterator<Item = &'static MeshFormat> {
    MeshFormat::ALL.into_iter().filter(|format| !std::ptr::eq(*format, &quantized::FORMAT))
}

/// Whether a format can hold a map.
pub fn holds(format: &RasterFormat, map: &ExportMap) -> bool {
    sample_type(map.nature(), channels(map), format).is_some()
}

/// Number of channels of the sheets of a map.
pub(super) fn channels(map: &ExportMap) -> usize {
    match map {
        ExportMap::Normals | ExportMap::Colours | ExportMap::Relief => 3,
        ExportMap::Splat => 4,
        _ => 1,
    }
}

/// Refuses a format that cannot hold a map. The error lists the formats that can hold it.
pub(super) fn check_holds(format: &RasterFormat, map: &ExportMap) -> Result<(), ExportError> {
    if holds(format, map) {
        return Ok(());
    }
    let held = match map.nature() {
        MapNature::Bits => "32-bit integers stored as floats".into(),
        _ if channels(map) == 1 => "the values".into(),
        _ => format!("{} channels", channels(map)),
    };
    let others = RASTER_FORMATS.into_iter().filter(|format| holds(format, map));
    let others = others.map(|format| format!(".{}", format.extension())).collect::<Vec<_>>().join(", ");
    Err(ExportError::Request(format!("{} cannot hold {held} of {map}; choose {others}", format.name)))
}

//! Batches: variants of a scene with many seeds and parameter values. Each variant has a folder of its own; a contact
//! sheet and a table of measures cover all variants.
//!
//! A variant is finished once its `variant.json` exists. This record holds the hash of each file, and a key. The key is
//! the hash of all inputs of the files (the terrain, and the settings of pictures and exports). A later run keeps
//! finished variants whose key is unchanged, so a stopped batch can be resumed. An interrupted run never leaves a
//! partly written file.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::json;
use xxhash_rust::xxh3::xxh3_128;

use super::param_ref::{ParamRef, VariantError};
use super::scene_variant::{
    KeyFigures, MOST_VARIANTS, STORE_BYTES, SceneVariant, Thumbnail, VariantSweep, combinations,
};
use super::sheet::{columns, sheet};
use crate::appearance::{self, PaletteTable, RgbImage, scene_image};
use crate::eval::{Cache, MemoryUse, Store, Timeline, evaluate, terrain_key};
use crate::export::{ExportError, ExportFolder, ExportProduct, ExportRequest, check, export, memory_use};
use crate::field::{Cancelled, Control, Terrain};
use crate::io::{FileError, SaveTarget, check_name, check_writable, printable, write_atomically};
use crate::measure::{
    Limits, MEASURES, PLANET_MEASURES, TerrainScale, csv_field, measure, measure_planet, named_values,
};
use crate::param::Value;
use crate::scene::{Scene, SceneError, Severity};

/// Seeds of a scene, read from `FIRST..LAST` or a list such as `1,7,9`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeedChoice {
    /// All seeds from the first to the last, both included.
    Range(u32, u32),
    /// The seeds of a list.
    Listed(Vec<u32>),
}

impl FromStr for SeedChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let seeds = match text.split_once("..") {
            Some((first, last)) => {
                let last = number(last.strip_prefix('=').unwrap_or(last));
                number(first).zip(last).map(|(first, last)| Self::Range(first, last))
            }
            None => text.split(',').map(number).collect::<Option<_>>().map(Self::Listed),
        };
        seeds.ok_or("give FIRST..LAST, like 1..50, or a list like 1,7,9, of whole numbers from 0 to 4294967295")
    }
}

impl SeedChoice {
    /// A sweep that varies the scene's seed over these values.
    ///
    /// # Errors
    /// When a seed is in the list twice, or there are more than [`MOST_VARIANTS`] seeds.
    pub fn sweep(&self, scene: &Scene) -> Result<VariantSweep, VariantError> {
        let seed = |seed: u32| Value::Int(i64::from(seed));
        let values = match self {
            Self::Range(first, last) => {
                let (first, last) = (*first.min(last), *first.max(last));
                let count = u64::from(last - first) + 1;
                if count > MOST_VARIANTS as u64 {
                    return Err(VariantError::TooMany(count));
                }
                (first..=last).map(seed).collect()
            }
            Self::Listed(seeds) => seeds.iter().copied().map(seed).collect(),
        };
        VariantSweep::listed(ParamRef::find(scene, None, "seed")?, values)
    }
}

/// A request for variants of a scene and for the files of each variant.
#[derive(Clone, Debug)]
pub struct BatchRequest {
    /// Parameters that are varied, in all combinations.
    pub sweeps: Vec<VariantSweep>,
    /// Folder for all files of the batch, created if missing.
    pub folder: PathBuf,
    /// Whether protected files are replaced: see [`SaveTarget`].
    pub force: bool,
    /// Files of each variant.
    pub products: Vec<BatchProduct>,
    /// Side length of the rendered pictures in pixels.
    pub picture: u32,
    /// Side length of the thumbnails on the contact sheet in pixels.
    pub thumbnail: u32,
    /// Whether variants that an earlier run finished are made again.
    pub anew: bool,
    /// Number of a single variant to make, counted from 1; the contact sheet and the table are then not written. With
    /// `None`, all variants are made.
    pub variant: Option<usize>,
}

/// A kind of file that is written for each variant.
#[derive(Clone, Debug)]
pub enum BatchProduct {
    /// The rendered picture in plan view, `render.png`.
    Render,
    /// The scene of the variant, `scene.ron`.
    Scene,
    /// An exported map or mesh, with its file name.
    Export(String, ExportProduct),
}

/// Prints the file name.
impl fmt::Display for BatchProduct {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Self::Render => "render.png",
            Self::Scene => "scene.ron",
            Self::Export(name, _) => name,
        })
    }
}

impl FromStr for BatchProduct {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let name = name.trim();
        match name {
            "render.png" => Ok(Self::Render),
            "scene.ron" => Ok(Self::Scene),
            _ => match ExportProduct::for_file_name(name) {
                Ok(product) => Ok(Self::Export(name.into(), product)),
                Err(error) => Err(format!(
                    "`{name}`: {error}. A product is render.png, scene.ron, or a map of `talweg export` with the ending \
                     of a format, like heights.png, flow.tif or mesh.glb"
                )),
            },
        }
    }
}

/// Reason why a batch could not be made.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// An option has a value that is not allowed.
    #[error("{option}: {reason}")]
    Option {
        /// Name of the option, as in [`BatchRequest`].
        option: &'static str,
        /// The fault, and the values that are allowed.
        reason: String,
    },
    /// A variant has a layer that cannot be evaluated.
    #[error("{variant}: layer `{layer}`: {message}")]
    Broken {
        /// Folder name of the variant.
        variant: String,
        /// Name of the layer.
        layer: String,
        /// The fault of the layer.
        message: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A product cannot be made.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The scene of a variant cannot be written.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A record cannot be written.
    #[error(transparent)]
    Record(#[from] serde_json::Error),
    /// The batch was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn wrong(option: &'static str, reason: impl fmt::Display) -> BatchError {
    BatchError::Option { option, reason: reason.to_string() }
}

/// Maximum number of pixels of all thumbnails together.
const MOST_PIXELS: usize = 50_000_000;
/// Maximum number of bytes read from a record; records have a few kilobytes.
const MOST_RECORD_BYTES: u64 = 1 << 20;
const RECORD: &str = "variant.json";
const THUMBNAIL: &str = "thumbnail.png";
/// Maximum length of a variant's folder name in bytes; file systems allow 255.
const LONGEST_NAME: usize = 120;

/// The record in the folder of a variant, `variant.json`.
#[derive(Serialize, Deserialize)]
struct VariantRecord {
    /// Key: the hash of all inputs of the files.
    key: String,
    /// Changes that turn the scene into the variant, in the form of `--set`.
    set: Vec<String>,
    #[serde(rename = "glance")]
    key_figures: KeyFigures,
    /// All measures by name, with all digits; the text is empty where a measure is undefined.
    measures: Vec<(String, String)>,
    /// The files with the hashes of their contents.
    files: Vec<(String, String)>,
}

/// A variant with its folder.
struct PlannedVariant {
    variant: SceneVariant,
    name: String,
    /// The values of the varied parameters, one for each sweep.
    values: Vec<String>,
    folder: PathBuf,
}

/// A variant whose files are all written.
struct FinishedVariant {
    record: VariantRecord,
    thumbnail: RgbImage,
    is_new: bool,
}

/// Report of a batch that was made.
#[derive(Debug)]
pub struct BatchReport {
    /// Number of variants.
    pub count: usize,
    /// Number of variants that an earlier run had finished.
    pub kept: usize,
    /// The report as JSON.
    pub json: serde_json::Value,
}

/// A batch whose request was checked; no variant is evaluated yet.
pub struct PlannedBatch {
    request: BatchRequest,
    scene: Scene,
    samples: usize,
    /// The products of each variant that are exported.
    export: ExportRequest,
    planned: Vec<PlannedVariant>,
}

impl PlannedBatch {
    /// Plans the variants of `scene` with `samples` per side, and creates the folder.
    ///
    /// # Errors
    /// When a part of the request cannot be made.
    pub fn new(scene: &Scene, samples: usize, request: BatchRequest) -> Result<Self, BatchError> {
        let names: Vec<String> = request.products.iter().map(BatchProduct::to_string).collect();
        if let Some((_, name)) = names.iter().enumerate().find(|(k, name)| names[..*k].contains(name)) {
            return Err(wrong("products", format_args!("`{name}` is given twice")));
        }
        for (option, pixels, range) in
            [("picture", request.picture, 1..=appearance::MOST_PIXELS), ("thumbnail", request.thumbnail, 32..=512)]
        {
            if !range.contains(&pixels) {
                return Err(wrong(option, format_args!("give {} to {} pixels", range.start(), range.end())));
            }
        }
        check_name(&request.folder)?;
        let planned = request.plan(scene)?;
        let most = MOST_PIXELS / (request.thumbnail * request.thumbnail) as usize;
        if planned.len() > most {
            return Err(wrong(
                "thumbnail",
                format_args!(
                    "{} pictures of {} pixels are more than a sheet can hold; give {most} at most, or smaller ones",
                    planned.len(),
                    request.thumbnail
                ),
            ));
        }
        if let Some(number) = request.variant.filter(|number| !(1..=planned.len()).contains(number)) {
            return Err(wrong("variant", format_args!("there is no variant {number} of {}", planned.len())));
        }
        let exported = request.products.iter().filter_map(|product| match product {
            BatchProduct::Export(_, product) => Some(product.clone()),
            BatchProduct::Render | BatchProduct::Scene => None,
        });
        let export = ExportRequest { products: exported.collect(), ..ExportRequest::default() };
        check_problems(&planned)?;
        check_products(&export, &planned, &request.folder)?;
        std::fs::create_dir_all(&request.folder)
            .map_err(|source| FileError::Write { path: request.folder.clone(), source })?;
        request.gathered().iter().try_for_each(check_writable)?;
        Ok(Self { request, scene: scene.clone(), samples, export, planned })
    }

    /// Memory of the most demanding step of making a variant, including the thumbnails kept for the contact sheet.
    ///
    /// # Errors
    /// When a product cannot be made at the requested size.
    pub fn memory_use(&self) -> Result<MemoryUse, BatchError> {
        let (side, count) = (self.request.picture as usize, self.planned.len());
        let picture = MemoryUse::picture(&self.scene, side, side);
        let written = match self.export.products.is_empty() {
            true => MemoryUse::TERRAIN,
            false => memory_use(&self.export, &self.scene, self.samples)?,
        };
        let sheet_bytes = (count * (self.request.thumbnail * self.request.thumbnail) as usize) as f64 * 9.0;
        Ok(MemoryUse {
            fields: picture.fields.max(MemoryUse::MEASURES.fields).max(written.fields),
            bytes: picture.bytes.max(written.bytes),
            constant_bytes: sheet_bytes,
            kept: [STORE_BYTES, 0],
            ..MemoryUse::TERRAIN
        })
    }

    /// Makes the variants that are missing. Call this function inside the thread pool that it should use. `tell` is
    /// called with the completed fraction, from 0 to 1.
    ///
    /// # Errors
    /// When a variant cannot be made, a file cannot be written, or the batch was cancelled.
    pub fn make(&self, control: &Control, tell: &(dyn Fn(f32) + Sync)) -> Result<BatchReport, BatchError> {
        let Self { request, scene, samples, planned, .. } = self;
        let alone = request.variant.map(|number| number - 1);
        let planned = alone.map_or(&planned[..], |index| &planned[index..=index]);
        let count = planned.len();
        // The store evaluates layers below the varied layers only once.
        let mut store = Store::new(Cache::new(STORE_BYTES), Timeline::new(0));
        let mut made = Vec::with_capacity(count);
        for (k, of) in planned.iter().enumerate() {
            tell(k as f32 / count as f32);
            let key = request.key(&of.variant.scene, *samples)?;
            made.push(match request.kept(of, &key) {
                Some(kept) => kept,
                None => self.make_variant(of, key, &mut store, control)?,
            });
        }
        let kept = made.iter().filter(|made| !made.is_new).count();
        let entries: Vec<_> = planned
            .iter()
            .zip(&made)
            .map(|(of, made)| {
                json!({ "folder": of.folder, "set": made.record.set, "is_new": made.is_new, "hash": hash(&made.record) })
            })
            .collect();
        let mut json = json!({ "samples": samples, "variants": entries });
        if alone.is_none() {
            let [picture, table] = request.gathered();
            write_atomically(&table, |file| {
                std::io::Write::write_all(file, measures_csv(scene, &request.sweeps, planned, &made).as_bytes())
            })?;
            let thumbnails: Vec<(&SceneVariant, Thumbnail)> = planned
                .iter()
                .zip(made)
                .map(|(of, made)| {
                    (&of.variant, Thumbnail { image: made.thumbnail, key_figures: made.record.key_figures })
                })
                .collect();
            sheet(&format!("{}: {count} variants", scene.name), &thumbnails, columns(count)).save(&picture)?;
            (json["sheet"], json["measures"]) = (json!(picture.path()), json!(table.path()));
        }
        Ok(BatchReport { count, kept, json })
    }

    /// Evaluates a variant and writes its files. The record is written last.
    fn make_variant(
        &self,
        of: &PlannedVariant,
        key: String,
        store: &mut Store,
        control: &Control,
    ) -> Result<FinishedVariant, BatchError> {
        let (request, scene) = (&self.request, &of.variant.scene);
        let terrain = evaluate(scene, self.samples, None, store, control)?.terrain;
        let folder = |source| FileError::Write { path: of.folder.clone(), source };
        std::fs::create_dir_all(&of.folder).map_err(folder)?;
        let palette = PaletteTable::for_scene(scene);
        let draw = |side: u32| {
            let side = side as usize;
            scene_image(scene, &terrain, &palette, [side; 2], control)
        };
        let mut files = Vec::new();
        for product in &request.products {
            let to = request.target(&of.folder.join(product.to_string()));
            match product {
                BatchProduct::Render => draw(request.picture)?.stage_while(&to, control)?.commit()?,
                BatchProduct::Scene => {
                    scene.save(&to)?;
                }
                BatchProduct::Export(..) => continue,
            }
            files.push(product.to_string());
        }
        if !self.export.products.is_empty() {
            let place = ExportFolder { folder: of.folder.clone(), force: request.force, ..ExportFolder::default() };
            let written = export(&self.export, scene, &terrain, &place, control, &|_| ())?;
            let paths = written.rasters.into_iter().map(|raster| raster.path);
            let paths = paths.chain(written.meshes.into_iter().map(|mesh| mesh.path)).chain(written.others);
            let name = |path: PathBuf| Some(path.file_name()?.to_str()?.to_string());
            files.extend(paths.filter_map(name));
        }
        let thumbnail = draw(request.thumbnail)?;
        thumbnail.save(request.target(&of.folder.join(THUMBNAIL)))?;
        files.push(THUMBNAIL.into());
        let hashed = |name: String| {
            let path = of.folder.join(&name);
            let bytes = std::fs::read(&path).map_err(|source| FileError::Write { path, source })?;
            Ok((name, format!("{:032x}", xxh3_128(&bytes))))
        };
        let record = VariantRecord {
            key,
            set: of.variant.assignments.clone(),
            key_figures: KeyFigures::measure(&terrain, scene),
            measures: measures(scene, &terrain, control)?,
            files: files.into_iter().map(hashed).collect::<Result<Vec<_>, FileError>>()?,
        };
        let text = serde_json::to_string_pretty(&record)?;
        write_atomically(request.target(&of.folder.join(RECORD)), |file| {
            std::io::Write::write_all(file, text.as_bytes())
        })?;
        Ok(FinishedVariant { record, thumbnail, is_new: true })
    }
}

impl BatchRequest {
    /// Default products of each variant, separated by commas.
    pub const PRODUCTS: &str = "render.png,heights.png";
    /// Default side length of the rendered pictures in pixels.
    pub const PICTURE: u32 = 1024;
    /// Default side length of the thumbnails on the sheet in pixels.
    pub const THUMBNAIL: u32 = 192;

    /// The variants, each with its folder.
    fn plan(&self, scene: &Scene) -> Result<Vec<PlannedVariant>, BatchError> {
        let sweeps = &self.sweeps;
        let variants = combinations(scene, sweeps).map_err(|error| wrong("vary", error))?;
        let value =
            |sweep: &VariantSweep, variant: &Scene| sweep.param_ref.spec().show(&sweep.param_ref.value(variant));
        let mut planned: Vec<PlannedVariant> = Vec::with_capacity(variants.len());
        let mut names = std::collections::HashSet::new();
        for variant in variants {
            let values: Vec<String> = sweeps.iter().map(|sweep| value(sweep, &variant.scene)).collect();
            let parts = sweeps.iter().zip(&values).map(|(sweep, value)| {
                let value = match sweep.param_ref.value(&variant.scene) {
                    // numbers keep their sign and decimal point
                    Value::Float(_) | Value::Int(_) => value.clone(),
                    _ => plain(value),
                };
                format!("{}-{value}", plain(&sweep.param_ref.path(scene)))
            });
            let mut name = parts.collect::<Vec<_>>().join("_");
            if name.len() > LONGEST_NAME || names.contains(&name.to_lowercase()) {
                // the name is too long, or equals another name after characters were replaced
                let hash = xxh3_128(variant.assignments.join("\n").as_bytes());
                let end = (0..=name.len().min(LONGEST_NAME)).rev().find(|&k| name.is_char_boundary(k)).unwrap_or(0);
                name = format!("{}-{:08x}", &name[..end], hash as u32);
            }
            names.insert(name.to_lowercase());
            let folder = self.folder.join(&name);
            planned.push(PlannedVariant { variant, name, values, folder });
        }
        Ok(planned)
    }

    /// Hash of all inputs of the files of a variant: terrain, scene, products, picture sizes, version.
    fn key(&self, scene: &Scene, samples: usize) -> Result<String, SceneError> {
        let products: Vec<String> = self.products.iter().map(BatchProduct::to_string).collect();
        let key = terrain_key(scene, samples)
            .join(scene.to_ron()?.as_bytes())
            .join(products.join(",").as_bytes())
            .join(&self.picture.to_le_bytes())
            .join(&self.thumbnail.to_le_bytes())
            .join(env!("CARGO_PKG_VERSION").as_bytes());
        Ok(format!("{:032x}", key.bits()))
    }

    /// The save target for a file. It can replace a protected file if the request allows that.
    fn target(&self, path: &Path) -> SaveTarget {
        SaveTarget::new(path).over_read_only(self.force).over_links(self.force)
    }

    /// The save targets of the contact sheet and of the table.
    fn gathered(&self) -> [SaveTarget; 2] {
        ["sheet.png", "measures.csv"].map(|name| self.target(&self.folder.join(name)))
    }

    /// The variant that an earlier run made, if all its files exist and its key is unchanged; otherwise `None`.
    fn kept(&self, of: &PlannedVariant, key: &str) -> Option<FinishedVariant> {
        if self.anew {
            return None;
        }
        let mut text = String::new();
        let file = std::fs::File::open(of.folder.join(RECORD)).ok()?;
        file.take(MOST_RECORD_BYTES).read_to_string(&mut text).ok()?;
        let record: VariantRecord = serde_json::from_str(&text).ok()?;
        // the files need no comparison with the products, because the key includes the list of products
        if record.key != key || record.files.len() <= self.products.len() {
            return None;
        }
        let is_whole = |(name, hash): &(String, String)| {
            let bytes = std::fs::read(of.folder.join(name)).ok()?;
            (format!("{:032x}", xxh3_128(&bytes)) == *hash).then_some(())
        };
        record.files.iter().try_for_each(is_whole)?;
        let thumbnail = RgbImage::load_png(&of.folder.join(THUMBNAIL), self.thumbnail as usize).ok()?;
        Some(FinishedVariant { record, thumbnail, is_new: false })
    }
}

/// Returns an error for variants with unusable layers or missing files, before any variant is evaluated.
fn check_problems(planned: &[PlannedVariant]) -> Result<(), BatchError> {
    for of in planned {
        let scene = &of.variant.scene;
        let broken = scene.problems().into_iter().find(|p| p.severity == Severity::Broken);
        if let Some(problem) = broken {
            let layer = scene.layers[problem.layer].name.clone();
            return Err(BatchError::Broken { variant: of.name.clone(), layer, message: problem.message });
        }
    }
    Ok(())
}

/// Returns an error for products that a variant cannot make, before any variant is evaluated.
fn check_products(export: &ExportRequest, planned: &[PlannedVariant], folder: &Path) -> Result<(), BatchError> {
    if export.products.is_empty() {
        return Ok(());
    }
    // the folders of the variants do not exist yet, and perhaps not even their parent folder
    let folder = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new(""));
    let place = ExportFolder { folder: folder.into(), force: true, ..ExportFolder::default() };
    let check = |of: &PlannedVariant| {
        check(export, &of.variant.scene, &place)
            .map_err(|error| wrong("products", format_args!("{}: {error}", of.name)))
    };
    planned.iter().try_for_each(check)
}

fn measures(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Vec<(String, String)>, Cancelled> {
    let limits = Limits::default();
    if scene.is_planet() {
        return Ok(named_values(PLANET_MEASURES, &measure_planet(terrain, scene, &limits, control)?));
    }
    Ok(named_values(MEASURES, &measure(terrain, TerrainScale::for_scene(scene), &limits, control)?))
}

fn hash(record: &VariantRecord) -> &str {
    record.measures.iter().find(|(key, _)| key == "hash").map_or("", |(_, value)| value)
}

/// The table of measures, with a line for each variant: its folder, its values, its measures.
fn measures_csv(
    scene: &Scene,
    sweeps: &[VariantSweep],
    planned: &[PlannedVariant],
    made: &[FinishedVariant],
) -> String {
    let varied = sweeps.iter().map(|sweep| sweep.param_ref.path(scene));
    let keys = made.first().into_iter().flat_map(|made| made.record.measures.iter().map(|(key, _)| key.clone()));
    let line = |fields: Vec<String>| fields.iter().map(|text| csv_field(text)).collect::<Vec<_>>().join(",") + "\n";
    let mut text = line(std::iter::once("variant".to_string()).chain(varied).chain(keys).collect());
    for (of, made) in planned.iter().zip(made) {
        let measured = made.record.measures.iter().map(|(_, value)| value.clone());
        text += &line(std::iter::once(of.name.clone()).chain(of.values.clone()).chain(measured).collect());
    }
    printable(&text)
}

/// `text` with characters that every file system allows in names.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() || ['.', '+'].contains(&c) { c } else { '-' }).collect()
}

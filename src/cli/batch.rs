//! `talweg batch`: one scene with many seeds and values, each variant in a folder of its own, with a contact sheet and
//! a table of measures.
//!
//! A variant is finished when its `variant.json` is there: that holds what the files follow from (the key of the
//! terrain and all that is drawn or written of it) and the hash of each file. A later run takes over what still fits,
//! so a batch that was stopped goes on where it was. Every file is written as a whole.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::json;
use xxhash_rust::xxh3::xxh3_128;

use super::input::SceneArgs;
use super::output::ForceArgs;
use super::{CommandResult, Failure, print, print_json, usage};
use talweg::appearance::{PaletteTable, RgbImage, scene_image};
use talweg::eval::{Cache, MemoryUse, Store, Timeline, evaluate, terrain_key};
use talweg::export::maps::ExportMap;
use talweg::export::{ExportPlace, MESH, check, export, memory_use};
use talweg::field::{Control, Terrain};
use talweg::io::formats::RasterFormat;
use talweg::io::{FileError, SaveTarget, check_name, check_place, write_atomically};
use talweg::measure::{
    Limits, MEASURES, PLANET_MEASURES, TerrainScale, csv_field, measure, measure_planet, named_values,
};
use talweg::mesh::formats::MeshFormat;
use talweg::param::Value;
use talweg::scene::{BuildPreset, BuildProduct, Scene};
use talweg::variants::{Glance, STORE_BYTES, SceneVariant, Thumbnail, VariantSweep, columns, combinations, sheet};

/// Evaluate a scene with many seeds and values, each into a folder, with a contact sheet and a table of measures
#[derive(Args)]
#[command(after_help = "\
All combinations of the seeds and values are made, 1000 at the most. FOLDER then holds a folder for each variant, named by its
values, and
  sheet.png     all of them side by side
  measures.csv  a line for each: its values, then every measure that `talweg measure` knows
Products are named by the files of a variant: render.png (from above), scene.ron, and every map of `talweg export` in any
of its formats, like heights.png, heights.exr, flow.tif, normals.png.
What is there already and still fits is not made again: a batch that was stopped goes on where it was.
Machines that share the folder divide the work with --variant, one each at a time; the whole command then gathers.

Examples:
  talweg batch island.ron --seeds 1..50 -o islands
  talweg batch alpine-range --vary Peaks.octaves=3,6 --vary scene.relief_metres=1500,3000 -o ranges
  talweg batch island.ron --seeds 1,7,9 -o islands --products heights.r32,scene.ron --size 1025
  talweg batch island.ron --seeds 1..50 -o islands --variant $SLURM_ARRAY_TASK_ID")]
pub struct BatchArgs {
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    options: BatchOptions,
    /// Print what was made as JSON
    #[arg(long)]
    json: bool,
}

/// What is varied, and what is made of each variant.
#[derive(Args)]
pub struct BatchOptions {
    /// Seeds of the scene: FIRST..LAST, both included, or a list like 1,7,9
    #[arg(long, value_name = "FIRST..LAST")]
    seeds: Option<String>,
    /// Values of a parameter, like Peaks.octaves=3,6; may be repeated, all combinations are made
    #[arg(long, value_name = "LAYER.PARAM=A,B,C")]
    vary: Vec<String>,
    /// Folder to write into; it is made if it is not there
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Files of each variant, with commas between them
    #[arg(long, value_name = "FILES", default_value = "render.png,heights.png", value_delimiter = ',')]
    products: Vec<String>,
    /// Side of the rendered pictures, in pixels
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = super::render::pixels())]
    picture: u32,
    /// Side of the pictures on the sheet, in pixels
    #[arg(long, value_name = "N", default_value_t = 192, value_parser = clap::value_parser!(u32).range(32..=512))]
    thumbnail: u32,
    /// Make everything anew
    #[arg(long)]
    anew: bool,
    /// Make the variant of that number alone, from 1, and neither the sheet nor the table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    variant: Option<u32>,
}

/// Pixels of all thumbnails together.
const MOST_PIXELS: usize = 50_000_000;
/// A record of a variant is a few kilobytes.
const MOST_RECORD_BYTES: u64 = 1 << 20;
const RECORD: &str = "variant.json";
const THUMBNAIL: &str = "thumbnail.png";
/// Longest name of a variant; file systems take 255 bytes.
const LONGEST_NAME: usize = 120;

/// What is right.
const SEEDS: &str = "give FIRST..LAST, like 1..50, or a list like 1,7,9, of whole numbers from 0 to 4294967295";

/// A file of each variant.
enum BatchProduct {
    Render,
    Scene,
    /// What `talweg export` writes, under its name.
    Export(BuildProduct),
}

impl BatchProduct {
    fn named(name: &str) -> Result<Self, Failure> {
        match name {
            "render.png" => return Ok(Self::Render),
            "scene.ron" => return Ok(Self::Scene),
            _ => {}
        }
        let path = Path::new(name);
        let refused = |error: &dyn std::fmt::Display| {
            usage(anyhow::anyhow!(
                "--products: `{name}`: {error}. A product is render.png, scene.ron, or a map of `talweg export` with the \
                 ending of a format, like heights.png, flow.tif or mesh.glb"
            ))
        };
        if path.file_name().and_then(|file| file.to_str()) != Some(name) {
            return Err(refused(&"it is no name of a file"));
        }
        let (format, ending) = match MeshFormat::for_path(path) {
            Some(format) => (format.id, format.extension.len()),
            None => {
                let format = RasterFormat::for_path(path).map_err(|error| refused(&error))?;
                let lower = name.to_ascii_lowercase();
                let endings = format.extensions.iter().filter(|end| lower.ends_with(&format!(".{end}")));
                (format.id, endings.map(|end| end.len()).max().unwrap_or(0))
            }
        };
        let what = &name[..name.len() - ending - 1];
        if MeshFormat::for_path(path).is_some() != (what == MESH) {
            return Err(refused(&"meshes alone are `mesh`, maps are rasters"));
        }
        if what != MESH {
            what.parse::<ExportMap>().map_err(|error| refused(&error))?;
        }
        Ok(Self::Export(BuildProduct { what: what.into(), format: format.into(), file: Some(name.into()) }))
    }
}

/// What is kept beside the files of a variant.
#[derive(Serialize, Deserialize)]
struct VariantRecord {
    /// What all of it follows from.
    key: String,
    /// What makes the variant of the scene, as `--set` takes it.
    set: Vec<String>,
    glance: Glance,
    /// Every measure with all its digits; empty where there is none.
    measures: Vec<(String, String)>,
    /// The files with the hashes of what is in them.
    files: Vec<(String, String)>,
}

/// A variant with its place.
struct PlannedVariant {
    variant: SceneVariant,
    name: String,
    /// The values that are varied, one a sweep.
    values: Vec<String>,
    folder: PathBuf,
}

impl BatchOptions {
    fn sweeps(&self, scene: &Scene) -> Result<Vec<VariantSweep>, Failure> {
        let mut sweeps = Vec::new();
        if let Some(text) = &self.seeds {
            let refused = |error: &dyn std::fmt::Display| usage(anyhow::anyhow!("--seeds: {error}"));
            let seeds = match text.split_once("..") {
                Some((first, last)) => {
                    let last = last.strip_prefix('=').unwrap_or(last);
                    let number = |text: &str| text.trim().parse::<u32>();
                    let (Ok(first), Ok(last)) = (number(first), number(last)) else {
                        return Err(refused(&SEEDS));
                    };
                    VariantSweep::seeds(scene, first, last)
                }
                None if text.split(',').any(|seed| seed.trim().parse::<u32>().is_err()) => return Err(refused(&SEEDS)),
                None => VariantSweep::listed(scene, &format!("scene.seed={text}")),
            };
            sweeps.push(seeds.map_err(|error| refused(&error))?);
        }
        for text in &self.vary {
            let sweep = VariantSweep::listed(scene, text);
            sweeps.push(sweep.map_err(|error| usage(anyhow::anyhow!("--vary: {error}")))?);
        }
        if sweeps.is_empty() {
            return Err(usage(anyhow::anyhow!("give --seeds FIRST..LAST, or --vary LAYER.PARAM=A,B,C, or both")));
        }
        Ok(sweeps)
    }

    fn plan(&self, scene: &Scene, sweeps: &[VariantSweep]) -> Result<Vec<PlannedVariant>, Failure> {
        let variants = combinations(scene, sweeps).map_err(|error| usage(anyhow::anyhow!("--vary: {error}")))?;
        let value =
            |sweep: &VariantSweep, variant: &Scene| sweep.param_ref.spec().show(&sweep.param_ref.value(variant));
        let mut planned: Vec<PlannedVariant> = Vec::with_capacity(variants.len());
        let mut names = std::collections::HashSet::new();
        for variant in variants {
            let values: Vec<String> = sweeps.iter().map(|sweep| value(sweep, &variant.scene)).collect();
            let parts = sweeps.iter().zip(&values).map(|(sweep, value)| {
                let value = match sweep.param_ref.value(&variant.scene) {
                    // a number keeps its sign and point
                    Value::Float(_) | Value::Int(_) => value.clone(),
                    _ => plain(value),
                };
                format!("{}-{value}", plain(&sweep.param_ref.path(scene)))
            });
            let mut name = parts.collect::<Vec<_>>().join("_");
            if name.len() > LONGEST_NAME || names.contains(&name.to_lowercase()) {
                // the values would not fit, or differ in letters that names of files do not have
                let hash = xxh3_128(variant.assignments.join("\n").as_bytes());
                let end = (0..=name.len().min(LONGEST_NAME)).rev().find(|&k| name.is_char_boundary(k)).unwrap_or(0);
                name = format!("{}-{:08x}", &name[..end], hash as u32);
            }
            names.insert(name.to_lowercase());
            let folder = self.output.join(&name);
            planned.push(PlannedVariant { variant, name, values, folder });
        }
        Ok(planned)
    }

    /// What the files of a variant follow from, besides the scene's own layers and files.
    fn key(&self, scene: &Scene, samples: usize) -> Result<String, Failure> {
        let key = terrain_key(scene, samples)
            .join(scene.to_ron()?.as_bytes())
            .join(self.products.join(",").as_bytes())
            .join(&self.picture.to_le_bytes())
            .join(&self.thumbnail.to_le_bytes())
            .join(env!("CARGO_PKG_VERSION").as_bytes());
        Ok(format!("{:032x}", key.bits()))
    }

    fn place(&self, of: &PlannedVariant) -> ExportPlace {
        ExportPlace { folder: of.folder.clone(), force: self.force.is_forced() }
    }

    /// Evaluates a variant and writes its files; the record comes last.
    fn make(
        &self,
        batch: &PlannedBatch,
        of: &PlannedVariant,
        key: String,
        store: &mut Store,
        control: &Control,
    ) -> Result<Made, Failure> {
        let scene = &of.variant.scene;
        let terrain = evaluate(scene, batch.samples, None, store, control)?.terrain;
        let folder = |source| FileError::Write { path: of.folder.clone(), source };
        std::fs::create_dir_all(&of.folder).map_err(folder)?;
        let palette = PaletteTable::for_scene(scene);
        let draw = |side: u32| {
            let side = side as usize;
            scene_image(scene, &terrain, &palette, [side; 2], control)
        };
        let mut files = Vec::new();
        for (name, product) in &batch.products {
            let to = self.force.target(&of.folder.join(name));
            match product {
                BatchProduct::Render => draw(self.picture)?.stage_while(&to, control)?.commit()?,
                BatchProduct::Scene => {
                    scene.save(&to)?;
                }
                BatchProduct::Export(_) => continue,
            }
            files.push(name.clone());
        }
        if !batch.preset.products.is_empty() {
            let place = self.place(of);
            let written = export(&batch.preset, scene, &terrain, &place, control, &|_| ())?;
            let paths = written.rasters.into_iter().map(|raster| raster.path);
            let paths = paths.chain(written.meshes.into_iter().map(|mesh| mesh.path)).chain(written.others);
            let name = |path: PathBuf| Some(path.file_name()?.to_str()?.to_string());
            files.extend(paths.filter_map(name));
        }
        let thumbnail = draw(self.thumbnail)?;
        thumbnail.save(self.force.target(&of.folder.join(THUMBNAIL)))?;
        files.push(THUMBNAIL.into());
        let hashed = |name: String| {
            let path = of.folder.join(&name);
            let bytes = std::fs::read(&path).map_err(|source| FileError::Write { path, source })?;
            Ok((name, format!("{:032x}", xxh3_128(&bytes))))
        };
        let record = VariantRecord {
            key,
            set: of.variant.assignments.clone(),
            glance: Glance::measure(&terrain, scene),
            measures: measures(scene, &terrain, control)?,
            files: files.into_iter().map(hashed).collect::<Result<Vec<_>, FileError>>()?,
        };
        let text = serde_json::to_string_pretty(&record)?;
        write_atomically(self.force.target(&of.folder.join(RECORD)), |file| {
            std::io::Write::write_all(file, text.as_bytes())
        })?;
        Ok(Made { record, thumbnail, is_new: true })
    }

    /// What an earlier run made of a variant, if all of it is there and still fits.
    fn kept(&self, of: &PlannedVariant, key: &str) -> Option<Made> {
        if self.anew {
            return None;
        }
        let mut text = String::new();
        let file = std::fs::File::open(of.folder.join(RECORD)).ok()?;
        file.take(MOST_RECORD_BYTES).read_to_string(&mut text).ok()?;
        let record: VariantRecord = serde_json::from_str(&text).ok()?;
        // the key has the list of the products
        if record.key != key || record.files.len() <= self.products.len() {
            return None;
        }
        let is_whole = |(name, hash): &(String, String)| {
            let bytes = std::fs::read(of.folder.join(name)).ok()?;
            (format!("{:032x}", xxh3_128(&bytes)) == *hash).then_some(())
        };
        record.files.iter().try_for_each(is_whole)?;
        let thumbnail = RgbImage::load_png(&of.folder.join(THUMBNAIL), self.thumbnail as usize).ok()?;
        Some(Made { record, thumbnail, is_new: false })
    }
}

/// A batch of which nothing is made yet.
pub struct PlannedBatch {
    scene: Scene,
    samples: usize,
    products: Vec<(String, BatchProduct)>,
    /// Those that are exported.
    preset: BuildPreset,
    sweeps: Vec<VariantSweep>,
    planned: Vec<PlannedVariant>,
}

/// A variant that is finished.
struct Made {
    record: VariantRecord,
    thumbnail: RgbImage,
    is_new: bool,
}

/// What became of a batch.
pub struct BatchReport {
    count: usize,
    /// Variants that were there before.
    taken: usize,
    /// As JSON.
    pub json: serde_json::Value,
}

impl BatchOptions {
    /// What makes each variant of the scene, as `--set` takes it.
    ///
    /// # Errors
    /// When something is varied that cannot be, or there are too many.
    pub fn variants(&self, scene: &Scene) -> Result<Vec<Vec<String>>, Failure> {
        let planned = self.plan(scene, &self.sweeps(scene)?)?;
        Ok(planned.into_iter().map(|of| of.variant.assignments).collect())
    }

    /// The variants of `scene` at `samples` a side, if all that is asked for can be made. Makes the folder.
    ///
    /// # Errors
    /// When something is asked for that cannot be.
    pub fn planned(&self, scene: &Scene, samples: usize) -> Result<PlannedBatch, Failure> {
        let mut products = Vec::new();
        for name in self.products.iter().map(|name| name.trim()) {
            if products.iter().any(|(other, _)| other == name) {
                return Err(usage(anyhow::anyhow!("--products: `{name}` is given twice")));
            }
            products.push((name.to_string(), BatchProduct::named(name)?));
        }
        check_name(&self.output)?;
        let sweeps = self.sweeps(scene)?;
        let planned = self.plan(scene, &sweeps)?;
        let most = MOST_PIXELS / (self.thumbnail * self.thumbnail) as usize;
        if planned.len() > most {
            return Err(usage(anyhow::anyhow!(
                "{} pictures of {} pixels are more than a sheet can hold; give {most} at most, or smaller ones with \
                 --thumbnail",
                planned.len(),
                self.thumbnail
            )));
        }
        if let Some(number) = self.variant.filter(|&number| number as usize > planned.len()) {
            return Err(usage(anyhow::anyhow!("--variant: there is no variant {number} of {}", planned.len())));
        }
        let exported = products.iter().filter_map(|(_, product)| match product {
            BatchProduct::Export(product) => Some(product.clone()),
            BatchProduct::Render | BatchProduct::Scene => None,
        });
        let preset = BuildPreset { products: exported.collect(), ..BuildPreset::default() };
        check_problems(&planned)?;
        check_products(&preset, &planned, &self.output)?;
        std::fs::create_dir_all(&self.output)
            .map_err(|source| FileError::Write { path: self.output.clone(), source })?;
        self.gathered().iter().try_for_each(check_place)?;
        Ok(PlannedBatch { scene: scene.clone(), samples, products, preset, sweeps, planned })
    }

    /// The sheet and the table.
    fn gathered(&self) -> [SaveTarget; 2] {
        ["sheet.png", "measures.csv"].map(|name| self.force.target(&self.output.join(name)))
    }

    /// What the largest step of a variant takes, with the pictures that are kept for the sheet.
    ///
    /// # Errors
    /// When a product cannot be made at that size.
    pub fn memory(&self, batch: &PlannedBatch) -> Result<MemoryUse, Failure> {
        let (side, count) = (self.picture as usize, batch.planned.len());
        let picture = MemoryUse::picture(&batch.scene, side, side);
        let written = match batch.preset.products.is_empty() {
            true => MemoryUse::TERRAIN,
            false => memory_use(&batch.preset, &batch.scene, batch.samples)?,
        };
        let sheet_bytes = (count * (self.thumbnail * self.thumbnail) as usize) as f64 * 9.0;
        Ok(MemoryUse {
            fields: picture.fields.max(MemoryUse::MEASURES.fields).max(written.fields),
            bytes: picture.bytes.max(written.bytes),
            beside: sheet_bytes,
            kept: [STORE_BYTES, 0],
            ..MemoryUse::TERRAIN
        })
    }

    /// Makes what is not there yet; call it inside the pool that shall do the work. `show` is told the share that is
    /// done.
    ///
    /// # Errors
    /// When a variant cannot be made or a file cannot be written, or it was cancelled.
    pub fn made(
        &self,
        batch: &PlannedBatch,
        control: &Control,
        show: &(dyn Fn(f32) + Sync),
    ) -> Result<BatchReport, Failure> {
        let PlannedBatch { scene, samples, sweeps, planned, .. } = batch;
        let alone = self.variant.map(|number| number as usize - 1);
        let planned = alone.map_or(&planned[..], |index| &planned[index..=index]);
        let count = planned.len();
        // layers below what is varied are made once
        let mut store = Store::new(Cache::new(STORE_BYTES), Timeline::new(0));
        let mut made = Vec::with_capacity(count);
        for (k, of) in planned.iter().enumerate() {
            show(k as f32 / count as f32);
            let key = self.key(&of.variant.scene, *samples)?;
            made.push(match self.kept(of, &key) {
                Some(kept) => kept,
                None => self.make(batch, of, key, &mut store, control)?,
            });
        }
        let taken = made.iter().filter(|made| !made.is_new).count();
        let entries: Vec<_> = planned
            .iter()
            .zip(&made)
            .map(|(of, made)| {
                json!({ "folder": of.folder, "set": made.record.set, "is_new": made.is_new, "hash": hash(&made.record) })
            })
            .collect();
        let mut json = json!({ "samples": samples, "variants": entries });
        if alone.is_none() {
            let [picture, table] = self.gathered();
            write_atomically(&table, |file| {
                std::io::Write::write_all(file, measures_csv(scene, sweeps, planned, &made).as_bytes())
            })?;
            let thumbnails: Vec<(&SceneVariant, Thumbnail)> = planned
                .iter()
                .zip(made)
                .map(|(of, made)| (&of.variant, Thumbnail { image: made.thumbnail, glance: made.record.glance }))
                .collect();
            sheet(&format!("{}: {count} variants", scene.name), &thumbnails, columns(count)).save(&picture)?;
            (json["sheet"], json["measures"]) = (json!(picture.path()), json!(table.path()));
        }
        Ok(BatchReport { count, taken, json })
    }
}

pub fn run(args: &BatchArgs) -> CommandResult {
    let options = &args.options;
    let job = args.scene.load()?;
    let batch = options.planned(&job.scene, job.samples)?;
    job.check_memory(job.samples, &options.memory(&batch)?)?;
    let report = job.with_progress(|control, show| job.pool.install(|| options.made(&batch, control, show)))?;
    if args.json {
        return print_json(&report.json);
    }
    let (folder, BatchReport { count, taken, .. }) = (options.output.display(), report);
    let gathered = if options.variant.is_some() { "" } else { "; sheet.png, measures.csv" };
    print(&format!(
        "{folder}  {count} variants, {} of them made now and {taken} there before{gathered}\n",
        count - taken
    ))
}

/// Files that a variant names and that are not there: told before the first one is begun.
fn check_problems(planned: &[PlannedVariant]) -> CommandResult {
    for of in planned {
        let scene = &of.variant.scene;
        let broken = scene.problems().into_iter().find(|p| p.severity == talweg::scene::Severity::Broken);
        if let Some(problem) = broken {
            let layer = &scene.layers[problem.layer].name;
            return Err(Failure::Failed(anyhow::anyhow!("{}: layer `{layer}`: {}", of.name, problem.message)));
        }
    }
    Ok(())
}

/// Maps that a variant cannot give, and formats that cannot hold them: told before the first one is begun.
fn check_products(preset: &BuildPreset, planned: &[PlannedVariant], output: &Path) -> CommandResult {
    if preset.products.is_empty() {
        return Ok(());
    }
    // the folders of the variants are not there yet, and perhaps not the one that they stand in
    let folder = output.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new(""));
    let place = ExportPlace { folder: folder.into(), force: true };
    for of in planned {
        check(preset, &of.variant.scene, &place)
            .map_err(|error| usage(anyhow::anyhow!("--products: {}: {error}", of.name)))?;
    }
    Ok(())
}

fn measures(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Vec<(String, String)>, Failure> {
    let limits = Limits::default();
    if scene.is_planet() {
        return Ok(named_values(PLANET_MEASURES, &measure_planet(terrain, scene, &limits, control)?));
    }
    Ok(named_values(MEASURES, &measure(terrain, TerrainScale::for_scene(scene), &limits, control)?))
}

fn hash(record: &VariantRecord) -> &str {
    record.measures.iter().find(|(key, _)| key == "hash").map_or("", |(_, value)| value)
}

/// A line for each variant: its folder, its values, its measures.
fn measures_csv(scene: &Scene, sweeps: &[VariantSweep], planned: &[PlannedVariant], made: &[Made]) -> String {
    let varied = sweeps.iter().map(|sweep| sweep.param_ref.path(scene));
    let keys = made.first().into_iter().flat_map(|made| made.record.measures.iter().map(|(key, _)| key.clone()));
    let line = |fields: Vec<String>| fields.iter().map(|text| csv_field(text)).collect::<Vec<_>>().join(",") + "\n";
    let mut text = line(std::iter::once("variant".to_string()).chain(varied).chain(keys).collect());
    for (of, made) in planned.iter().zip(made) {
        let measured = made.record.measures.iter().map(|(_, value)| value.clone());
        text += &line(std::iter::once(of.name.clone()).chain(of.values.clone()).chain(measured).collect());
    }
    text
}

/// `text` in letters that every file system takes in names.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() || ['.', '+'].contains(&c) { c } else { '-' }).collect()
}

//! `talweg measure`: prints the measures of one terrain, or the measures of two terrains next to each other. The lists
//! of [`talweg::measure`] define the measures.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::input::{SceneArgs, SceneJob};
use super::reading::{READING, ReadArgs};
use super::{CommandResult, Failure, print, print_json, print_message, usage};
use talweg::eval::{MemoryUse, check_memory, thread_pool};
use talweg::field::{Control, Edges, Grid, MapKind, Terrain};
use talweg::io::formats::ReadOptions;
use talweg::io::{check_name, is_heightmap};
use talweg::measure::{
    ClimateMeasures, DIFFERENCES, Difference, LayerMaterial, Limits, MEASURES, Measure, MeasureValue, PLANET_MEASURES,
    PlanetMeasures, TerrainMeasures, TerrainScale, bands, comparison_csv, difference, layer_material, measure,
    measure_planet,
};
use talweg::mesh::import::is_mesh;
use talweg::mesh::raster_or_mesh;
use talweg::param::{ParamSpec, Params};
use talweg::scene::{Scene, Settings};

/// Measure a scene or a heightmap: heights, slopes, form, drainage, playability, content hash
#[derive(Args)]
#[command(after_help = help())]
pub struct MeasureArgs {
    #[command(flatten)]
    scene: SceneArgs,
    #[arg(long, value_name = "LIMIT=VALUE", help = limit_help())]
    limit: Vec<String>,
    /// Second scene or heightmap, which is compared with the first
    #[arg(long, value_name = "SCENE|HEIGHTMAP")]
    against: Option<PathBuf>,
    /// Print all results as JSON, including the data of the plots
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the measures as CSV
    #[arg(long)]
    csv: bool,
    /// Height of white in metres, for a heightmap that does not contain its own height range
    #[arg(long, help_heading = READING, value_name = "METRES", default_value_t = 1.0)]
    white: f32,
    /// Side length of a heightmap in metres, instead of its own [default: 8000 if it has none]
    #[arg(long, help_heading = READING, value_name = "METRES")]
    side: Option<f32>,
    /// Height of the sea level over a heightmap, in metres; by default there is no sea
    #[arg(long, help_heading = READING, value_name = "METRES", allow_negative_numbers = true)]
    sea: Option<f32>,
    #[command(flatten)]
    reading: ReadArgs,
}

/// The help text, with the stable names of all measures.
fn help() -> String {
    let mut text = String::from(
        "SCENE may also be a heightmap, or a mesh seen from above, that `talweg info` can read. It is measured\n\
         unchanged, with open edges.\n\
         --size, --seed and --set change the first scene; the scene of --against is only evaluated at the same --size.\n\n\
         Measures, by their names in JSON and CSV:\n",
    );
    for m in MEASURES {
        let _ = writeln!(text, "  {}", described(m));
    }
    let names: Vec<&str> = DIFFERENCES.iter().map(|m| m.key).collect();
    let _ = writeln!(text, "Measures of a difference (--against): {}.", names.join(", "));
    text += "
A measure without a value is null in JSON, empty in CSV, and – with the reason in the text. Steepness, hypsometry, peaks,
valleys, drainage and playability are measured on land above the sea. On a planet, each sample is weighted by its area: land
and sea, heights, slopes, streams, climate. Samples have neighbours across an edge only if the scene wraps.
The JSON of a scene also has `mass_balances`: for each process the material in cubic metres that it eroded, deposited,
carries, lost over open edges and added, and the part that interpolation between grids added to the ground (`resampled`)
and to the material in transport (`resampled_carried`). `residual` is 0 except for rounding.
Planets, and terrains with a biome table or a climate, also have temperature and moisture (area-weighted mean, lowest and
highest) and the fraction of every ground type.
Examples:
  talweg measure dem.png --white 2500 --side 30000 --limit source_area=0.5
  talweg measure island --set Peaks.octaves=3 --against island";
    text
}

/// The limits with their units and defaults.
fn limit_help() -> String {
    let name = |p: &ParamSpec| format!("{} ({} {})", p.name, p.show(&p.default), p.unit);
    let names: Vec<String> = Limits::default().about().params.iter().map(name).collect();
    format!("Change what counts as a peak, a channel, playable or flat: {}; may be repeated", names.join(", "))
}

/// Width of the column of names, in characters.
const NAME: usize = 23;

fn described<T>(m: &Measure<T>) -> String {
    let unit = if m.unit.is_empty() { String::new() } else { format!(" [{}]", m.unit) };
    let source = if m.source.is_empty() { String::new() } else { format!(" ({})", m.source) };
    format!("{:<NAME$} {}{unit}{source}", m.key, m.meaning)
}

/// Allowed side lengths of a terrain, in metres.
const LENGTHS: std::ops::RangeInclusive<f32> = 1.0..=1_000_000.0;

/// A terrain to measure.
struct MeasuredTerrain {
    name: String,
    terrain: Arc<Terrain>,
    scale: TerrainScale,
    /// The scene of the terrain; `None` for a heightmap.
    scene: Option<Scene>,
    material: Vec<LayerMaterial>,
}

/// The measures of a terrain and the mass balances of its processes, for JSON output.
#[derive(Serialize)]
struct WithMaterial<'a, T> {
    #[serde(flatten)]
    measures: &'a T,
    mass_balances: &'a [LayerMaterial],
}

pub fn run(args: &MeasureArgs) -> CommandResult {
    let limits = limits(&args.limit).map_err(|why| usage(anyhow::anyhow!("--limit: {why}")))?;
    args.scene.memory.apply();
    if !is_measured(args.scene.path()) {
        let job = args.scene.load()?;
        if job.scene.is_planet() {
            return planet(args, &job, &limits);
        }
    }
    let pool = thread_pool(args.scene.threads())?;
    let control = Control::default();
    let measured =
        |subject: &MeasuredTerrain| pool.install(|| measure(&subject.terrain, subject.scale, &limits, &control));
    let first = args.subject(&args.scene)?;
    let Some(path) = &args.against else {
        let MeasuredTerrain { scene, terrain, scale, material, .. } = &first;
        let all = pool.install(|| TerrainMeasures::new(scene.as_ref(), terrain, *scale, &limits, &control))?;
        let TerrainMeasures { measures, climate } = &all;
        let numbers = climate.as_ref().map_or_else(Vec::new, ClimateMeasures::listed);
        let lines: String = numbers.iter().map(|number| climate_line(number, args.csv)).collect();
        return match (args.json, args.csv) {
            (true, _) => print_json(&WithMaterial { measures: &all, mass_balances: material }),
            (_, true) => print(&(measures.csv() + &lines)),
            _ => {
                let table = table(MEASURES, &format!("{n} × {n}", n = measures.samples), measures);
                print(&if lines.is_empty() { table } else { format!("{table}\nCLIMATE\n{lines}") })
            }
        };
    };
    let second = args.subject(&args.scene.other(path))?;
    let (a, b) = (measured(&first)?, measured(&second)?);
    let difference =
        pool.install(|| difference((&first.terrain, first.scale), (&second.terrain, second.scale), &limits, &control))?;
    let names = [(&first, &a), (&second, &b)].map(|(of, m)| format!("{}, {n} × {n}", of.name, n = m.samples));
    MeasuredPair { list: MEASURES, names, measures: [&a, &b], difference }.print(args)
}

/// Measures one whole planet, or two.
fn planet(args: &MeasureArgs, job: &SceneJob, limits: &Limits) -> CommandResult {
    let control = Control::default();
    let measured = |job: &SceneJob| {
        let made = job.evaluate_with_balances(&MemoryUse::MEASURES)?;
        let material = layer_material(&job.scene, made.terrain.grid, &made.mass_balances);
        let terrain = made.terrain;
        let measures = job.pool.install(|| measure_planet(&terrain, &job.scene, limits, &control))?;
        Ok::<_, Failure>((terrain, measures, TerrainScale::for_scene(&job.scene), material))
    };
    let (terrain, measures, scale, material) = measured(job)?;
    if let Some(path) = &args.against {
        let alone = || usage(anyhow::anyhow!("--against: a planet can only be compared with a planet"));
        let other = args.scene.other(path);
        if is_measured(path) {
            return Err(alone());
        }
        let other = other.load()?;
        if !other.scene.is_planet() {
            return Err(alone());
        }
        let (second, others, other_scale, _) = measured(&other)?;
        let difference =
            job.pool.install(|| difference((&terrain, scale), (&second, other_scale), limits, &control))?;
        let faces =
            |name: &Path, m: &PlanetMeasures| format!("{}, 6 faces of {n} × {n}", name.display(), n = m.face_samples);
        let names = [faces(args.scene.path(), &measures), faces(path, &others)];
        return MeasuredPair { list: PLANET_MEASURES, names, measures: [&measures, &others], difference }.print(args);
    }
    let shares = measures.climate.listed().into_iter().filter(|(key, ..)| key.starts_with("share_"));
    let shares: String = shares.map(|number| climate_line(&number, args.csv)).collect();
    match (args.json, args.csv) {
        (true, _) => print_json(&WithMaterial { measures: &measures, mass_balances: &material }),
        (_, true) => print(&(measures.csv() + &shares)),
        _ => {
            let samples = format!("6 faces of {n} × {n}", n = measures.face_samples);
            let hash = format!("{:<LABEL$} {}\n", "hash", measures.hash);
            print(&(table(PLANET_MEASURES, &samples, &measures) + &shares + "\n" + &hash))
        }
    }
}

/// A line for a climate measure, as text or CSV.
fn climate_line((key, value, unit, meaning): &(String, f64, &'static str, String), csv: bool) -> String {
    if csv {
        return format!("{key},{value},{unit},{meaning}\n");
    }
    format!("{:<LABEL$} {:<20} {meaning}\n", key.replace('_', " "), format!("{value:.3} {unit}"))
}

/// The default limits, changed by texts of the form LIMIT=VALUE.
fn limits(changes: &[String]) -> Result<Limits, String> {
    let mut limits = Limits::default();
    for text in changes {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}`: give LIMIT=VALUE"))?;
        limits.set_named(name.trim(), value)?;
    }
    Ok(limits)
}

impl MeasureArgs {
    /// The scene or heightmap named by `scene`.
    fn subject(&self, scene: &SceneArgs) -> Result<MeasuredTerrain, Failure> {
        let name = scene.path().display().to_string();
        if is_measured(scene.path()) {
            if self.side.is_some_and(|side| !LENGTHS.contains(&side))
                || self.sea.is_some_and(|sea| !(-1.0e7..=1.0e7).contains(&sea))
            {
                let why =
                    "--side: give a length from 1 m to 1000 km; --sea: give a height from -10000000 to 10000000 m";
                return Err(usage(anyhow::anyhow!(why)));
            }
            let (terrain, own_side) = heightmap(scene.path(), self.white, self.reading.options()?)?;
            let size_metres = self.side.or(own_side).unwrap_or(Settings::default().size_metres);
            let scale = TerrainScale { size_metres, relief_metres: 1.0, sea_metres: self.sea };
            return Ok(MeasuredTerrain { name, terrain, scale, scene: None, material: Vec::new() });
        }
        let job = scene.load()?;
        if job.scene.is_planet() {
            return Err(usage(anyhow::anyhow!("--against: a terrain can only be compared with a terrain")));
        }
        let made = job.evaluate_with_balances(&MemoryUse::MEASURES)?;
        let (terrain, scale) = (made.terrain, TerrainScale::for_scene(&job.scene));
        let material = layer_material(&job.scene, terrain.grid, &made.mass_balances);
        Ok(MeasuredTerrain { name, terrain, scale, scene: Some(job.scene), material })
    }
}

/// Whether a file is a heightmap or a mesh instead of a scene.
fn is_measured(path: &Path) -> bool {
    is_heightmap(path) || is_mesh(path)
}

/// The heights of a file in metres, and the side length if the file records it. If the cells are not square, as in
/// degrees, the length is the side of a square of the same area. Samples without data have no terrain.
fn heightmap(path: &Path, white: f32, options: ReadOptions) -> Result<(Arc<Terrain>, Option<f32>), Failure> {
    if !(-1.0e7..=1.0e7).contains(&white) {
        return Err(usage(anyhow::anyhow!("--white: give a height from -10000000 to 10000000 m")));
    }
    check_name(path)?;
    let raster = raster_or_mesh(&path.to_string_lossy(), options)?;
    for note in &raster.notes {
        print_message(&format!("note: {}: {note}", path.display()));
    }
    if raster.width != raster.height {
        return Err(Failure::Failed(anyhow::anyhow!(
            "{} has {} × {} samples; only square heightmaps can be measured; crop it first",
            path.display(),
            raster.width,
            raster.height
        )));
    }
    // An empty scene with this number of samples needs the same memory as the heightmap.
    let bare = Scene::default();
    check_memory(&bare, raster.width, &MemoryUse::MEASURES).map_err(|reason| {
        Failure::Failed(anyhow::anyhow!(
            "{}: {reason}. Scale it down first, or raise the limit with --memory",
            path.display()
        ))
    })?;
    let (low, high) = raster.range_metres.unwrap_or((0.0, white));
    let mut terrain = Terrain::flat(Grid::new(raster.width, Edges::Open));
    if terrain.height.len() != raster.values.len() {
        return Err(Failure::Failed(anyhow::anyhow!("{} is larger than 16384 × 16384 samples", path.display())));
    }
    terrain.height.iter_mut().zip(raster.filled()).for_each(|(h, v)| *h = low + (high - low) * v);
    if !raster.is_void.is_empty() {
        let ground = terrain.map_mut(MapKind::Ground).iter_mut().zip(&raster.is_void);
        ground.for_each(|(ground, is_void)| *ground = if *is_void { 0.0 } else { 1.0 });
    }
    let side = raster.extent_metres().map(|[across, down]| (across * down).sqrt() as f32);
    Ok((Arc::new(terrain), side.filter(|side| LENGTHS.contains(side))))
}

const LABEL: usize = 24;

/// A table with a line for each measure, by family, with the typical range of real terrain.
fn table<T>(list: &[Measure<T>], samples: &str, measures: &T) -> String {
    let mut text = format!("{:<LABEL$} {samples}\n", "samples");
    let mut family = None;
    for m in list {
        if family.replace(m.family) != Some(m.family) {
            let _ = writeln!(text, "\n{}", m.family.label().to_uppercase());
        }
        let reading = (m.read)(measures);
        let _ = write!(text, "{:<LABEL$} {}", m.label.to_lowercase(), m.show_reading(reading));
        if let MeasureValue::Undefined(why) = reading {
            let _ = write!(text, "  ({why})");
        } else if !m.unit.is_empty() {
            let _ = write!(text, " {}", m.unit);
        }
        for band in bands(m.key) {
            let _ = write!(text, "  (real terrain {} to {}: {})", band.low, band.high, band.terrain_kind);
        }
        text.push('\n');
    }
    text
}

/// Two terrains or planets, and the differences between them.
struct MeasuredPair<'a, T> {
    list: &'a [Measure<T>],
    /// Name of each of the two, with its number of samples.
    names: [String; 2],
    measures: [&'a T; 2],
    difference: Difference,
}

impl<T: Serialize> MeasuredPair<'_, T> {
    fn print(&self, args: &MeasureArgs) -> CommandResult {
        let (list, [a, b], difference) = (self.list, self.measures, &self.difference);
        match (args.json, args.csv) {
            (true, _) => print_json(&json!({ "first": a, "second": b, "difference": difference })),
            (_, true) => print(&comparison_csv(list, [a, b], difference)),
            _ => print(&self.text()),
        }
    }

    /// Both sets of measures next to each other, then the measures of the difference.
    fn text(&self) -> String {
        let mut text = format!("first   {}\nsecond  {}\n\n", self.names[0], self.names[1]);
        let _ = writeln!(text, "{:<LABEL$} {:>14} {:>14} {:>14}", "", "first", "second", "difference");
        for m in self.list {
            let [one, two] = self.measures.map(|of| (m.read)(of));
            if let (MeasureValue::Hash(x), MeasureValue::Hash(y)) = (one, two) {
                let _ = writeln!(
                    text,
                    "{:<LABEL$} {}",
                    m.label.to_lowercase(),
                    if x == y { "the same" } else { "differs" }
                );
                continue;
            }
            let change = match (one, two) {
                (MeasureValue::Count(x), MeasureValue::Count(y)) => format!("{:+}", y as i128 - x as i128),
                _ => one.number().zip(two.number()).map_or("–".into(), |(x, y)| format!("{:+.*}", m.decimals, y - x)),
            };
            let [one, two] = [one, two].map(|reading| m.show_reading(reading));
            let line = format!("{:<LABEL$} {one:>14} {two:>14} {change:>14} {}", m.label.to_lowercase(), m.unit);
            let _ = writeln!(text, "{}", line.trim_end());
        }
        let _ = writeln!(text, "\nDIFFERENCE");
        for m in DIFFERENCES {
            let value = format!("{} {}", m.show(&self.difference), m.unit);
            let _ = writeln!(text, "{:<LABEL$} {value:<20} {}", m.label.to_lowercase(), m.meaning);
        }
        text
    }
}

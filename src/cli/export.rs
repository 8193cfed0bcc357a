//! `talweg export`: heights, ground types, temperature and moisture for other programs; of a planet also colours and
//! normals.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::input::{SceneArgs, SceneJob};
use super::output::ForceArgs;
use super::{CommandResult, print, print_json, usage};
use crate::eval::MemoryUse;
use crate::field::{Control, Terrain};
use crate::io::{
    ExportReport, FieldReport, FieldSheet, HeightSheet, HeightmapFormat, StagedSet, check_place, export_heightmap,
    stage_field, stage_sheet,
};
use crate::look::{PlanetLayout as Layout, PlanetMap, TypeMap, planet_map};
use crate::planet::projection::{Equirectangular, FACE_NAMES, Registration, stage_map};

/// Write heights, ground types, temperature or moisture for other programs; of a planet also colours or normals
#[derive(Args)]
#[command(after_help = "\
The extension chooses the format:
  .png  16-bit greyscale over the terrain's own range, which stands in its text chunks
  .r16  raw unsigned 16-bit, little-endian, over the terrain's own range
  .r32  raw 32-bit float, little-endian, in metres

With --what types each pixel of an 8-bit PNG holds the number of the ground type that is most frequent there, and the PNG's
palette its colour; beside it NAME.legend.ron lists number, name and colour of every type. It needs a scene that is coloured by
a biome table. Temperature is in °C, moisture 0 in a desert and 1 in a rain forest; both are written in the formats above, .r32 as
they are and 16 bits over their own range.

A planet is written as one map of all longitudes and latitudes, or as the six faces of a cube: to planet-px.png, -nx, -py,
-ny, -pz and -nz, where +x looks from longitude 0, +y from 90° east and +z from the north pole. Colours and normals
are PNG pictures of 8 bits; normals hold east, north and up as red, green and blue.

Examples:
  talweg export alpine-range -o alps.png --size 2049
  talweg export island.ron -o island.r16 --size 1009 --json
  talweg export earthlike -o earth.png --width 4096
  talweg export earthlike -o earth.png --projection cube --what colours
  talweg export earthlike -o types.png --what types
  talweg export earthlike -o celsius.r32 --what temperature")]
pub struct ExportArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// File to write (.png, .r16 or .r32)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// How a planet is laid out
    #[arg(long, value_enum, default_value_t = ExportProjection::Equirectangular)]
    projection: ExportProjection,
    /// What is written; colours and normals only of a planet
    #[arg(long, value_enum, default_value_t = ExportContent::Heights)]
    what: ExportContent,
    /// Width of the map of a planet; without it that of the planet's own samples
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=65_536))]
    width: Option<u32>,
    /// What the samples of the map of a planet stand for
    #[arg(long, value_enum, default_value_t = Register::Pixel)]
    registration: Register,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum ExportProjection {
    /// All longitudes and latitudes, twice as wide as high
    Equirectangular,
    /// Six square files, one for each face
    Cube,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum ExportContent {
    /// Heights
    Heights,
    /// The colours of the ground
    Colours,
    /// The ground type that is most frequent in each place, by its number in the legend
    #[value(alias = "biomes")]
    Types,
    /// Temperature
    Temperature,
    /// Moisture
    Moisture,
    /// Directions of the ground, as normal maps
    Normals,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Register {
    /// Areas: no sample lies on a pole or on longitude 180°
    Pixel,
    /// Points: the first and last rows are the poles, the first and last columns longitude 180°
    Grid,
}

impl ExportArgs {
    /// Bytes that the map of a planet takes, if one is made.
    fn map_bytes(&self, job: &SceneJob) -> f64 {
        if !job.scene.settings.is_planet() || self.projection == ExportProjection::Cube {
            return 0.0;
        }
        let map = map(self, job.samples);
        (map.width * map.height) as f64 * if self.what.is_picture() { 9.0 } else { 4.0 }
    }
}

impl ExportContent {
    /// Whether it is a picture of 8 bits.
    fn is_picture(self) -> bool {
        matches!(self, Self::Colours | Self::Types | Self::Normals)
    }
}

pub fn run(args: &ExportArgs) -> CommandResult {
    let format = HeightmapFormat::for_path(&args.output).map_err(usage)?;
    if args.what.is_picture() && format != HeightmapFormat::Png16 {
        return Err(usage(anyhow::anyhow!("cannot write {}: such pictures are .png files", args.output.display())));
    }
    let job = args.scene.load()?;
    let is_planet = job.scene.settings.is_planet();
    for path in written(args, is_planet) {
        check_place(args.force.target(&path))?;
    }
    let of_planets = matches!(args.what, ExportContent::Colours | ExportContent::Normals);
    if !is_planet && (of_planets || args.projection == ExportProjection::Cube || args.width.is_some()) {
        return Err(usage(anyhow::anyhow!(
            "--projection, --width and --what colours or normals are for planets; this scene is a terrain"
        )));
    }
    if args.what == ExportContent::Types && job.scene.biome_table().is_none() {
        return Err(usage(anyhow::anyhow!(
            "--what types: the scene is not coloured by a biome table; give it a palette like biome:earth"
        )));
    }
    let what = match args.what {
        ExportContent::Heights => MemoryUse::EXPORT,
        ExportContent::Temperature | ExportContent::Moisture => MemoryUse::climate(&job.scene),
        ExportContent::Colours | ExportContent::Types | ExportContent::Normals => MemoryUse::COLOURS,
    };
    let terrain = job.evaluate(&what.with_bytes(args.map_bytes(&job)))?;
    match args.what {
        ExportContent::Heights if is_planet => planet_heights(args, &job, &terrain),
        ExportContent::Heights => heights(args, &job, &terrain),
        ExportContent::Colours => pictures(args, &job, &terrain, PlanetMap::Colours),
        ExportContent::Normals => pictures(args, &job, &terrain, PlanetMap::Normals),
        ExportContent::Types => types(args, &job, &terrain),
        ExportContent::Temperature => {
            let celsius = job.pool.install(|| job.scene.climate_fields(&terrain, &Control::default()))?.celsius;
            field(args, &job, &terrain, &celsius, ("celsius", "°C"))
        }
        ExportContent::Moisture => {
            let moisture = job.pool.install(|| job.scene.climate_fields(&terrain, &Control::default()))?.moisture;
            field(args, &job, &terrain, &moisture, ("moisture", ""))
        }
    }
}

/// The files that will be written.
fn written(args: &ExportArgs, is_planet: bool) -> Vec<PathBuf> {
    let mut files = match args.projection {
        ExportProjection::Cube if is_planet => {
            (0..FACE_NAMES.len()).map(|face| face_path(&args.output, face)).collect()
        }
        _ => vec![args.output.clone()],
    };
    if args.what == ExportContent::Types {
        files.push(legend_path(&args.output));
    }
    files
}

fn legend_path(path: &Path) -> PathBuf {
    path.with_extension("legend.ron")
}

fn heights(args: &ExportArgs, job: &SceneJob, terrain: &Terrain) -> CommandResult {
    let settings = &job.scene.settings;
    let report =
        export_heightmap(terrain, settings.relief_metres, settings.size_metres, args.force.target(&args.output))?;
    if args.json {
        return print_json(&report);
    }
    print(&line(&report))
}

/// One line about a file.
fn line(report: &ExportReport) -> String {
    let mut text = format!(
        "{}  {} × {} samples, {} m apart, from {} m to {} m",
        report.path.display(),
        report.samples,
        report.rows,
        report.cell_metres,
        report.min_metres,
        report.max_metres,
    );
    if report.metres_per_step > 0.0 {
        text += &format!(", {} m per step", report.metres_per_step);
    }
    if let Some(void) = report.void() {
        text += &format!("\n{void}");
    }
    text + "\n"
}

fn pictures(args: &ExportArgs, job: &SceneJob, terrain: &Terrain, what: PlanetMap) -> CommandResult {
    let (mut text, mut set) = (String::new(), StagedSet::default());
    for (path, layout) in layouts(args, terrain) {
        let picture = job.pool.install(|| planet_map(&job.scene, terrain, what, layout));
        set.push(picture.stage(args.force.target(&path))?);
        text += &format!("{}  {} × {} pixels\n", path.display(), picture.width, picture.height);
    }
    set.commit()?;
    print(&text)
}

/// Ground types by number, and their legend.
fn types(args: &ExportArgs, job: &SceneJob, terrain: &Terrain) -> CommandResult {
    let found = job.pool.install(|| TypeMap::for_scene(&job.scene, terrain, &Control::default()))?;
    let map = found.ok_or_else(|| usage(anyhow::anyhow!("--what types: the scene has no biome table")))?;
    let (mut text, mut set) = (String::new(), StagedSet::default());
    for (path, layout) in layouts(args, terrain) {
        let sheet = job.pool.install(|| layout.nearest(terrain, &map.types));
        set.push(map.stage(&sheet, args.force.target(&path))?);
        text += &format!("{}  {} × {} pixels\n", path.display(), sheet.width, sheet.values.len() / sheet.width);
    }
    let legend = legend_path(&args.output);
    set.push(map.stage_legend(args.force.target(&legend))?);
    set.commit()?;
    print(&(text + &format!("{}  {} types\n", legend.display(), map.legend.len())))
}

/// A field that is no height.
fn field(
    args: &ExportArgs,
    job: &SceneJob,
    terrain: &Terrain,
    values: &[f32],
    (quantity, unit): (&'static str, &'static str),
) -> CommandResult {
    let range = values.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
    let (mut reports, mut set) = (Vec::new(), StagedSet::default());
    for (path, layout) in layouts(args, terrain) {
        let sheet = job.pool.install(|| layout.interpolated(terrain, values));
        let sheet = FieldSheet { quantity, unit, width: sheet.width, values: &sheet.values, range };
        let (report, staged) = stage_field(&sheet, args.force.target(&path))?;
        reports.push(report);
        set.push(staged);
    }
    set.commit()?;
    if args.json {
        return print_json(&reports);
    }
    let line = |r: &FieldReport| {
        let path = r.path.display();
        format!("{path}  {} × {} samples of {quantity}, from {} to {} {unit}\n", r.samples, r.rows, r.min, r.max)
    };
    print(&reports.iter().map(line).collect::<String>())
}

/// The files of an export with what each shows; a terrain is its own face.
fn layouts(args: &ExportArgs, terrain: &Terrain) -> Vec<(PathBuf, Layout)> {
    if !terrain.grid.is_globe() {
        return vec![(args.output.clone(), Layout::Face(0))];
    }
    match args.projection {
        ExportProjection::Equirectangular => vec![(args.output.clone(), Layout::Map(map(args, terrain.samples())))],
        ExportProjection::Cube => {
            (0..FACE_NAMES.len()).map(|face| (face_path(&args.output, face), Layout::Face(face))).collect()
        }
    }
}

/// The map as wide as asked for, or with a column for every sample around the equator.
fn map(args: &ExportArgs, samples: usize) -> Equirectangular {
    let usual = Equirectangular::for_samples(samples).width;
    let width = args.width.map_or(usual, |width| width as usize) & !1;
    match args.registration {
        Register::Pixel => Equirectangular { width, height: width / 2, registration: Registration::Pixel },
        Register::Grid => Equirectangular { width: width + 1, height: width / 2 + 1, registration: Registration::Grid },
    }
}

/// `planet.png` of face +x is `planet-px.png`.
fn face_path(path: &Path, face: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-{}.{extension}", FACE_NAMES[face]))
}

fn planet_heights(args: &ExportArgs, job: &SceneJob, terrain: &Terrain) -> CommandResult {
    let (n, range) = (terrain.samples(), terrain.range());
    let (planet, relief_metres) = (&job.scene.planet, job.scene.settings.relief_metres);
    let stage = |heights: &[f32], path: &Path| {
        let cell_metres = planet.side_metres() / (n - 1) as f32;
        stage_sheet(&HeightSheet { width: n, heights, range, relief_metres, cell_metres }, args.force.target(path))
    };
    let (mut reports, mut set) = (Vec::new(), StagedSet::default());
    for (path, layout) in layouts(args, terrain) {
        let (report, staged) = match layout {
            Layout::Face(face) => stage(&terrain.height[face * n * n..][..n * n], &path)?,
            Layout::Map(map) => {
                job.pool.install(|| stage_map(planet, relief_metres, terrain, map, args.force.target(&path)))?
            }
        };
        reports.push(report);
        set.push(staged);
    }
    set.commit()?;
    if args.json {
        return print_json(&reports);
    }
    print(&reports.iter().map(line).collect::<String>())
}

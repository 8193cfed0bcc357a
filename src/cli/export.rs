//! `talweg export`: heights for other programs; of a planet also colours, ground types and normals.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::input::{Job, SceneArgs};
use super::{Outcome, print, print_json, usage};
use crate::field::Terrain;
use crate::io::{ExportReport, HeightSheet, HeightmapFormat, check_place, export_heightmap, export_sheet};
use crate::look::{PlanetLayout as Layout, PlanetMap, planet_map};
use crate::planet::projection::{Equirectangular, FACE_NAMES, Registration};

/// Write the heights as a heightmap for other programs; a planet also as colours, ground types or normals
#[derive(Args)]
#[command(after_help = "\
The extension chooses the format:
  .png  16-bit greyscale over the terrain's own range, which stands in its text chunks
  .r16  raw unsigned 16-bit, little-endian, over the terrain's own range
  .r32  raw 32-bit float, little-endian, in metres

A planet is written as one map of all longitudes and latitudes, or as the six faces of a cube: to planet-px.png, -nx, -py,
-ny, -pz and -nz, where +x looks from longitude 0, +y from 90° east and +z from the north pole. Colours, types and normals
are PNG pictures of 8 bits; normals hold east, north and up as red, green and blue.

Examples:
  talweg export alpine-range -o alps.png --size 2049
  talweg export island.ron -o island.r16 --size 1009 --json
  talweg export earthlike -o earth.png --width 4096
  talweg export earthlike -o earth.png --projection cube --what colours")]
pub struct ExportArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// File to write (.png, .r16 or .r32)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// How a planet is laid out
    #[arg(long, value_enum, default_value_t = Projection::Equirectangular)]
    projection: Projection,
    /// What is written of a planet
    #[arg(long, value_enum, default_value_t = What::Heights)]
    what: What,
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
enum Projection {
    /// All longitudes and latitudes, twice as wide as high
    Equirectangular,
    /// Six square files, one for each face
    Cube,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum What {
    /// Heights
    Heights,
    /// The colours of the ground
    Colours,
    /// The colour of the ground type that is most frequent in each place
    Biomes,
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

pub fn run(args: &ExportArgs) -> Outcome {
    let format = HeightmapFormat::of(&args.output).map_err(usage)?;
    if args.what != What::Heights && format != HeightmapFormat::Png16 {
        return Err(usage(anyhow::anyhow!("cannot write {}: such pictures are .png files", args.output.display())));
    }
    check_place(&args.output)?;
    let job = args.scene.load()?;
    if job.scene.settings.is_planet() {
        return planet(args, &job);
    }
    if args.what != What::Heights || args.projection == Projection::Cube || args.width.is_some() {
        return Err(usage(anyhow::anyhow!(
            "--projection, --what and --width are for planets; this scene is a terrain"
        )));
    }
    let terrain = job.evaluate()?;
    let report = export_heightmap(&terrain, &job.scene.settings, &args.output)?;
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

fn planet(args: &ExportArgs, job: &Job) -> Outcome {
    let terrain = job.evaluate()?;
    let what = match args.what {
        What::Heights => return planet_heights(args, job, &terrain),
        What::Colours => PlanetMap::Colours,
        What::Biomes => PlanetMap::Types,
        What::Normals => PlanetMap::Normals,
    };
    let mut text = String::new();
    for (path, layout) in layouts(args, &terrain) {
        let picture = job.pool.install(|| planet_map(&job.scene, &terrain, what, layout));
        picture.save(&path)?;
        text += &format!("{}  {} × {} pixels\n", path.display(), picture.width, picture.height);
    }
    print(&text)
}

/// The files of an export with what each shows.
fn layouts(args: &ExportArgs, terrain: &Terrain) -> Vec<(PathBuf, Layout)> {
    match args.projection {
        Projection::Equirectangular => vec![(args.output.clone(), Layout::Map(map(args, terrain)))],
        Projection::Cube => {
            (0..FACE_NAMES.len()).map(|face| (face_path(&args.output, face), Layout::Face(face))).collect()
        }
    }
}

/// The map as wide as asked for, or with a column for every sample around the equator.
fn map(args: &ExportArgs, terrain: &Terrain) -> Equirectangular {
    let around = 4 * (terrain.samples() - 1);
    let width = args.width.map_or(around, |width| width as usize) & !1;
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

fn planet_heights(args: &ExportArgs, job: &Job, terrain: &Terrain) -> Outcome {
    let (n, range) = (terrain.samples(), terrain.range());
    let sheet = |width: usize, heights: &[f32], around: usize, path: &Path| {
        let (relief_metres, cell_metres) =
            (job.scene.settings.relief_metres, 4.0 * job.scene.planet.side_metres() / around as f32);
        export_sheet(&HeightSheet { width, heights, range, relief_metres, cell_metres }, path)
    };
    let mut reports = Vec::new();
    for (path, layout) in layouts(args, terrain) {
        reports.push(match layout {
            Layout::Face(face) => sheet(n, &terrain.height[face * n * n..][..n * n], 4 * (n - 1), &path)?,
            Layout::Map(map) => {
                let globe = crate::field::Globe::new(n);
                let heights = job.pool.install(|| map.field(&globe, &terrain.height));
                sheet(map.width, &heights, map.width, &path)?
            }
        });
    }
    if args.json {
        return print_json(&reports);
    }
    print(&reports.iter().map(line).collect::<String>())
}

//! `talweg export`: heights, data maps, ground types, colours and more for other programs, from one evaluation.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::input::{SceneArgs, SceneJob, memory_error};
use super::output::ForceArgs;
use super::{CommandResult, Failure, print, print_json, print_message, usage};
use talweg::eval::check_memory;
use talweg::export::maps::ExportMap;
use talweg::export::targets::{ExportTarget, READ_ME};
use talweg::export::{
    self, ExportError, ExportFolder, ExportReport, ExportRequest, MeshReport, RasterReport, ScatterReport,
};
use talweg::field::MAX_SAMPLES;
use talweg::io::formats::map_scale;
use talweg::io::memory::bytes_text;
use talweg::scene::{BuildMesh, BuildPlacement, BuildPlanet, BuildPreset, BuildTiles, Scene, relative_path};
use talweg::scene_files::store_build;
use talweg::tiles::{LargeExport, TileError};
use talweg::user_state::{PathUse, built_files, check_paths, note_built_files, permit_paths};

/// Write heights, data maps, ground types, colours and more for other programs
#[derive(Args)]
#[command(after_help = "\
The file extension selects the format:
  .png      16-bit greyscale over the map's own range, which is stored in text chunks; colours with 8 bits
  .r16      raw unsigned 16-bit integers over the map's own range; also .raw
  .r32      raw 32-bit floats
  .tif      GeoTIFF, 32-bit floats with extent, coordinate system and no-data value; .cog.tif is cloud-optimised
  .exr      OpenEXR, 32-bit floats
  .asc      ESRI ASCII grid
  .csv      trees, shrubs and stones, one line each; .plants.glb contains them as instances of their shapes
  .textures.json  the material rules, with the images of their materials beside the file
  .glb .obj .ply  mesh, with colours, walls and water by options; .stl is a printable solid with walls and base
Heights in floats are metres. PNG, GeoTIFF, OpenEXR, GLB, OBJ and PLY files contain the scene: `talweg check FILE`,
`talweg verify FILE` and the editor read it from them.

If the folder of the files is missing, it is created; its parent folder must exist.

--what selects the map in the files. --maps adds a file for each further map, named NAME-MAP. Every terrain has heights,
slope, aspect, curvature, profile-curvature, plan-curvature, tangential-curvature, flow (in cells), drainage (in m²),
wetness, occlusion, sunshine-day, sunshine-year, normals, bands, colours, relief, types, splat, weights, control,
temperature and moisture. Others are mask:LAYER, and every data map that a layer writes: water, sediment, hardness, wear,
deposits, rain, sand, snow, ice and others. Ground types are those of the scene's biome table, or of the table `earth`.
NAME.legend.ron lists their numbers, names and colours.

--preset writes a folder for a program, with its import settings as text: unreal, unreal-mesh, unity, godot, blender,
bevy or worldpainter. --build repeats a build preset of the scene; --save-build keeps this export in the scene file.

Terrains of more than 16,384 samples per side, or larger than memory, are built in tiles in a temporary folder next to
the files, .talweg-…tmp. The files are then written a few rows at a time, with the same bytes as without tiles. This works for
all maps except occlusion, sunshine and relief, and not for meshes, plants and textures. The temporary folder needs about 8 bytes of disk
space per sample, and 8 more for each data map that any layer writes. It contains all maps because the hash covers them,
and two stages because each stage reads the tiles of the previous stage. If a layer cannot be computed in tiles and does
not fit into memory, the error names the layer. To continue after a stop, or to use many machines, use `talweg plan`, `run-tiles` and `merge` instead.

A planet is written as one map of all longitudes and latitudes, or as the six faces of a cube: planet-px.png, -nx, -py,
-ny, -pz and -nz. The centre of the face +x is at longitude 0, the centre of +y is at 90° east, and the centre of +z is the north pole.

Examples:
  talweg export alpine-range -o alps.png --size 2049
  talweg export alpine-range -o alps.exr -o alps.tif --maps wetness,sunshine-year,splat
  talweg export alpine-range -o alps.glb -o alps.csv -o alps.plants.glb
  talweg export island.ron --preset unreal -o island-for-unreal
  talweg export droplet-gullies -o a.png -o b.exr -o c.glb --maps flow,wear,slope --preset unreal
  talweg export island -o tiles/island.png --size 2049 --tiles 513
  talweg export alpine-range -o alps.cog.tif --size 32768 --memory 8GiB
  talweg export earthlike -o earth.tif --width 4096
  talweg export earthlike -o types.png --what types --projection cube")]
pub struct ExportArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// File to write, or with --preset the folder to write; may be repeated
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["build", "preset"])]
    output: Vec<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Map to write into the files
    #[arg(long, value_name = "MAP", default_value = "heights", value_parser = map)]
    what: ExportMap,
    /// Further maps, separated by commas, such as flow,wear,slope; each is written to its own file next to the first
    /// file
    #[arg(long, value_name = "MAP,MAP", value_delimiter = ',', value_parser = map)]
    maps: Vec<ExportMap>,
    /// Write a folder for a program, in addition to other files; -o sets its path, otherwise it has the program's name
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["build"])]
    preset: Option<String>,
    /// Repeat a build preset of the scene
    #[arg(long, value_name = "NAME", conflicts_with_all = ["maps", "what", "output"])]
    build: Option<String>,
    /// Let --build replace files that no earlier build of this scene has written
    #[arg(long, requires = "build")]
    overwrite: bool,
    /// Keep this export as a build preset in the scene file; its file names become relative to the scene's folder
    #[arg(long, value_name = "NAME")]
    save_build: Option<String>,
    /// Heights in metres of the lowest and highest number of a 16-bit file, instead of the terrain's own range
    #[arg(long, value_name = "LOW..HIGH", value_parser = height_range, allow_hyphen_values = true)]
    range: Option<(f32, f32)>,
    /// Write floats from 0 to 1 over the range, instead of metres
    #[arg(long)]
    normalised: bool,
    /// Cut rasters into tiles of this many samples per side, named NAME_x0_y0
    #[arg(long, value_name = "SAMPLES", value_parser = clap::value_parser!(u32).range(2..=16_384))]
    tiles: Option<u32>,
    /// Let neighbouring tiles share no samples; otherwise they share the samples along their edges
    #[arg(long, requires = "tiles")]
    unshared: bool,
    /// Start raw files with the southernmost row instead of the northernmost
    #[arg(long)]
    south_first: bool,
    /// Write the most significant byte of each number in raw files first
    #[arg(long)]
    big_endian: bool,
    /// Let the green of normal maps point south, as in DirectX
    #[arg(long)]
    directx: bool,
    /// Height in metres of each band of --what bands
    #[arg(long, value_name = "METRES", value_parser = positive)]
    band: Option<f32>,
    /// EPSG code of the terrain's coordinate system, which must use metres, such as 32632 (UTM) or 2056
    #[arg(long, value_name = "CODE", requires = "origin")]
    epsg: Option<u16>,
    /// Easting and northing of the terrain's south-western corner
    #[arg(long, value_name = "EAST,NORTH", value_parser = origin, requires = "epsg", allow_hyphen_values = true)]
    origin: Option<(f64, f64)>,
    /// Largest vertical distance between a mesh and any sample, in metres; 0 makes every sample a vertex
    #[arg(long, value_name = "METRES", default_value_t = 1.0, value_parser = not_negative, allow_hyphen_values = true)]
    mesh_error: f32,
    /// Add walls and a base to meshes; STL models always have them
    #[arg(long)]
    solid: bool,
    /// Leave the water surface out of meshes
    #[arg(long)]
    no_water: bool,
    /// Leave colours out of meshes
    #[arg(long)]
    no_colours: bool,
    /// Length of the longest side of an STL model
    #[arg(long, value_name = "MILLIMETRES", default_value_t = 150.0, value_parser = positive)]
    print_size: f32,
    /// Layout of a planet in the files
    #[arg(long, value_enum, default_value_t = ExportProjection::Equirectangular)]
    projection: ExportProjection,
    /// Width of the map of a planet in pixels; by default it follows the planet's own samples
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=65_536))]
    width: Option<u32>,
    /// Whether a sample of a planet's map stands for an area or for a point
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
enum Register {
    /// An area: no sample is at a pole or on longitude 180°
    Pixel,
    /// A point: the first and last rows are the poles, the first and last columns are longitude 180°
    Grid,
}

fn map(text: &str) -> Result<ExportMap, String> {
    text.parse()
}

fn positive(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "give a number above 0".into())
}

fn not_negative(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "give a number, 0 or above".into())
}

fn height_range(text: &str) -> Result<(f32, f32), String> {
    let ends = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    ends.filter(|(low, high): &(f32, f32)| low.is_finite() && high.is_finite() && low < high)
        .ok_or_else(|| "give two heights in metres, the lower first, like -100..2500".into())
}

fn origin(text: &str) -> Result<(f64, f64), String> {
    let ends = text.split_once(',').and_then(|(east, north)| Some((east.parse().ok()?, north.parse().ok()?)));
    ends.filter(|(east, north): &(f64, f64)| east.is_finite() && north.is_finite())
        .ok_or_else(|| "give easting and northing, like 2600000,1200000".into())
}

/// Converts an export error: a mistake in the request becomes a usage error.
fn failed(error: ExportError) -> Failure {
    match error {
        ExportError::Request(_) | ExportError::Map(_) => usage(error),
        _ => Failure::Failed(error.into()),
    }
}

pub fn run(args: &ExportArgs) -> CommandResult {
    // Wrong file names are reported before the scene is read.
    let of_files = args.request_for_files()?;
    let mut job = args.scene.load_for_tiles()?;
    let (request, place) = args.checked(of_files, &job.scene)?;
    if let Some(note) = scale_note(&request, &job.scene).filter(|_| !job.quiet) {
        print_message(&format!("note: {note}"));
    }
    job.samples = export::samples(&request, &job.scene).map_err(failed)?;
    let report = match large_export(&job, &request, &place)? {
        Some(large) => job.with_progress(|control, tell| job.pool.install(|| large.write(control, tell)))?,
        None => {
            let what = export::memory_use(&request, &job.scene, job.samples).map_err(failed)?;
            let terrain = job.evaluate_in(&job.pool, &what)?;
            job.with_progress(|control, tell| {
                let write = || export::export(&request, &job.scene, &terrain, &place, control, tell);
                job.pool.install(write).map_err(failed)
            })?
        }
    };
    if let Some(name) = &args.save_build {
        args.keep(&mut job, &request, name)?;
        // The user has named these files on the command line.
        let files = export::output_files(&request, &job.scene, &place).map_err(failed)?;
        permit_paths(args.scene.path(), &files, PathUse::Write);
    }
    if args.build.is_some() || args.save_build.is_some() {
        note_built_files(args.scene.path(), &report.files());
    }
    if args.json { print_json(&report) } else { print(&lines(&report)) }
}

/// Returns a warning if the coordinate system of the export changes lengths by more than 1 % at the terrain's position.
fn scale_note(request: &ExportRequest, scene: &Scene) -> Option<String> {
    let BuildPlacement { epsg, west, south } = request.placement.filter(|_| !scene.is_planet())?;
    let half = 0.5 * f64::from(scene.settings.size_metres);
    let [east_west, north_south] = map_scale(epsg, [west + half, south + half])?;
    let changes = |scale: f64| (scale - 1.0).abs() > 0.01;
    (changes(east_west) || changes(north_south)).then(|| {
        let side = scene.settings.size_metres / 1000.0;
        format!(
            "EPSG:{epsg} changes lengths at this position: the terrain covers {side} km on the map, which is {:.2} km on \
             the ground from west to east. Choose a system with true lengths there, such as UTM",
            f64::from(side) / east_west
        )
    })
}

/// The tiled build of an export. `None` if the terrain fits into memory and is small enough to be evaluated at once.
fn large_export<'a>(
    job: &'a SceneJob,
    request: &'a ExportRequest,
    place: &'a ExportFolder,
) -> Result<Option<LargeExport<'a>>, Failure> {
    if job.samples > MAX_SAMPLES {
        return match LargeExport::new(request, &job.scene, place) {
            Ok(large) => Ok(Some(large)),
            Err(TileError::Export(error)) => Err(failed(error)),
            Err(error) => Err(error.into()),
        };
    }
    let what = export::memory_use(request, &job.scene, job.samples).map_err(failed)?;
    let Err(short) = check_memory(&job.scene, job.samples, &what) else { return Ok(None) };
    let Ok(large) = LargeExport::new(request, &job.scene, place) else { return Err(memory_error(&short, "--size")) };
    if !job.quiet {
        let [needed, free] = [short.needed, short.free].map(bytes_text);
        let tile = large.plan.tile;
        print_message(&format!(
            "note: without tiles this export needs up to {needed}, and {free} are free; it is built in tiles of {tile} samples instead"
        ));
    }
    Ok(Some(large))
}

impl ExportArgs {
    /// The request for the files named on the command line.
    fn request_for_files(&self) -> Result<ExportRequest, Failure> {
        let target = self.preset.as_deref().map(ExportTarget::named).transpose();
        let target = target.map_err(|error| usage(anyhow::anyhow!(error)))?;
        let request = ExportRequest::for_files(&self.output, &self.what, &self.maps, target).map_err(usage)?;
        Ok(ExportRequest {
            samples: self.scene.size(),
            height_range: self.range,
            normalised: self.normalised,
            south_first: self.south_first || request.south_first,
            big_endian: self.big_endian,
            directx_normals: self.directx || request.directx_normals,
            tiles: self.tiles.map(|samples| BuildTiles { samples, shared_edges: !self.unshared }),
            band_metres: self.band,
            placement: self.epsg.zip(self.origin).map(|(epsg, (west, south))| BuildPlacement { epsg, west, south }),
            mesh: BuildMesh {
                error_metres: self.mesh_error,
                solid: self.solid,
                water: !self.no_water,
                colours: !self.no_colours,
                print_millimetres: self.print_size,
            },
            planet: BuildPlanet {
                cube: self.projection == ExportProjection::Cube,
                width: self.width,
                points: self.registration == Register::Grid,
            },
            ..request
        })
    }

    /// The request of a build preset that the scene stores.
    fn request_of_build(&self, scene: &Scene, name: &str) -> Result<ExportRequest, Failure> {
        let preset = scene.builds.iter().find(|build| build.name == *name).ok_or_else(|| {
            let names: Vec<&str> = scene.builds.iter().map(|build| build.name.as_str()).collect();
            let known = if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
            usage(anyhow::anyhow!("the scene has no build preset `{name}`; {known}"))
        })?;
        let request = ExportRequest::from_preset(preset).map_err(failed)?;
        Ok(ExportRequest { samples: self.scene.size().or(request.samples), ..request })
    }

    /// Returns the request and its folder, checked before any work. The request is the build preset named on the
    /// command line, or otherwise `of_files`.
    fn checked(&self, of_files: ExportRequest, scene: &Scene) -> Result<(ExportRequest, ExportFolder), Failure> {
        let is_planet = scene.is_planet();
        if !is_planet && (self.projection == ExportProjection::Cube || self.width.is_some()) {
            return Err(usage(anyhow::anyhow!("--projection and --width are for planets; this scene is a terrain")));
        }
        // File names of a build preset are relative to the folder of its scene. Other file names are relative to the
        // working folder.
        let (request, folder) = match &self.build {
            None => (of_files, PathBuf::new()),
            Some(name) => {
                let folder = self.scene.path().parent().map(Path::to_path_buf).unwrap_or_default();
                (self.request_of_build(scene, name)?, folder)
            }
        };
        let request = request.named_after(Some(self.scene.path()));
        let mut place = ExportFolder { folder, force: self.force.is_forced(), ..ExportFolder::default() };
        if self.build.is_some() {
            // The scene chooses these files, and anybody may have written the scene.
            let scene_file = self.scene.path();
            let files = export::output_files(&request, scene, &place).map_err(failed)?;
            check_paths(scene_file, &files, PathUse::Write)?;
            place.only_over = (!self.overwrite).then(|| Arc::new(built_files(scene_file)));
        }
        export::check(&request, scene, &place).map_err(failed)?;
        Ok((request, place))
    }

    /// Stores the request as a build preset in the scene file, before the other presets.
    fn keep(&self, job: &mut SceneJob, request: &ExportRequest, name: &str) -> CommandResult {
        // File names become relative to the scene's folder, so that the scene and the files can be moved together.
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
        let around = absolute(self.scene.path()).parent().map(Path::to_path_buf).unwrap_or_default();
        let kept = |file: String| preset_path(&around, &absolute(Path::new(&file))).to_string_lossy().into_owned();
        // The preset keeps the pattern, so that the names follow the file when it is renamed.
        let file_names = match &self.build {
            Some(build) => self.request_of_build(&job.scene, build)?.file_names,
            None => self.request_for_files()?.file_names,
        };
        let mut preset = BuildPreset { file_names, ..request.to_preset(name) };
        preset.folder = if preset.folder.is_empty() { String::new() } else { kept(preset.folder) };
        for product in &mut preset.products {
            product.file = product.file.take().map(kept);
        }
        job.scene = store_build(&self.force.target(self.scene.path()), &preset)?;
        Ok(())
    }
}

/// A path of a build preset: relative to the folder of its scene if they share a folder, otherwise absolute.
fn preset_path(folder: &Path, file: &Path) -> PathBuf {
    relative_path(folder, file).unwrap_or_else(|| file.into())
}

/// Formats the report as text, with a line for each file.
pub(super) fn lines(report: &ExportReport) -> String {
    let mut text = String::new();
    for raster in &report.rasters {
        text += &line(raster);
    }
    for MeshReport { path, vertices, triangles, parts, .. } in &report.meshes {
        text += &format!("{}  {vertices} vertices, {triangles} triangles: {}\n", path.display(), parts.join(", "));
    }
    for ScatterReport { path, counts, .. } in &report.plants {
        let counts: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let counts = if counts.is_empty() { "no plants and no stones".into() } else { counts.join(", ") };
        text += &format!("{}  {counts}\n", path.display());
    }
    for path in &report.others {
        let what = if path.ends_with(READ_ME) { "import settings" } else { "names and colours of the ground types" };
        text += &format!("{}  {what}\n", path.display());
    }
    text
}

/// Formats the report of a raster file as a line of text.
pub(super) fn line(raster: &RasterReport) -> String {
    let RasterReport { path, map, samples, rows, unit, min, max, per_step, cell_metres, .. } = raster;
    let mut text = format!("{}  {map}, {samples} × {rows} samples, {cell_metres} m apart", path.display());
    if min < max && *max != 255.0 {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        text += &format!(", from {min}{unit} to {max}{unit}");
    }
    if *per_step > 0.0 {
        text += &format!(", {} per step", format!("{per_step} {unit}").trim_end());
    }
    if let Some(void) = raster.void() {
        text += &format!("\n{void}");
    }
    text + "\n"
}

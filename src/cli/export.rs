//! `talweg export`: heights, data maps, ground types, colours and more for other programs, from one evaluation.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::input::{SceneArgs, SceneJob, refused};
use super::output::ForceArgs;
use super::{CommandResult, Failure, print, print_json, tell, usage};
use talweg::eval::check_memory;
use talweg::export::maps::{ExportMap, MapNature};
use talweg::export::targets::{ExportTarget, READ_ME};
use talweg::export::{
    self, ExportError, ExportPlace, ExportReport, MESH, MeshReport, PLANTS, RasterReport, ScatterFormat, ScatterReport,
};
use talweg::field::MAX_SAMPLES;
use talweg::io::formats::{RasterFormat, SampleType};
use talweg::io::memory::bytes_text;
use talweg::mesh::formats::MeshFormat;
use talweg::scene::{BuildMesh, BuildPlacement, BuildPlanet, BuildPreset, BuildProduct, BuildTiles, Scene};
use talweg::tiles::{LargeExport, TileError};

/// Write heights, data maps, ground types, colours and more for other programs
#[derive(Args)]
#[command(after_help = "\
The ending chooses the format:
  .png      16-bit greyscale over the map's own range, which stands in its text chunks; colours of 8 bits
  .r16      raw unsigned 16-bit over the map's own range, .raw as well
  .r32      raw 32-bit float
  .tif      GeoTIFF, 32-bit float with extent, coordinate system and no-data; .cog.tif is cloud-optimised
  .exr      OpenEXR, 32-bit float
  .asc      ESRI ASCII grid
  .csv      trees, shrubs and stones, a line for each; .plants.glb has them as instances of their shapes
  .glb .obj .ply  mesh with colours, walls and water as asked; .stl is a body to print, with walls and base
Heights in floats are metres. PNG, GeoTIFF, OpenEXR, GLB, OBJ and PLY carry the scene: `talweg check FILE`, `talweg
verify FILE` and the editor read it back.

A folder that is not there yet is made with the files in it; the one around it must be there.

--what says what the files hold, --maps adds files of more maps beside the first, named NAME-MAP. There are heights, slope,
curvature, normals, occlusion, bands, colours, relief, types, splat, weights, control, temperature, moisture, mask:LAYER, and
every data map that a layer writes: water, sediment, hardness, flow, wear, deposits, rain, sand, snow, ice and others. Ground
types are those of the scene's biome table, or of `earth`; beside them NAME.legend.ron lists number, name and colour.

--preset writes a folder for a program, with a text of the numbers to type: unreal, unreal-mesh, unity, godot, blender, bevy, worldpainter.
--build repeats a build preset that the scene keeps; --save-build keeps this export in the scene file.

Terrains of more than 16,384 samples a side, or larger than memory, are built in tiles in a temporary folder beside the files,
.talweg-…tmp, and written some rows at a time, to the same bytes: all maps but occlusion and relief; no meshes, no plants. It
needs about 8 bytes of disk for each sample, and 8 more for each data map that the layers write, asked for or not: the hash of
the terrain is that of all, and a stage lies beside the one before it. The files come on top. A layer that can only be
computed as a whole, and does not fit, is named. To go on after a stop, or to use many machines, give `talweg plan`,
`run-tiles` and `merge` instead.

A planet is written as one map of all longitudes and latitudes, or as the six faces of a cube: to planet-px.png, -nx, -py,
-ny, -pz and -nz, where +x looks from longitude 0, +y from 90° east and +z from the north pole.

Examples:
  talweg export alpine-range -o alps.png --size 2049
  talweg export alpine-range -o alps.exr -o alps.tif --maps slope,normals,splat
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
    /// File to write, or with --preset the folder; may be repeated
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["build", "preset"])]
    output: Vec<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// What the files hold
    #[arg(long, value_name = "MAP", default_value = "heights", value_parser = map)]
    what: ExportMap,
    /// Maps that are written beside the first file, like flow,wear,slope
    #[arg(long, value_name = "MAP,MAP", value_delimiter = ',', value_parser = map)]
    maps: Vec<ExportMap>,
    /// Write a folder for a program, beside other files; without a name it is called like the program
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["build"])]
    preset: Option<String>,
    /// Repeat a build preset of the scene
    #[arg(long, value_name = "NAME", conflicts_with_all = ["maps", "what", "output"])]
    build: Option<String>,
    /// Keep this export as a build preset in the scene file, with names from its folder on
    #[arg(long, value_name = "NAME")]
    save_build: Option<String>,
    /// Heights in metres of the lowest and highest number of a 16-bit file, in place of the terrain's own
    #[arg(long, value_name = "LOW..HIGH", value_parser = height_range, allow_hyphen_values = true)]
    range: Option<(f32, f32)>,
    /// Floats from 0 to 1 over the range, and not metres
    #[arg(long)]
    normalised: bool,
    /// Cut rasters into tiles of so many samples, NAME_x0_y0
    #[arg(long, value_name = "SAMPLES", value_parser = clap::value_parser!(u32).range(2..=16_384))]
    tiles: Option<u32>,
    /// Neighbouring tiles share no samples; otherwise they share those of their edges
    #[arg(long, requires = "tiles")]
    unshared: bool,
    /// Raw files begin in the south-west
    #[arg(long)]
    south_first: bool,
    /// Raw files have the highest byte first
    #[arg(long)]
    big_endian: bool,
    /// The green of normal maps points south, as DirectX has it
    #[arg(long)]
    directx: bool,
    /// Height of a band of --what bands, in metres
    #[arg(long, value_name = "METRES", value_parser = positive)]
    band: Option<f32>,
    /// Coordinate system of the terrain as EPSG numbers them: one in metres, not feet, like 32632 (UTM) or 2056
    #[arg(long, value_name = "CODE", requires = "origin")]
    epsg: Option<u16>,
    /// Easting and northing of the terrain's south-western corner
    #[arg(long, value_name = "EAST,NORTH", value_parser = origin, requires = "epsg", allow_hyphen_values = true)]
    origin: Option<(f64, f64)>,
    /// How far a mesh may be off any sample, in metres; 0 makes every sample a vertex
    #[arg(long, value_name = "METRES", default_value_t = 1.0, value_parser = not_negative, allow_hyphen_values = true)]
    mesh_error: f32,
    /// Meshes with walls and a base; STL always has them
    #[arg(long)]
    solid: bool,
    /// Meshes without the surface of the water
    #[arg(long)]
    no_water: bool,
    /// Meshes without colours
    #[arg(long)]
    no_colours: bool,
    /// Longest side of an STL model
    #[arg(long, value_name = "MILLIMETRES", default_value_t = 150.0, value_parser = positive)]
    print_size: f32,
    /// How a planet is laid out
    #[arg(long, value_enum, default_value_t = ExportProjection::Equirectangular)]
    projection: ExportProjection,
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
enum Register {
    /// Areas: no sample lies on a pole or on longitude 180°
    Pixel,
    /// Points: the first and last rows are the poles, the first and last columns longitude 180°
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

/// What fits together on the command line or not is a matter of usage.
fn failed(error: ExportError) -> Failure {
    match error {
        ExportError::Preset(_) | ExportError::Map(_) => usage(error),
        _ => Failure::Failed(error.into()),
    }
}

pub fn run(args: &ExportArgs) -> CommandResult {
    args.formats()?;
    let mut job = args.scene.load_for_tiles()?;
    let (preset, place) = args.checked_preset(&job.scene, None)?;
    job.samples = export::samples(&preset, &job.scene).map_err(failed)?;
    let report = match large_export(&job, &preset, &place)? {
        Some(large) => job.with_progress(|control, tell| job.pool.install(|| large.write(control, tell)))?,
        None => {
            let what = export::memory_use(&preset, &job.scene, job.samples).map_err(failed)?;
            let terrain = job.evaluate_in(&job.pool, &what)?;
            job.with_progress(|control, tell| {
                let write = || export::export(&preset, &job.scene, &terrain, &place, control, tell);
                job.pool.install(write).map_err(failed)
            })?
        }
    };
    if let Some(name) = &args.save_build {
        args.keep(&mut job, preset, name)?;
    }
    if args.json { print_json(&report) } else { print(&lines(&report)) }
}

/// An export by tiles, where the terrain is larger than any that is evaluated as a whole, or than memory.
fn large_export<'a>(
    job: &'a SceneJob,
    preset: &'a BuildPreset,
    place: &'a ExportPlace,
) -> Result<Option<LargeExport<'a>>, Failure> {
    if job.samples > MAX_SAMPLES {
        return match LargeExport::new(preset, &job.scene, place) {
            Ok(large) => Ok(Some(large)),
            Err(TileError::Export(error)) => Err(failed(error)),
            Err(error) => Err(error.into()),
        };
    }
    let what = export::memory_use(preset, &job.scene, job.samples).map_err(failed)?;
    let Err(short) = check_memory(&job.scene, job.samples, &what) else { return Ok(None) };
    let Ok(large) = LargeExport::new(preset, &job.scene, place) else { return Err(refused(&short, "--size")) };
    if !job.quiet {
        let [needed, free] = [short.needed, short.free].map(bytes_text);
        let tile = large.plan.tile;
        tell(&format!("note: as a whole this needs up to {needed}, {free} are free: it is built in tiles of {tile}"));
    }
    Ok(Some(large))
}

impl ExportArgs {
    /// The raster formats of all files.
    fn formats(&self) -> Result<Vec<Option<&'static RasterFormat>>, Failure> {
        self.output.iter().map(|path| self.format(path)).collect()
    }

    /// What is written, of a terrain of so many samples if there is one already, and where it goes; all that can be
    /// known beforehand is found in order.
    ///
    /// # Errors
    /// When something is not, or a file may not be written.
    pub fn checked_preset(&self, scene: &Scene, samples: Option<usize>) -> Result<(BuildPreset, ExportPlace), Failure> {
        let is_planet = scene.is_planet();
        if !is_planet && (self.projection == ExportProjection::Cube || self.width.is_some()) {
            return Err(usage(anyhow::anyhow!("--projection and --width are for planets; this scene is a terrain")));
        }
        let mut preset = self.build_preset(scene, &self.formats()?)?;
        preset.samples = samples.map(|samples| samples as u32).or(preset.samples);
        let place = ExportPlace { folder: self.folder(), force: self.force.is_forced() };
        export::check(&preset, scene, &place).map_err(failed)?;
        Ok((preset, place))
    }

    /// The raster format of a file; meshes, plants and the folder of a preset have none.
    fn format(&self, path: &Path) -> Result<Option<&'static RasterFormat>, Failure> {
        let is_raster = MeshFormat::for_path(path).is_none() && ScatterFormat::for_path(path).is_none();
        if !is_raster || self.preset.is_some() && !is_file(path) {
            return Ok(None);
        }
        RasterFormat::for_path(path).map(Some).map_err(usage)
    }

    /// The folder that names count from: the working folder, that of the scene for a preset of its own.
    fn folder(&self) -> PathBuf {
        let of_scene = || self.scene.path().parent().map(Path::to_path_buf).unwrap_or_default();
        if self.build.is_some() { of_scene() } else { PathBuf::new() }
    }

    fn build_preset(&self, scene: &Scene, formats: &[Option<&'static RasterFormat>]) -> Result<BuildPreset, Failure> {
        if let Some(name) = &self.build {
            let found = scene.builds.iter().find(|build| build.name == *name).cloned();
            let mut preset = found.ok_or_else(|| {
                let names: Vec<&str> = scene.builds.iter().map(|build| build.name.as_str()).collect();
                let known =
                    if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
                usage(anyhow::anyhow!("the scene has no build preset `{name}`; {known}"))
            })?;
            preset.samples = self.scene.size().map(|samples| samples as u32).or(preset.samples);
            return Ok(preset);
        }
        let mut preset = BuildPreset::default();
        if let Some(id) = &self.preset {
            preset = ExportTarget::named(id).map_err(|error| usage(anyhow::anyhow!(error)))?.preset();
            let mut folders = self.output.iter().filter(|path| !is_file(path));
            if let Some(folder) = folders.next() {
                preset.folder = folder.to_string_lossy().into_owned();
            }
            if folders.next().is_some() {
                return Err(usage(anyhow::anyhow!(
                    "--preset writes one folder; give one -o FOLDER, and files beside it"
                )));
            }
        }
        let text = |path: &Path| path.to_string_lossy().into_owned();
        for (path, format) in self.output.iter().zip(formats) {
            let (what, id) = match (format, ScatterFormat::for_path(path), MeshFormat::for_path(path)) {
                (Some(format), ..) => (self.what.to_string(), format.id),
                (None, Some(format), _) => (PLANTS.into(), format.id()),
                (None, None, Some(format)) => (MESH.into(), format.id),
                _ => continue,
            };
            preset.products.push(BuildProduct { what, format: id.into(), file: Some(text(path)) });
        }
        if preset.folder.is_empty() {
            preset.folder = new_folder(&self.output).map_or_else(String::new, |folder| text(&folder));
        }
        let first = self.output.iter().zip(formats).find_map(|(path, format)| Some((path, (*format)?)));
        if let Some((first, format)) = first {
            preset.products.extend(self.maps.iter().map(|map| product_beside(first, format, map)));
        } else if !self.maps.is_empty() {
            return Err(usage(anyhow::anyhow!("--maps takes name and format from a raster; give -o FILE.png as well")));
        }
        Ok(BuildPreset {
            samples: self.scene.size().map(|samples| samples as u32),
            height_range: self.range,
            normalised: self.normalised,
            south_first: self.south_first || preset.south_first,
            big_endian: self.big_endian,
            directx_normals: self.directx || preset.directx_normals,
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
            ..preset
        })
    }

    /// Keeps the preset in the scene file, before the others.
    fn keep(&self, job: &mut SceneJob, preset: BuildPreset, name: &str) -> CommandResult {
        // names count from the scene's folder when it is built again, so that both can be moved together
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
        let around = absolute(self.scene.path()).parent().map(Path::to_path_buf).unwrap_or_default();
        let kept = |file: String| path_from(&around, &absolute(Path::new(&file))).to_string_lossy().into_owned();
        let mut preset = BuildPreset { name: name.into(), ..preset };
        preset.folder = if preset.folder.is_empty() { String::new() } else { kept(preset.folder) };
        for product in &mut preset.products {
            product.file = product.file.take().map(kept);
        }
        let (mut scene, _) = Scene::load(self.scene.path())?;
        scene.builds.retain(|build| build.name != name);
        scene.builds.insert(0, preset);
        scene.save(self.force.target(self.scene.path()))?;
        job.scene = scene;
        Ok(())
    }
}

/// The way from one folder to a file, both absolute; the file as it is where they have nothing in common but the root.
fn path_from(folder: &Path, file: &Path) -> PathBuf {
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    if common < 2 {
        return file.into();
    }
    let up = folder.components().skip(common).map(|_| std::path::Component::ParentDir);
    let way: PathBuf = up.chain(file.components().skip(common)).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

/// The folder of the first file that is not there yet, if the one around it is: it is made with the files.
fn new_folder(files: &[PathBuf]) -> Option<PathBuf> {
    let folders = files.iter().filter_map(|file| file.parent());
    let is_new = |folder: &&Path| {
        let around = folder.parent().filter(|around| !around.as_os_str().is_empty()).unwrap_or(Path::new("."));
        !folder.as_os_str().is_empty() && !folder.exists() && around.is_dir()
    };
    folders.into_iter().find(is_new).map(Path::to_path_buf)
}

/// Whether a name is that of a file of a known format, and not of a folder.
fn is_file(path: &Path) -> bool {
    let is_mesh = MeshFormat::for_path(path).is_some() || ScatterFormat::for_path(path).is_some();
    is_mesh || RasterFormat::for_path(path).is_ok()
}

/// A file of another map beside `first`: in its format where that can hold it, or as PNG.
fn product_beside(first: &Path, format: &RasterFormat, map: &ExportMap) -> BuildProduct {
    let name = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let lower = name.to_ascii_lowercase();
    let ending =
        format.extensions.iter().find(|end| lower.ends_with(&format!(".{end}"))).map_or(0, |end| end.len() + 1);
    let stem = &name[..name.len() - ending];
    let (id, extension) = match map.nature() {
        MapNature::Scalar => (format.id, format.extension()),
        MapNature::Bits if !format.holds(SampleType::F32) => ("exr", "exr"),
        MapNature::Bits => (format.id, format.extension()),
        _ if format.holds(SampleType::U8) => (format.id, format.extension()),
        _ => ("png", "png"),
    };
    let file = first.with_file_name(format!("{stem}-{}.{extension}", map.to_string().replace(':', "-")));
    BuildProduct { what: map.to_string(), format: id.into(), file: Some(file.to_string_lossy().into_owned()) }
}

/// One line for each file.
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
        let what = if path.ends_with(READ_ME) { "the numbers to type" } else { "names and colours of the types" };
        text += &format!("{}  {what}\n", path.display());
    }
    text
}

/// What people are told of a raster.
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

//! `talweg web-map`: writes tiles for maps in browsers and for globes.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::input::SceneArgs;
use super::{CommandResult, Failure, print, print_json, usage};
use talweg::appearance::ground_colours;
use talweg::eval::MemoryUse;
use talweg::field::Control;
use talweg::io::check_new_folder;
use talweg::web_map::{GlobePyramid, MapPosition, RasterPyramid, TilePixels, WebMapError, WebMapReport};

/// Write a tile pyramid for maps in browsers or for globes
#[derive(Args)]
#[command(after_help = "\
--pixels selects the content of the tiles. All contents except quantized are images of 256 × 256 pixels in Web Mercator,
FOLDER/{z}/{x}/{y}.png, with a tiles.json:
  terrarium   heights to 1/256 m in Mapzen's encoding, for MapLibre
  mapbox      heights to 1/10 m, Terrain-RGB
  hillshade   greyscale, lit by the scene's sun
  colours     colours of the terrain
  quantized   triangles for CesiumJS, in the format quantized-mesh 1.0, with a layer.json

The folder must be new; it appears only when all tiles are written. Planets cannot be written as tiles; `talweg export`
writes them as a map.

Examples:
  talweg web-map alpine-range -o tiles --longitude 7.6 --latitude 46
  talweg web-map island -o hillshade --pixels hillshade --closest 14")]
pub struct WebMapArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// New folder to write
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Content of the tiles
    #[arg(long, value_enum, default_value_t = WebPixels::Terrarium)]
    pixels: WebPixels,
    /// Longitude of the centre of the terrain, in degrees
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    longitude: f64,
    /// Latitude of the centre of the terrain, in degrees
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    latitude: f64,
    /// Closest zoom; by default the first zoom that is as fine as the terrain
    #[arg(long, value_name = "ZOOM", value_parser = clap::value_parser!(u32).range(0..=24))]
    closest: Option<u32>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum WebPixels {
    Terrarium,
    Mapbox,
    Hillshade,
    Colours,
    Quantized,
}

/// Converts an error of a web map: a wrong position or zoom becomes a usage error.
pub fn failed_map(error: WebMapError) -> Failure {
    match error {
        WebMapError::Position(_) | WebMapError::Zoom(_) => usage(error),
        _ => Failure::Failed(error.into()),
    }
}

pub fn run(args: &WebMapArgs) -> CommandResult {
    let job = args.scene.load()?;
    if job.scene.is_planet() {
        return Err(usage(anyhow::anyhow!(
            "map tiles can only be made of terrains; export the planet as a map: talweg export SCENE -o map.tif"
        )));
    }
    check_new_folder(&args.output)?;
    let what = if args.pixels == WebPixels::Colours { MemoryUse::COLOURS } else { MemoryUse::EXPORT };
    // The heights of the coarser zooms need another third of the memory of the heights.
    let terrain = job.evaluate(&MemoryUse { fields: what.fields + 2.0, ..what })?;
    let settings = &job.scene.settings;
    let place = MapPosition { longitude: args.longitude, latitude: args.latitude };
    let (side_metres, relief_metres) = (settings.size_metres, settings.relief_metres);
    let painted = || job.pool.install(|| ground_colours(&job.scene, &terrain, &Control::default()));
    let colours = (args.pixels == WebPixels::Colours).then(painted).transpose()?;
    let n = terrain.samples();
    let index = |share: f64| (share.clamp(0.0, 1.0) * (n - 1) as f64 + 0.5) as usize;
    let colour = |u: f64, v: f64| {
        let [r, g, b, _] = colours.as_ref().map_or([0; 4], |colours| colours[index(v) * n + index(u)]);
        [r, g, b]
    };
    let report = job.with_progress(|control, _| {
        job.pool
            .install(|| {
                let pixels = match args.pixels {
                    WebPixels::Terrarium => TilePixels::Terrarium,
                    WebPixels::Mapbox => TilePixels::MapboxRgb,
                    WebPixels::Hillshade => TilePixels::Hillshade(settings.sun_direction()),
                    WebPixels::Colours => TilePixels::Colour(&colour),
                    WebPixels::Quantized => {
                        let beyond_metres = settings.sea_level;
                        let pyramid = GlobePyramid {
                            position: place,
                            side_metres,
                            relief_metres,
                            beyond_metres,
                            closest_zoom: args.closest,
                        };
                        return pyramid.write(&terrain, &args.output, control);
                    }
                };
                let pyramid =
                    RasterPyramid { pixels, position: place, side_metres, relief_metres, closest_zoom: args.closest };
                pyramid.write(&terrain, &args.output, control)
            })
            .map_err(failed_map)
    })?;
    print_pyramid(&report, &args.output, args.json)
}

/// Prints the report of a pyramid of tiles.
pub fn print_pyramid(report: &WebMapReport, folder: &Path, json: bool) -> CommandResult {
    let (first, last, tiles) = (report.zooms.start(), report.zooms.end(), report.tiles);
    if json {
        let bounds = [report.bounds.west, report.bounds.south, report.bounds.east, report.bounds.north];
        return print_json(&serde_json::json!({
            "path": folder, "zooms": [first, last], "tiles": tiles, "bounds": bounds,
        }));
    }
    print(&format!("{}  {tiles} tiles, zooms {first} to {last}\n", folder.display()))
}

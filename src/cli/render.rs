//! `talweg render`: a picture from above, or in perspective by sphere tracing.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::input::SceneArgs;
use super::trace::TraceArgs;
use super::{Failure, Outcome, print, usage};
use crate::io::check_place;
use crate::look::{heightmap, palette, palette_names, relief};

/// Draw the terrain from above as a PNG picture, or a construction in perspective
#[derive(Args)]
#[command(after_help = "\
Examples:
  talweg render alpine-range -o alps.png
  talweg render island.ron -o island.png --picture 2048 --palette tropical
  talweg render island.ron -o banner.png --width 1600 --height 400
  talweg render paper-004-fig-22-oasis -o oasis.png --sphere-trace --azimuth 200 --width 1280 --height 720")]
pub struct RenderArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Picture to write (.png)
    #[arg(short, long, value_name = "PICTURE.png")]
    output: PathBuf,
    /// Side of a square picture, in pixels
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = pixels(), conflicts_with_all = ["width", "height"])]
    picture: u32,
    /// Width in pixels; the longer side spans the terrain, the shorter one shows its middle
    #[arg(long, value_name = "N", value_parser = pixels())]
    width: Option<u32>,
    /// Height in pixels
    #[arg(long, value_name = "N", value_parser = pixels())]
    height: Option<u32>,
    /// What to draw
    #[arg(long, value_enum, default_value_t = Style::Relief, conflicts_with = "sphere_trace")]
    style: Style,
    /// Palette, in place of the scene's
    #[arg(long, value_name = "NAME")]
    palette: Option<String>,
    #[command(flatten)]
    trace: TraceArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum Style {
    /// Colours, light and shadow
    Relief,
    /// Heights as grey, black the lowest and white the highest
    Heights,
}

/// Sides of a picture.
pub fn pixels() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=16_384)
}

/// Refuses what is not a PNG file in an existing folder, before any work is done.
pub fn check_picture(path: &Path) -> Outcome {
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        return Err(usage(anyhow::anyhow!("cannot write {}: pictures are .png files", path.display())));
    }
    Ok(check_place(path)?)
}

impl RenderArgs {
    fn size(&self) -> (usize, usize) {
        let (width, height) = match (self.width, self.height) {
            (None, None) => (self.picture, self.picture),
            (width, height) => {
                let one = width.or(height).unwrap_or(self.picture);
                (width.unwrap_or(one), height.unwrap_or(one))
            }
        };
        (width as usize, height as usize)
    }
}

pub fn run(args: &RenderArgs) -> Outcome {
    check_picture(&args.output)?;
    let job = args.scene.load()?;
    let name = args.palette.as_ref().unwrap_or(&job.scene.palette);
    let palette = palette(name).ok_or_else(|| {
        usage(anyhow::anyhow!("there is no palette `{name}`; the palettes are {}", palette_names().join(", ")))
    })?;
    let (width, height) = args.size();
    if args.trace.sphere_trace {
        return super::trace::run(
            &args.trace,
            &job,
            &palette.table(&job.scene.settings),
            &args.output,
            (width, height),
        );
    }
    let terrain = job.evaluate()?;
    let settings = &job.scene.settings;
    let picture = job.pool.install(|| match args.style {
        Style::Relief => relief(&terrain, settings, &palette.table(settings), width, height),
        Style::Heights => heightmap(&terrain, width, height),
    });
    picture.save(&args.output).map_err(Failure::from)?;
    print(&format!("{}  {width} × {height} pixels\n", args.output.display()))
}

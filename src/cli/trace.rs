//! `talweg render --sphere-trace`: draws a perspective picture, traced from a construction tree.

use clap::Args;

use super::input::SceneJob;
use super::{CommandResult, Failure, print, print_message, usage};
use talweg::appearance::PaletteTable;
use talweg::appearance::pictures::traced::evaluations::{EvaluationTotals, evaluations_image};
use talweg::appearance::pictures::traced::{Camera, TracedScene, TracedView};
use talweg::construction::trace::Bound;
use talweg::construction::{Detail, Program};
use talweg::io::SaveTarget;
use talweg::io::memory::shortage;
use talweg::nodes::Node;
use talweg::nodes::generators::construction::Construction;
use talweg::scene::{Layer, Mix, Scene};

/// Default camera distance, as a multiple of the scene's side length.
const DISTANCE_SIDES: f64 = 1.25;
/// Maximum memory of a pixel in bytes. It includes two copies of the pixel's light and evaluation counts, and the
/// picture while it is written.
const PIXEL_BYTES: usize = 96;

#[derive(Args)]
#[command(next_help_heading = "Sphere tracing")]
pub struct TraceArgs {
    /// Draw in perspective, directly from the construction tree of the lowest layer; --size has no effect
    #[arg(long)]
    pub sphere_trace: bool,
    /// Position of the camera in metres: east, south, up
    #[arg(long, value_name = "X,Y,Z", value_parser = trace_point, allow_hyphen_values = true, requires = "sphere_trace", conflicts_with_all = ["azimuth", "elevation", "distance"])]
    eye: Option<TracePoint>,
    /// Point that the camera looks at, in metres: east, south, up; by default the terrain at the centre
    #[arg(long, value_name = "X,Y,Z", value_parser = trace_point, allow_hyphen_values = true, requires = "sphere_trace")]
    target: Option<TracePoint>,
    /// Direction from the target to the camera, in degrees clockwise from north
    #[arg(long, value_name = "DEG", default_value_t = 200.0, value_parser = number(-360.0, 360.0), allow_hyphen_values = true, requires = "sphere_trace")]
    azimuth: f64,
    /// Angle by which the camera looks down, in degrees
    #[arg(long, value_name = "DEG", default_value_t = 25.0, value_parser = number(-89.0, 90.0), allow_hyphen_values = true, requires = "sphere_trace")]
    elevation: f64,
    /// Distance of the camera from the target, in metres
    #[arg(long, value_name = "M", value_parser = number(0.001, 1.0e8), requires = "sphere_trace")]
    distance: Option<f64>,
    /// Vertical field of view, in degrees
    #[arg(long, value_name = "DEG", default_value_t = 40.0, value_parser = number(1.0, 170.0), requires = "sphere_trace")]
    fov: f64,
    /// Distance from the camera, in metres, at which the level of detail is halved: octaves of noise fade out, and
    /// levels of detail switch to their simple primitives; by default full detail everywhere
    #[arg(long, value_name = "M", value_parser = number(0.1, 1.0e8), requires = "sphere_trace")]
    half_detail: Option<f64>,
    /// Draw the number of evaluations of the construction tree for each pixel, and print the counts
    #[arg(long, requires = "sphere_trace")]
    evaluations: bool,
    /// Use one Lipschitz bound for the whole construction tree, for comparison
    #[arg(long, requires = "sphere_trace")]
    global_bound: bool,
    /// Use proven bounds for the next segment of a ray instead of a table; slower, for comparison
    #[arg(long, requires = "sphere_trace", conflicts_with = "global_bound")]
    local_bounds: bool,
}

/// A point in metres: east, south, up.
#[derive(Clone, Copy)]
struct TracePoint([f64; 3]);

fn trace_point(text: &str) -> Result<TracePoint, String> {
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|part| part.trim().parse().ok().filter(|v: &f64| v.is_finite())).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) => Ok(TracePoint([x, y, z])),
        _ => Err("give three numbers like 4000,7500,900: metres east, south and up".into()),
    }
}

fn number(least: f64, most: f64) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text: &str| {
        let value: Option<f64> = text.trim().parse().ok();
        value.filter(|v| (least..=most).contains(v)).ok_or(format!("give a number from {least} to {most}"))
    }
}

/// The construction of the lowest layer, and the names of the parts of the scene that the picture omits.
fn subject_of(scene: &Scene) -> Result<(&Layer, &Construction, Vec<String>), Failure> {
    // A group layer only contains other layers, so it cannot be the lowest layer.
    let is_ground = |&index: &usize| scene.is_shown(index) && scene.group(index).is_none();
    let mut shown = (0..scene.layers.len()).filter(is_ground).map(|index| &scene.layers[index]);
    let fail = |text: String| Err(usage(anyhow::anyhow!(text)));
    let Some(first) = shown.next() else {
        return fail("--sphere-trace needs a construction, but the scene shows no layer".into());
    };
    let Node::Construction(node) = &first.node else {
        return fail(format!(
            "--sphere-trace draws a construction tree, but the lowest shown layer is `{}` ({}); put a construction \
             there, or hide the layers below one",
            first.name,
            first.node.about().label
        ));
    };
    let mut left: Vec<String> = shown.map(|layer| format!("layer `{}`", layer.name)).collect();
    if first.mask.is_active() {
        left.push(format!("the mask of `{}`", first.name));
    }
    if first.mix != Mix::default() {
        left.push(format!("opacity and blend of `{}`", first.name));
    }
    Ok((first, node, left))
}

impl TraceArgs {
    fn camera(&self, scene: &Scene, program: &Program) -> Camera {
        let settings = &scene.settings;
        let (size, relief) = (f64::from(settings.size_metres), f64::from(settings.relief_metres));
        let target = self.target.map_or_else(
            || {
                let middle = 0.5 * program.side;
                let ground = program.height([middle, middle], &Detail::every(0.01 * program.side));
                [0.5 * size, 0.5 * size, ground / program.relief * relief]
            },
            |place| place.0,
        );
        match self.eye {
            Some(eye) => Camera::new(eye.0, target, self.fov),
            None => {
                let distance = self.distance.unwrap_or(DISTANCE_SIDES * size);
                Camera::orbiting(target, self.azimuth, self.elevation, distance, self.fov)
            }
        }
    }
}

pub fn run(
    args: &TraceArgs,
    job: &SceneJob,
    palette: &PaletteTable,
    output: &SaveTarget,
    size: (usize, usize),
) -> CommandResult {
    let (width, height) = size;
    if let Some(shortage) = shortage((width * height * PIXEL_BYTES) as u64) {
        return Err(Failure::Failed(anyhow::anyhow!(
            "a picture of {width} × {height} pixels {shortage}. Give a smaller size, or raise the limit with --memory"
        )));
    }
    let (layer, node, left) = subject_of(&job.scene)?;
    if !left.is_empty() && !job.quiet {
        print_message(&format!(
            "warning: the picture shows only the construction `{}`, without {}",
            layer.name,
            left.join(", ")
        ));
    }
    let program = node.program_of(job.scene.random(layer));
    if !job.quiet {
        for problem in &program.problems {
            print_message(&format!("warning: {problem}"));
        }
    }
    let (bound, heading) = match (args.global_bound, args.local_bounds) {
        (true, _) => (Bound::Global, "Evaluations, global bound"),
        (_, true) => (Bound::Local, "Evaluations, local bounds"),
        _ => (Bound::Table, "Evaluations, table of bounds"),
    };
    let subject = TracedScene {
        program: &program,
        settings: &job.scene.settings,
        palette,
        level: f64::from(node.detail),
        half_distance: args.half_detail,
        bound,
    };
    let camera = args.camera(&job.scene, &program);
    let view = TracedView::new(subject, &camera, width, height);
    let made = |width, height| format!("{}  {width} × {height} pixels\n", output.path().display());
    let per_pixel = |count: u64| count as f64 / (width * height) as f64;
    if args.evaluations {
        let (pixels, before) =
            job.with_progress(|control, show| job.pool.install(|| view.evaluations(control, show)))?;
        let counts = EvaluationTotals::total(&pixels);
        let drawn = evaluations_image(&pixels, width, height, heading);
        drawn.save(output).map_err(Failure::from)?;
        return print(&format!(
            "{}{heading}: {:.1} per pixel, at most {}; {} heights and {} bounds in all, {before} heights for the table\n",
            made(drawn.width, drawn.height),
            counts.mean(),
            counts.most,
            counts.counts.heights,
            counts.counts.bounds
        ));
    }
    let (drawn, asked) = job.with_progress(|control, show| job.pool.install(|| view.draw(control, show)))?;
    drawn.save(output).map_err(Failure::from)?;
    print(&format!(
        "{}{:.1} evaluations per pixel with shadows, sky and edges\n",
        made(width, height),
        per_pixel(asked.all())
    ))
}

//! Images of the 3D view without a window or a display.

pub mod film;
pub mod frame_costs;
pub mod frame_times;
mod holes;
mod shader_work;

use std::sync::{Arc, Mutex};

use bevy::app::{Plugins, PluginsState, TerminalCtrlCHandlerPlugin};
use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::error_handler::{RenderError, RenderErrorHandler, RenderErrorPolicy};
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::{
    CachedPipelineState, Extent3d, PipelineCache, TextureDimension, TextureFormat, TextureUsages,
};
use bevy::render::renderer::RenderAdapterInfo;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::render::{RenderApp, RenderPlugin};
use bevy::shader::ShaderCacheError;
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;

use crate::frame::graphics;
use crate::frame::launch::{AppError, guarded};
use crate::view::globe::{GlobeTerrain, PlanetView, PlannedScenery};
use crate::view::render::image_textures::read_textures;
use crate::view::{
    CompareLayout, DrawPlugin, FrameStatus, GlobeCamera, Pose, RenderQuality, RenderTerrain, SquareTerrain,
    TreeSurface, Unsupported, ViewCommand, ViewMode, ViewProjection, ViewState, camera_bundle, near_plane_world,
    place_camera, scenery,
};
use talweg::appearance::{PaletteTable, RgbImage, decode, encode};
use talweg::io::SaveTarget;

/// Contents and size of the image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShotOptions {
    pub width: u32,
    pub height: u32,
    /// Number of samples per pixel along each axis, from 1 to [`MOST_SUPERSAMPLING`].
    pub supersampling: u32,
    pub view: ShotView,
    /// Projection of a square terrain. A viewpoint that is a pose is a pose for this projection.
    pub projection: ViewProjection,
    pub mode: ViewMode,
    /// Distance from the camera, in metres, at which the level of detail κ is 0.5; see [`ViewState::half_detail`].
    pub half_detail: Option<f32>,
}

/// Upper limit of [`ShotOptions::supersampling`].
pub const MOST_SUPERSAMPLING: u32 = 4;

impl Default for ShotOptions {
    fn default() -> Self {
        let view = ShotView::Named(ViewCommand::Perspective);
        let projection = ViewProjection::Perspective;
        Self { width: 1280, height: 720, supersampling: 1, view, projection, mode: ViewMode::Shaded, half_detail: None }
    }
}

/// The viewpoint of the image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShotView {
    Named(ViewCommand),
    Pose(Pose),
}

/// Why an image could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ShotError {
    #[error(transparent)]
    Engine(#[from] AppError),
    #[error(
        "the image must be 16 to {most} pixels wide and high, including its supersampling, but is {width} × {height}"
    )]
    Size { width: u32, height: u32, most: u32 },
    #[error("supersampling must be from 1 to {MOST_SUPERSAMPLING}, not {0}")]
    Supersampling(u32),
    #[error(
        "the graphics card cannot trace this construction tree: {0}; draw it with `--mode adaptive-tessellation`, or with `talweg render --sphere-trace`"
    )]
    Untraced(&'static str),
    #[error("the view could not be drawn: {0}")]
    Draw(String),
    #[error("a texture of the ground materials cannot be used: {0}")]
    Textures(String),
    #[error(transparent)]
    Write(#[from] talweg::io::FileError),
    #[error(transparent)]
    Film(#[from] talweg::timelapse::FilmError),
    #[error(
        "a flight needs a terrain with at least two camera bookmarks; add them in the editor (View, Add camera bookmark), \
         or film a turntable"
    )]
    NoBookmarks,
}

const SMALLEST: u32 = 16;
const LARGEST: u32 = 8192;

/// Greatest number of frames to wait for shaders and uploads before the drawing fails.
const PATIENCE_FRAMES: usize = 20_000;

/// The terrain that the image shows.
pub enum ShotSubject {
    /// A square terrain and its palette. A construction tree, if given, is drawn in place of the grid.
    Terrain(Arc<SquareTerrain>, Arc<PaletteTable>, Option<Arc<TreeSurface>>),
    Planet(Arc<GlobeTerrain>, Box<PlanetView>, Box<GlobeCamera>),
}

/// How complete a written image is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShotReport {
    /// Factor by which the quads of the terrain are wider on screen than the quality asks for, because the memory for
    /// terrain tiles is limited; otherwise 1.
    pub coarsening: f32,
    /// Number of pixels that show the background although terrain is there.
    pub holes: usize,
}

impl ShotReport {
    /// Sentences about holes and about coarser terrain in the image. There are none if the image is whole.
    pub fn lacks(&self) -> Vec<String> {
        let coarse = (self.coarsening > 1.0).then(|| {
            format!(
                "The terrain is {:.1} times coarser than this picture size needs, because the memory for terrain tiles \
                 is full. Draw a smaller picture for full detail.",
                self.coarsening
            )
        });
        let holes = (self.holes > 0).then(|| format!("The picture has holes: {} pixels lack terrain.", self.holes));
        coarse.into_iter().chain(holes).collect()
    }
}

/// Draws the view of a terrain and writes it as a PNG file. Waits until everything is ready, however long the driver
/// takes. Returns how complete the image is.
///
/// # Errors
/// If the size is out of range, the graphics card cannot draw the view, or the file cannot be written.
pub fn shot(subject: &ShotSubject, options: &ShotOptions, out: impl Into<SaveTarget>) -> Result<ShotReport, ShotError> {
    let fine = supersampled_options(options)?;
    let draw = || {
        let mut renderer = OffscreenRenderer::new(&fine, RenderQuality::Still)?;
        let image = renderer.draw_image(subject)?;
        Ok::<_, ShotError>((image, renderer.coarsening(), renderer.planned()))
    };
    let (image, coarsening, planned) = guarded(draw)??;
    averaged(&image, fine.width as usize, options.supersampling as usize).save(out)?;
    // modes that trace rays have no background of their own
    let holes =
        if options.mode.traces() { 0 } else { holes::background_inside(subject, planned.as_deref(), &fine, &image) };
    Ok(ShotReport { coarsening, holes })
}

/// The options with the image size multiplied by the supersampling factor. The resulting size must be within the
/// limits.
fn supersampled_options(options: &ShotOptions) -> Result<ShotOptions, ShotError> {
    let ShotOptions { width: own_width, height: own_height, supersampling: times, .. } = *options;
    if !(1..=MOST_SUPERSAMPLING).contains(&times) {
        return Err(ShotError::Supersampling(times));
    }
    let [width, height] = [own_width, own_height].map(|pixels| pixels.saturating_mul(times));
    if own_width.min(own_height) < SMALLEST || width.max(height) > LARGEST {
        return Err(ShotError::Size { width, height, most: LARGEST });
    }
    Ok(ShotOptions { width, height, ..*options })
}

/// Averages blocks of `times` × `times` pixels in linear light. The input is RGBA, row by row from the top.
fn averaged(image: &[u8], width: usize, times: usize) -> RgbImage {
    let pixels = image.as_chunks::<4>().0;
    let mean = |x: usize, y: usize| {
        let mut sum = [0.0; 3];
        for (i, j) in (0..times).flat_map(|i| (0..times).map(move |j| (i, j))) {
            let [r, g, b, _] = pixels[(y * times + i) * width + x * times + j];
            let light = decode([r, g, b]);
            (0..3).for_each(|c| sum[c] += light[c]);
        }
        encode(sum.map(|c| c / (times * times) as f32))
    };
    let (own_width, own_height) = (width / times, pixels.len() / width / times);
    if times > 1 {
        return RgbImage::from_fn(own_width, own_height, mean);
    }
    let rgb = pixels.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect();
    RgbImage { width: own_width, height: own_height, rgb }
}

/// Draws one image and returns its RGBA pixels, row by row from the top.
#[cfg(test)]
fn render(subject: &ShotSubject, options: &ShotOptions, quality: RenderQuality) -> Result<Vec<u8>, ShotError> {
    OffscreenRenderer::new(options, quality)?.draw_image(subject)
}

/// The engine without a window, which draws images one after another.
struct OffscreenRenderer {
    app: App,
    options: ShotOptions,
    quality: RenderQuality,
    target: Handle<Image>,
    camera: Option<Entity>,
}

impl OffscreenRenderer {
    fn new(options: &ShotOptions, quality: RenderQuality) -> Result<Self, AppError> {
        Self::with_plugins(options, quality, |_: &mut App| ())
    }

    /// # Errors
    /// If no graphics system can draw.
    fn with_plugins<M>(
        options: &ShotOptions,
        quality: RenderQuality,
        others: impl Plugins<M>,
    ) -> Result<Self, AppError> {
        let settings = graphics::settings()?;
        let mut app = App::new();
        app.add_plugins(
            DefaultPlugins
                .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() })
                .set(RenderPlugin {
                    synchronous_pipeline_compilation: true,
                    render_creation: settings.into(),
                    ..default()
                })
                .disable::<TerminalCtrlCHandlerPlugin>()
                .disable::<WinitPlugin>()
                .disable::<LogPlugin>()
                .disable::<PipelinedRenderingPlugin>(),
        );
        app.insert_resource(RenderErrorHandler(on_render_error));
        app.add_plugins(DrawPlugin { quality });
        app.add_plugins(others);
        while app.plugins_state() == PluginsState::Adding {
            bevy::tasks::tick_global_task_pools_on_main_thread();
        }
        app.finish();
        app.cleanup();
        let target = app.world_mut().resource_mut::<Assets<Image>>().add(target(options));
        Ok(Self { app, options: *options, quality, target, camera: None })
    }

    /// Draws the subject from another viewpoint and returns the RGBA pixels, row by row from the top.
    fn draw_from(&mut self, subject: &ShotSubject, view: ShotView) -> Result<Vec<u8>, ShotError> {
        self.options.view = view;
        self.draw_image(subject)
    }

    /// Draws the subject and returns the RGBA pixels, row by row from the top.
    fn draw_image(&mut self, subject: &ShotSubject) -> Result<Vec<u8>, ShotError> {
        let palette = match subject {
            ShotSubject::Terrain(_, palette, _) => palette,
            ShotSubject::Planet(prepared, ..) => &prepared.palette,
        };
        read_textures(&palette.materials).map_err(ShotError::Textures)?;
        let shown = self.show(subject);
        let is_ready = |drawn: &FrameStatus| drawn.serial() == shown.serial() && drawn.is_current(&shown);
        match subject {
            ShotSubject::Terrain(..) => self.captured(is_ready, |_| false),
            ShotSubject::Planet(terrain, view, camera) => {
                // the drawn terrain may be above an eye near the surface, as long as its tiles are not known
                let mut raised: Option<GlobeCamera> = None;
                self.captured(is_ready, |app| {
                    let higher = raised.as_ref().unwrap_or(camera).raised_above(terrain, view);
                    let has_moved = higher.is_some();
                    if let Some(higher) = higher {
                        app.insert_resource(planet_scenery(&higher, terrain, view));
                        raised = Some(higher);
                    }
                    has_moved
                })
            }
        }
    }

    /// Puts the subject before the camera. Returns the wanted state of the view.
    fn show(&mut self, subject: &ShotSubject) -> ViewState {
        let Self { app, options, quality, target, camera } = self;
        if let Some(before) = camera.take() {
            app.world_mut().despawn(before);
        }
        let (terrain, tree_surface) = match subject {
            ShotSubject::Terrain(prepared, _, tree_surface) => (Some(&**prepared), tree_surface.as_deref()),
            ShotSubject::Planet(..) => (None, None),
        };
        *camera = Some(spawn_camera(app.world_mut(), terrain, tree_surface, options, *quality, target.clone()));
        let shown = match subject {
            ShotSubject::Terrain(prepared, palette, tree_surface) => ViewState {
                terrain: Some(RenderTerrain::Square(prepared.clone())),
                palette: Some(palette.clone()),
                tree_surface: tree_surface.clone(),
                projection: options.projection,
                half_detail: options.half_detail,
                ..ViewState::default()
            },
            ShotSubject::Planet(prepared, planet_view, camera) => {
                app.insert_resource(planet_scenery(camera, prepared, planet_view));
                let palette = Some(prepared.palette.clone());
                ViewState { terrain: Some(RenderTerrain::Globe(prepared.clone())), palette, ..ViewState::default() }
            }
        };
        app.insert_resource(options.mode);
        app.insert_resource(shown.clone());
        shown
    }

    /// Draws frames until one is `ready`, and returns the RGBA pixels of the next frame. `moves` may move the camera
    /// before that frame, and returns whether it did; then frames are drawn until one is ready again.
    fn captured(
        &mut self,
        ready: impl Fn(&FrameStatus) -> bool,
        mut moves: impl FnMut(&mut App) -> bool,
    ) -> Result<Vec<u8>, ShotError> {
        let Self { app, options, target, .. } = self;
        let taken: Arc<Mutex<Option<Vec<u8>>>> = Arc::default();
        let mut is_asked = false;
        for _ in 0..PATIENCE_FRAMES {
            app.update();
            if app.should_exit().is_some() {
                let failure =
                    app.world().get_resource::<DrawingFailure>().map(|DrawingFailure(failure)| failure.clone());
                return Err(ShotError::Draw(failure.unwrap_or_else(|| "the engine stopped".into())));
            }
            if let Some(image) = taken.lock().ok().and_then(|mut taken| taken.take()) {
                return Ok(image);
            }
            if let Some(error) = shader_error(app) {
                return Err(ShotError::Draw(error));
            }
            let drawn = app.world().resource::<FrameStatus>();
            if let (true, Some(unsupported)) = (options.mode.traces(), drawn.unsupported()) {
                return Err(ShotError::Untraced(match unsupported {
                    Unsupported::NoStorage => "the card has no storage buffers",
                    _ => "the construction tree is too deep or too large",
                }));
            }
            if !is_asked && ready(drawn) {
                let drawn = drawn.clone();
                if moves(app) {
                    continue;
                }
                is_asked = true;
                drawn.request_capture();
                let taken = taken.clone();
                app.world_mut().spawn(Screenshot::image(target.clone())).observe(
                    move |shot: On<ScreenshotCaptured>| {
                        if let Ok(mut taken) = taken.lock() {
                            *taken = shot.image.data.clone();
                        }
                    },
                );
            }
        }
        Err(ShotError::Draw("the shaders or the terrain did not become ready in time".into()))
    }
}

/// Why the engine has stopped.
#[derive(Resource)]
struct DrawingFailure(String);

/// Ends the drawing at the first error: a picture must not lack anything.
fn on_render_error(error: &RenderError, main_world: &mut World, _: &mut World) -> RenderErrorPolicy {
    main_world.insert_resource(DrawingFailure(graphics::drawing_failure(error)));
    main_world.write_message(AppExit::error());
    RenderErrorPolicy::StopRendering
}

/// The error of a shader that the driver rejected, if there is one. Without this check, the program would wait for the
/// shader in vain.
fn shader_error(app: &App) -> Option<String> {
    let cache = app.get_sub_app(RenderApp)?.world().get_resource::<PipelineCache>()?;
    cache.pipelines().find_map(|pipeline| match &pipeline.state {
        CachedPipelineState::Err(
            error @ (ShaderCacheError::ProcessShaderError(_) | ShaderCacheError::CreateShaderModule(_)),
        ) => Some(format!("a shader was rejected: {error}")),
        _ => None,
    })
}

fn planet_scenery(camera: &GlobeCamera, terrain: &GlobeTerrain, view: &PlanetView) -> PlannedScenery {
    PlannedScenery([Some(Arc::new(scenery(camera, terrain, view, true))), None])
}

fn target(options: &ShotOptions) -> Image {
    let size = Extent3d { width: options.width, height: options.height, depth_or_array_layers: 1 };
    let format = TextureFormat::Rgba8UnormSrgb;
    let mut image = Image::new_fill(size, TextureDimension::D2, &[0; 4], format, RenderAssetUsages::RENDER_WORLD);
    image.texture_descriptor.usage =
        TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC | TextureUsages::TEXTURE_BINDING;
    image
}

fn spawn_camera(
    world: &mut World,
    terrain: Option<&SquareTerrain>,
    tree_surface: Option<&TreeSurface>,
    options: &ShotOptions,
    quality: RenderQuality,
    target: Handle<Image>,
) -> Entity {
    let projection_of = options.projection;
    let pose = pose_of(terrain, options);
    let bundle = camera_bundle(quality, world.get_resource::<RenderAdapterInfo>());
    let mut camera = world.spawn((bundle, RenderTarget::Image(target.into())));
    let (mut transform, mut projection) = (Transform::default(), Projection::default());
    if let Some(present) = camera.get::<Projection>() {
        projection = present.clone();
    }
    let near = near_plane_world(&pose, terrain, tree_surface);
    place_camera(&pose, (near, projection_of.field_of_view()), &mut transform, &mut projection);
    camera.insert((transform, projection));
    camera.id()
}

/// The pose of the camera over a square terrain.
fn pose_of(terrain: Option<&SquareTerrain>, options: &ShotOptions) -> Pose {
    let projection = options.projection;
    let lens = CompareLayout::One.lens(Vec2::new(options.width as f32, options.height as f32), projection);
    let origin = Pose { eye_world: Vec3::ZERO, yaw: 0.0, pitch: -0.5 };
    match (options.view, terrain) {
        (ShotView::Named(command), Some(terrain)) => {
            command.pose(&origin, terrain.scale.bounds_world(), &lens, projection)
        }
        (ShotView::Pose(pose), _) => pose,
        // a named view of a planet is set by the planet's own camera
        (ShotView::Named(_), None) => origin,
    }
}

#[cfg(test)]
mod tests;

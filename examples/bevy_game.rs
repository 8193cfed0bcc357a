//! A Bevy program without an editor: reads a scene, evaluates it and shows the terrain, with the heights ready for a
//! collider.
//!
//! ```text
//! cargo run --release --example bevy_game                                   # alpine-range
//! cargo run --release --example bevy_game -- saves/island.ron --frames 300  # ends by itself
//! ```
//!
//! Drag with the left mouse button to orbit the camera, scroll to zoom. In your own game, use Talweg without its
//! editor: `talweg = "0.1"`.

#![allow(clippy::disallowed_methods, reason = "no height depends on where the camera is")]

use std::path::PathBuf;

use anyhow::{Context, bail};
use bevy::asset::RenderAssetUsages;
use bevy::color::ColorToComponents;
use bevy::input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll};
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::{
    App, AppExit, Assets, ButtonInput, Camera3d, Color, Commands, Component, DefaultPlugins, DirectionalLight,
    GlobalAmbientLight, Mesh as BevyMesh, Mesh3d, MeshMaterial3d, MessageWriter, MouseButton, PerspectiveProjection,
    PluginGroup, Projection, Res, ResMut, Resource, Single, Srgba, StandardMaterial, Startup, Time, Transform, Update,
    Vec3, Window, WindowPlugin,
};
use talweg::appearance::{PaletteTable, colours};
use talweg::eval::{Store, evaluate};
use talweg::field::{Control, Terrain};
use talweg::mesh::{Mesh, MeshExtent, MeshGround, MeshOptions, PartKind};
use talweg::scene::{Scene, example};

/// Maximum distance of the mesh from the samples, as a fraction of the side; from far away this distance is smaller
/// than a pixel.
const ERROR_OF_SIDE: f32 = 0.0002;

/// Heights in the form that physics engines expect. In Rapier (`Collider::heightfield`) and Avian, rows run along z and
/// columns along x around the origin; for an engine whose list is column by column, transpose the list.
#[derive(Resource, Clone, Debug)]
pub struct Heightfield {
    /// Samples per row, and number of rows.
    pub samples: usize,
    /// Heights in metres, row by row from the north (smallest z), each row from the west (smallest x).
    pub metres: Vec<f32>,
    /// Scale in x, y and z of a heightfield whose side length is 1 before scaling and whose heights are in metres.
    pub scale: Vec3,
}

impl Heightfield {
    fn new(terrain: &Terrain, relief_metres: f32, side_metres: f32) -> Self {
        Self {
            samples: terrain.samples(),
            metres: terrain.height.iter().map(|height| height * relief_metres).collect(),
            scale: Vec3::new(side_metres, 1.0, side_metres),
        }
    }

    /// Height in metres at a position, interpolated bilinearly, for example for a walking character.
    pub fn height(&self, x: f32, z: f32) -> f32 {
        let last = (self.samples - 1) as f32;
        let along = |place: f32, side: f32| ((place / side + 0.5) * last).clamp(0.0, last);
        let (column, row) = (along(x, self.scale.x), along(z, self.scale.z));
        let (j, i) = ((column as usize).min(self.samples - 2), (row as usize).min(self.samples - 2));
        let (right, down) = (column - j as f32, row - i as f32);
        let at = |i: usize, j: usize| self.metres[i * self.samples + j];
        let north = at(i, j) + (at(i, j + 1) - at(i, j)) * right;
        let south = at(i + 1, j) + (at(i + 1, j + 1) - at(i + 1, j)) * right;
        north + (south - north) * down
    }
}

/// The terrain to show.
#[derive(Resource)]
struct Landscape {
    mesh: Mesh,
    scene: Scene,
}

/// Number of frames after which the program ends.
#[derive(Resource)]
struct FramesLeft(Option<u32>);

/// A camera that orbits the centre of the terrain.
#[derive(Component)]
struct OrbitCamera {
    /// Angle of the camera around the vertical axis, in radians. The next field is the angle above the horizon.
    turn: f32,
    rise: f32,
    /// Distance from the centre in metres.
    distance: f32,
    middle: Vec3,
}

fn main() -> anyhow::Result<()> {
    let (mut file, mut frames) = (None, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--frames" => {
                let count = words.next().context("--frames needs a number")?;
                frames = Some(count.parse().with_context(|| format!("`{count}` is not a number of frames"))?);
            }
            _ if word.starts_with('-') => bail!("unknown option {word}; usage: bevy_game [SCENE.ron] [--frames N]"),
            _ => file = Some(PathBuf::from(word)),
        }
    }
    let scene = match &file {
        Some(file) => {
            let (scene, warnings) = Scene::load(file)?;
            warnings.iter().for_each(|warning| eprintln!("{}", warning.0));
            scene
        }
        None => example("alpine-range").context("the shipped scene is missing")?.scene.clone(),
    };
    let settings = scene.settings.clone();
    if settings.is_planet() {
        bail!("this program shows square terrains only; Mesh::from_terrain also makes meshes of planets");
    }
    let samples = (settings.resolution as usize).min(1025);
    println!("evaluating {samples} × {samples} samples");
    let evaluated = evaluate(&scene, samples, None, &mut Store::forgetful(), &Control::default())?;
    let terrain = &evaluated.terrain;

    let painted = painted(&scene, terrain);
    let colour = |k: usize| painted[k];
    let ground = MeshGround {
        extent: MeshExtent::Side(settings.size_metres),
        relief_metres: settings.relief_metres,
        sea_metres: Some(settings.sea_level),
        colour: Some(&colour),
    };
    let options =
        MeshOptions { error_metres: Some(settings.size_metres * ERROR_OF_SIDE), uvs: false, ..MeshOptions::default() };
    let mesh = Mesh::from_terrain(terrain, &ground, &options, &Control::default())?;
    println!("{} triangles; a mesh of all samples has {}", mesh.triangle_count(), 2 * (samples - 1) * (samples - 1));

    let window = Window { title: "Talweg in a game".into(), ..Window::default() };
    App::new()
        .add_plugins(DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..WindowPlugin::default() }))
        .insert_resource(Heightfield::new(terrain, settings.relief_metres, settings.size_metres))
        .insert_resource(Landscape { mesh, scene })
        .insert_resource(FramesLeft(frames))
        .insert_resource(GlobalAmbientLight { brightness: 300.0, ..GlobalAmbientLight::default() })
        .add_systems(Startup, set_up)
        .add_systems(Update, (orbit, end))
        .run();
    Ok(())
}

/// The colour of every sample, from the biome table of the scene or from its palette.
fn painted(scene: &Scene, terrain: &Terrain) -> Vec<[u8; 3]> {
    if let Ok(Some(colours)) = colours(terrain, scene, &Control::default()) {
        return colours.iter().map(|&[r, g, b, _]| [r, g, b]).collect();
    }
    let table = PaletteTable::for_scene(scene);
    let last = table.lut.len() - 1;
    let of_height = |height: &f32| {
        let place = PaletteTable::lut_index(&scene.settings, height * scene.settings.relief_metres);
        let [r, g, b, _] = table.lut[((place + 0.5) as usize).min(last)];
        [r, g, b]
    };
    terrain.height.iter().map(of_height).collect()
}

/// Converts a part of a mesh to a Bevy mesh.
fn drawn(mesh: &Mesh, kind: PartKind) -> Option<BevyMesh> {
    let part = mesh.part(kind)?;
    let range = part.vertices.start as usize..part.vertices.end as usize;
    let colours = mesh.colours.as_ref().map(|colours| {
        let linear = |&[r, g, b]: &[u8; 3]| Color::from(Srgba::rgb_u8(r, g, b)).to_linear().to_f32_array();
        colours[range.clone()].iter().map(linear).collect::<Vec<[f32; 4]>>()
    });
    let indices = part.triangles.iter().flatten().map(|k| k - part.vertices.start).collect();
    let mut drawn = BevyMesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(BevyMesh::ATTRIBUTE_POSITION, mesh.positions[range.clone()].to_vec())
        .with_inserted_attribute(BevyMesh::ATTRIBUTE_NORMAL, mesh.normals[range].to_vec())
        .with_inserted_indices(Indices::U32(indices));
    if let Some(colours) = colours.filter(|_| kind != PartKind::Water) {
        drawn.insert_attribute(BevyMesh::ATTRIBUTE_COLOR, colours);
    }
    Some(drawn)
}

fn set_up(
    mut commands: Commands,
    mut meshes: ResMut<Assets<BevyMesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    landscape: Res<Landscape>,
    heightfield: Res<Heightfield>,
) {
    let rough = StandardMaterial { perceptual_roughness: 1.0, reflectance: 0.1, ..StandardMaterial::default() };
    let water = StandardMaterial {
        base_color: Color::srgb(0.12, 0.3, 0.42),
        perceptual_roughness: 0.15,
        ..StandardMaterial::default()
    };
    for (kind, material) in [(PartKind::Ground, rough), (PartKind::Water, water)] {
        if let Some(mesh) = drawn(&landscape.mesh, kind) {
            commands.spawn((Mesh3d(meshes.add(mesh)), MeshMaterial3d(materials.add(material))));
        }
    }
    let settings = &landscape.scene.settings;
    let sun = Vec3::from_array(settings.sun_direction());
    let light = DirectionalLight { illuminance: 9000.0, ..DirectionalLight::default() };
    commands.spawn((light, Transform::from_translation(sun).looking_at(Vec3::ZERO, Vec3::Y)));
    let side = settings.size_metres;
    let middle = Vec3::new(0.0, heightfield.height(0.0, 0.0), 0.0);
    let far = PerspectiveProjection { near: side * 1e-4, far: side * 10.0, ..PerspectiveProjection::default() };
    commands.spawn((
        Camera3d::default(),
        Projection::Perspective(far),
        Transform::default(),
        OrbitCamera { turn: 0.6, rise: 0.5, distance: side, middle },
    ));
}

/// Orbits the camera slowly by itself, or as the user drags the mouse.
fn orbit(
    time: Res<Time>,
    buttons: Res<ButtonInput<MouseButton>>,
    motion: Res<AccumulatedMouseMotion>,
    scroll: Res<AccumulatedMouseScroll>,
    camera: Single<(&mut OrbitCamera, &mut Transform)>,
) {
    let (mut camera, mut place) = camera.into_inner();
    if buttons.pressed(MouseButton::Left) {
        camera.turn -= motion.delta.x * 0.005;
        camera.rise = (camera.rise + motion.delta.y * 0.005).clamp(0.05, 1.5);
    } else {
        camera.turn += time.delta_secs() * 0.1;
    }
    camera.distance *= (-scroll.delta.y * 0.1).clamp(-1.0, 1.0).exp();
    let level = camera.rise.cos();
    let towards = Vec3::new(camera.turn.sin() * level, camera.rise.sin(), camera.turn.cos() * level);
    *place = Transform::from_translation(camera.middle + towards * camera.distance).looking_at(camera.middle, Vec3::Y);
}

fn end(mut left: ResMut<FramesLeft>, mut exit: MessageWriter<AppExit>) {
    if let Some(frames) = &mut left.0 {
        if *frames == 0 {
            exit.write(AppExit::Success);
        }
        *frames = frames.saturating_sub(1);
    }
}

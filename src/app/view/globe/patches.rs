//! The patches of terrain and clouds that the camera sees.

use bytemuck::{Pod, Zeroable};
use glam::DVec3;

use super::frame::GlobeEye;
use super::lod::{GlobeCulling, GlobeLodRange, GlobePatch, select};
use super::scenery::Scenery;
use super::terrain::GlobeTerrain;
use super::tiles::{FineTerrain, PatchTiles, needed_tiles};
use crate::view::render::mesh::PatchDetail;
use talweg::preferences::PlanetProjection;

/// Two limits for a globe without fine terrain. The limits are the greatest number of quads per cell side, and the side
/// length of the smallest quad in metres.
const QUADS_PER_CELL: f64 = 16.0;
const SMALLEST_BARE_METRES: f64 = 25.0;
/// Side length of the smallest quad of a globe with fine terrain, in metres.
const SMALLEST_QUAD_METRES: f64 = 3.0;
/// Quad size of clouds as a fraction of the radius. Clouds have no relief, so larger quads still look round.
const CLOUD_QUAD: f64 = 0.002;

/// A patch in the form that the shader reads; mirrors `PatchInstance` in globe.wgsl.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct GlobePatchInstance {
    tile: [u32; 4],
    /// Position of the patch's centre on the sphere, relative to the eye. The last value is the tangent coordinate of
    /// the centre along the rows of the face.
    centre: [f32; 4],
    /// Direction of the patch's centre minus direction of the eye. The last value is the tangent coordinate of the
    /// centre along the columns of the face.
    aside: [f32; 4],
    tiles: [[f32; 4]; 2],
    /// Depth of the skirts in metres, without exaggeration.
    skirt_metres: f32,
}

impl GlobePatchInstance {
    /// Instance data of a patch on a sphere of this radius.
    pub fn new(patch: &GlobePatch, tiles: PatchTiles, radius: f64, eye: DVec3) -> Self {
        let centre = patch.direction(0.5, 0.5);
        let (u, v) = patch.face_position(0.5, 0.5);
        let tangent = |x: f64| ((2.0 * x - 1.0) * std::f64::consts::FRAC_PI_4).tan();
        let with = |at: DVec3, w: f64| at.extend(w).as_vec4().to_array();
        Self {
            tile: [patch.face, patch.level, patch.column, patch.row],
            centre: with(centre * radius - eye, tangent(u)),
            aside: with(centre - eye.normalize_or(DVec3::X), tangent(v)),
            tiles: [tiles.own, tiles.coarse],
            skirt_metres: tiles.skirt_metres,
        }
    }
}

/// The visible patches of the terrain and of the clouds.
pub struct PatchPlan {
    pub range: GlobeLodRange,
    pub ground: Vec<GlobePatch>,
    /// The tiles of fine terrain that the ground patches need, coarse tiles first.
    pub tiles: Vec<GlobePatch>,
    /// Factor by which quads are wider on screen than the quality asks for, so that the tiles fit into the memory of
    /// the tiles.
    pub coarsening: f64,
    pub clouds: Vec<GlobePatch>,
    /// Radius of the cloud layer in metres.
    pub shell: f64,
}

impl PatchPlan {
    /// The instances of the terrain patches with their tiles, followed by the instances of the cloud patches.
    pub fn instances(&self, tiles: Vec<PatchTiles>, radius: f64, eye: DVec3) -> Vec<GlobePatchInstance> {
        let ground = self.ground.iter().zip(tiles);
        let ground = ground.map(|(patch, tiles)| GlobePatchInstance::new(patch, tiles, radius, eye));
        let clouds = self.clouds.iter();
        let clouds = clouds.map(|patch| GlobePatchInstance::new(patch, PatchTiles::default(), self.shell, eye));
        ground.chain(clouds).collect()
    }

    /// Selects the patches that the camera sees in its pane. The patches need at most `room` tiles of fine terrain. If
    /// patches of the wanted size would need more tiles, all patches are larger, because a missing tile would leave a
    /// step in the terrain.
    pub fn new(terrain: &GlobeTerrain, scenery: &Scenery, detail: PatchDetail, view: &GlobeEye, room: usize) -> Self {
        let exaggeration = f64::from(scenery.view.exaggeration);
        let ground = terrain.ground(exaggeration, &scenery.view, scenery.water);
        let eye = scenery.eye;
        let cell = ground.radius * std::f64::consts::FRAC_PI_2 / (terrain.terrain.samples() - 1) as f64;
        let quad_radians = f64::from(detail.quad_pixels) * view.radians_per_pixel / finer_for(detail, exaggeration);
        let finest = match ground.detail {
            Some(_) => SMALLEST_QUAD_METRES,
            None => (cell / QUADS_PER_CELL).max(SMALLEST_BARE_METRES),
        };
        let level = ground.surface(eye);
        let range = GlobeLodRange::new(eye, level, detail.quads, quad_radians, finest.min(cell.max(1e-3)));
        let mut plan = Self {
            range,
            ground: Vec::new(),
            tiles: Vec::new(),
            coarsening: 1.0,
            clouds: Vec::new(),
            shell: ground.radius,
        };
        if scenery.projection == PlanetProjection::Map {
            return plan;
        }
        let known = ground.detail.map(|(detail, times)| known_heights(detail, times));
        let mut culling = culling_of(terrain, scenery, view);
        culling.known = known.as_ref().map(|known| known as _);
        plan.ground = select(&range, Some(&culling));
        if let Some((fine, _)) = ground.detail {
            plan.fit(&culling, fine.first_level(), room);
        }
        let range = plan.range;
        let solid = culling.solid;
        if let Some(shell) = scenery.cloud_shell(terrain) {
            let mut culling = GlobeCulling::new(&terrain.bounds, (shell, 0.0, 0.0), eye, view.pane_from_rel);
            culling.solid = solid;
            // the shader uses the same ranges and the same measure of distance
            let range = GlobeLodRange {
                finest: GlobeLodRange::new(eye, shell, detail.quads, quad_radians, CLOUD_QUAD * shell).finest,
                ..range
            };
            (plan.clouds, plan.shell) = (select(&range, Some(&culling)), shell);
        }
        plan
    }

    /// Enlarges the patches until their tiles, which start at level `first`, are at most `room`.
    fn fit(&mut self, culling: &GlobeCulling, first: u32, room: usize) {
        let wanted = self.range;
        self.tiles = needed_tiles(&self.ground, first);
        while self.tiles.len() > room.max(1) && self.range.finest > 0 {
            // the number of tiles falls with the square of the factor
            self.coarsening *= (self.tiles.len() as f64 / room.max(1) as f64).sqrt().clamp(1.03, 2.0);
            self.range = wanted.coarsened(self.coarsening);
            self.ground = select(&self.range, Some(culling));
            self.tiles = needed_tiles(&self.ground, first);
        }
    }
}

/// Factor by which quads are narrower on exaggerated relief, which would otherwise be drawn too coarsely. A software
/// renderer is too slow for narrower quads.
fn finer_for(detail: PatchDetail, exaggeration: f64) -> f64 {
    if detail == PatchDetail::FRUGAL { 1.0 } else { exaggeration.clamp(1.0, 2.0) }
}

/// Culling for the globe as it is currently drawn.
pub fn culling_of<'a>(terrain: &'a GlobeTerrain, scenery: &Scenery, view: &GlobeEye) -> GlobeCulling<'a> {
    let ground = terrain.ground(f64::from(scenery.view.exaggeration), &scenery.view, scenery.water);
    let floor = ground.sea.map_or(ground.range.0, |sea| sea.max(ground.range.0));
    let heights = (ground.radius, ground.relief, floor);
    let mut culling = GlobeCulling::new(&terrain.bounds, heights, scenery.eye, view.pane_from_rel);
    culling.slack = ground.slack();
    culling
}

/// Whether sunlight can be computed per vertex instead of per pixel. The computation per vertex requires quads narrower
/// than the sample spacing everywhere in view. `quad_radians` is the greatest angle of a quad in the image.
pub fn has_sun_by_vertex(terrain: &GlobeTerrain, scenery: &Scenery, quad_radians: f64) -> bool {
    if scenery.projection == PlanetProjection::Map {
        return false;
    }
    let ground = terrain.ground(f64::from(scenery.view.exaggeration), &scenery.view, scenery.water);
    let sea_radius = ground.radius + ground.range.0;
    let horizon = |from: f64| (from * from - sea_radius * sea_radius).max(0.0).sqrt();
    let farthest = horizon(scenery.eye.length()) + horizon(ground.radius + ground.range.1);
    let cell = ground.radius * std::f64::consts::FRAC_PI_2 / (terrain.terrain.samples() - 1) as f64;
    2.0 * farthest * quad_radians < cell
}

/// Returns a function for the drawn height range of a patch in metres, from the tiles on the graphics card.
pub fn known_heights(detail: &FineTerrain, exaggeration: f64) -> impl Fn(GlobePatch) -> Option<(f64, f64)> + use<> {
    let ranges = detail.ranges();
    move |patch| {
        let (low, high) = ranges(patch)?;
        Some((low * exaggeration, high * exaggeration))
    }
}

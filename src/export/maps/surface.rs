//! What follows from heights alone: slope, curvature, normals, share of the sky.

use super::layout::PixelLayout;
use super::{ExportMap, MapNature, MapSheet};
use crate::appearance::planet_normals;
use crate::field::{Globe, Terrain, globe_slope_degrees, gradient, slope_degrees};
use crate::scene::Scene;

/// Slope in degrees, by central differences.
pub(super) fn slope<'a>(scene: &'a Scene, terrain: &'a Terrain) -> Box<dyn Fn(usize) -> f32 + Send + Sync + 'a> {
    let (grid, n) = (terrain.grid, terrain.samples());
    let relief = scene.settings.relief_metres;
    if grid.is_globe() {
        let globe = Globe::new(n);
        let steepness = relief / scene.planet.radius_metres;
        return Box::new(move |k| globe_slope_degrees(&globe, &terrain.height, k, steepness));
    }
    let steepness = scene.settings.relief_over_size();
    Box::new(move |k| slope_degrees(grid, &terrain.height, k / n, k % n, steepness))
}

/// Mean curvature of a square in 1/m, above 0 where the ground is convex, and 0 along open edges:
/// H = -((1 + q²) r - 2 p q s + (1 + p²) t) / (2 (1 + p² + q²)^(3/2)), with p = ∂z/∂x, q = ∂z/∂y, r = ∂²z/∂x²,
/// s = ∂²z/∂x∂y, t = ∂²z/∂y², by differences of 3 × 3 samples (Evans 1980; Florinsky 1998).
pub(super) fn curvature<'a>(scene: &'a Scene, terrain: &'a Terrain) -> impl Fn(usize) -> f32 + Send + Sync + 'a {
    let (grid, n) = (terrain.grid, terrain.samples());
    let relief = scene.settings.relief_metres;
    let cell = scene.settings.size_metres * grid.cell();
    move |k| {
        let (row, column) = (k / n, k % n);
        let around = |place: usize| Some([grid.previous(place)?, place, grid.next(place)?]);
        let (Some(rows), Some(columns)) = (around(row), around(column)) else { return 0.0 };
        let at = |down: i32, right: i32| {
            terrain.height[rows[(down + 1) as usize] * n + columns[(right + 1) as usize]] * relief
        };
        let here = at(0, 0);
        let p = (at(0, 1) - at(0, -1)) / (2.0 * cell);
        let q = (at(1, 0) - at(-1, 0)) / (2.0 * cell);
        let r = (at(0, 1) - 2.0 * here + at(0, -1)) / (cell * cell);
        let t = (at(1, 0) - 2.0 * here + at(-1, 0)) / (cell * cell);
        let s = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4.0 * cell * cell);
        let length = 1.0 + p * p + q * q;
        -((1.0 + q * q) * r - 2.0 * p * q * s + (1.0 + p * p) * t) / (2.0 * length * length.sqrt())
    }
}

/// Directions of the ground: east, north and up from -1 to 1; on faces of a cube along columns, against rows and up.
pub(super) fn normals<'a>(scene: &'a Scene, terrain: &'a Terrain, layout: &'a PixelLayout) -> MapSheet<'a> {
    let at: super::NumberAt<'a> = if terrain.grid.is_globe() {
        let picture = planet_normals(scene, terrain, layout.planet);
        Box::new(move |row, column, channel| {
            f32::from(picture.rgb[(row * picture.width + column) * 3 + channel]) / 127.5 - 1.0
        })
    } else {
        let steepness = scene.settings.relief_over_size();
        Box::new(move |row, column, channel| {
            normal(gradient(terrain.grid, &terrain.height, row, column), steepness)[channel]
        })
    };
    normal_sheet(at)
}

/// East, north and up of the ground of a square where heights rise by a gradient to the east and to the south.
pub(super) fn normal((east, south): (f32, f32), steepness: f32) -> [f32; 3] {
    let (x, y) = (-east * steepness, south * steepness);
    let length = (x * x + y * y + 1.0).sqrt();
    [x, y, 1.0].map(|part| part / length)
}

pub(super) fn normal_sheet(at: super::NumberAt) -> MapSheet {
    MapSheet {
        label: ExportMap::Normals.to_string(),
        nature: MapNature::Vector,
        unit: "",
        channels: 3,
        range: (-1.0, 1.0),
        legend: Vec::new(),
        at,
    }
}

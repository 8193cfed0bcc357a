//! Selects the patches to draw from the quadtree of a square: fine near the eye, coarse far from the eye.
//!
//! The scheme comes from Strugar, "Continuous Distance-Dependent Level of Detail" (2009). A patch of level `l` has
//! `quads` × `quads` quads of 2^l cells. A patch is split if it is nearer to the eye than the range of the next finer
//! level. Its vertices morph to the vertices of level `l + 1` before they reach the range of their own level. If the
//! finest range exceeds `MIN_RANGE_PATCHES` patches, neighbours differ by at most one level. A patch then meets a
//! coarser patch only where it has morphed into the coarser shape. So there are no cracks. Distances combine the
//! horizontal distance with the height of the eye over the highest peak, so that these rules hold for any relief.

use glam::{Vec2, Vec3};

use super::bounds::{GridBounds, TILE_CELLS};
use crate::view::render::frustum::Frustum;
use crate::view::render::mesh::PatchDetail;
use crate::view::scale::{SIDE_WORLD, WorldScale};

/// Fraction of the range of a level at which its vertices begin to morph.
pub const MORPH_START: f32 = 0.85;

/// Smallest range of the finest level, as a multiple of the side length of its patches. The value ensures that (2 ·
/// MORPH_START - 1) · range is greater than 2 √2 sides.
const MIN_RANGE_PATCHES: f32 = 4.1;

/// The eye, and the distances up to which each level of detail is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LodRange {
    /// Horizontal position of the eye (x, z).
    pub eye_world: Vec2,
    /// Height of the eye over the highest peak; 0 if the eye is below the peak.
    pub over_world: f32,
    /// Distance up to which the finest level is drawn. Each coarser level is drawn up to twice the distance of the
    /// previous level.
    pub finest_world: f32,
    /// The level whose single patch is the whole terrain. This patch does not morph.
    pub top: u32,
}

impl LodRange {
    pub fn new(scale: &WorldScale, detail: PatchDetail, eye_world: Vec3, pixels_per_radian: f32) -> Self {
        let patch_world = detail.quads as f32 * scale.cell_world;
        let wanted = scale.cell_world * pixels_per_radian / detail.quad_pixels;
        let patches = (scale.samples - 1).div_ceil(detail.quads as usize);
        Self {
            eye_world: Vec2::new(eye_world.x, eye_world.z),
            over_world: (eye_world.y - scale.highest_world).max(0.0),
            finest_world: wanted.max(MIN_RANGE_PATCHES * patch_world),
            top: patches.next_power_of_two().trailing_zeros(),
        }
    }

    /// Distance from the eye to the nearest point of the rectangle between two corners.
    fn distance_world(&self, low: Vec2, high: Vec2) -> f32 {
        let nearest = self.eye_world.clamp(low, high);
        (nearest.distance_squared(self.eye_world) + self.over_world * self.over_world).sqrt()
    }
}

/// A patch to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridPatch {
    /// Position of the patch's north-west corner, in cells.
    pub column: u32,
    pub row: u32,
    pub level: u32,
}

/// The patches to draw. Exactly one patch contains each visible point of the terrain. Patches that hide others come
/// first, because a graphics card does not shade hidden pixels.
pub fn select(
    scale: &WorldScale,
    bounds: &GridBounds,
    detail: PatchDetail,
    range: &LodRange,
    view: Option<&Frustum>,
) -> Vec<GridPatch> {
    let mut out = Vec::with_capacity(256);
    let walk = Walk { scale, bounds, detail, range, view };
    walk.node(range.top, 0, 0, &mut out);
    out
}

struct Walk<'a> {
    scale: &'a WorldScale,
    bounds: &'a GridBounds,
    detail: PatchDetail,
    range: &'a LodRange,
    view: Option<&'a Frustum>,
}

impl Walk<'_> {
    /// Selects patches within one quadtree node. `row` and `column` count the nodes of `level`.
    fn node(&self, level: u32, row: usize, column: usize, out: &mut Vec<GridPatch>) {
        let quads = self.detail.quads as usize;
        let tile_level = level as usize + (quads / TILE_CELLS).trailing_zeros() as usize;
        let Some((lowest, highest)) = self.bounds.range(tile_level, row, column) else { return };
        let cells = quads << level;
        let last = self.scale.samples - 1;
        let corner = |row: usize, column: usize| {
            Vec2::new(column.min(last) as f32, row.min(last) as f32) * self.scale.cell_world - 0.5 * SIDE_WORLD
        };
        let (low, high) = (corner(row * cells, column * cells), corner((row + 1) * cells, (column + 1) * cells));
        if let Some(view) = self.view {
            let on_border = row == 0 || column == 0 || (row + 1) * cells >= last || (column + 1) * cells >= last;
            let (mut bottom, mut top) = (lowest * self.scale.relief_world, highest * self.scale.relief_world);
            top += self.scale.surface_water_world;
            if on_border {
                (bottom, top) = (self.scale.base_world, top.max(self.scale.sea_world));
            }
            bottom -= view.slack_world.0;
            top += view.slack_world.1;
            if !view.meets(Vec3::new(low.x, bottom, low.y), Vec3::new(high.x, top, high.y)) {
                return;
            }
        }
        if level > 0 && self.range.distance_world(low, high) < self.range.finest_world * (1 << (level - 1)) as f32 {
            // visit the quarter that contains the eye first and the opposite quarter last
            let middle = corner((2 * row + 1) * (cells / 2), (2 * column + 1) * (cells / 2));
            let [first_row, first_column] =
                [self.range.eye_world.y >= middle.y, self.range.eye_world.x >= middle.x].map(usize::from);
            for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                self.node(level - 1, 2 * row + (i ^ first_row), 2 * column + (j ^ first_column), out);
            }
        } else {
            out.push(GridPatch { column: (column * cells) as u32, row: (row * cells) as u32, level });
        }
    }
}

/// A side wall of the terrain block. The shaders use the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideKind {
    North,
    East,
    South,
    West,
}

/// The side walls of the block that a patch touches.
pub fn sides_of(patch: GridPatch, quads: u32, samples: usize) -> impl Iterator<Item = SideKind> {
    let (cells, last) = (quads << patch.level, samples as u32 - 1);
    [
        (patch.row == 0, SideKind::North),
        (patch.column + cells >= last, SideKind::East),
        (patch.row + cells >= last, SideKind::South),
        (patch.column == 0, SideKind::West),
    ]
    .into_iter()
    .filter_map(|(lies, side)| lies.then_some(side))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Mat4;
    use talweg::field::{Edges, Stream, Terrain};
    use talweg::scene::Settings;

    fn scenes() -> impl Iterator<Item = (WorldScale, GridBounds, PatchDetail, LodRange)> {
        let draw = Stream::new(3, 9);
        [2, 33, 100, 257, 513, 1000].into_iter().flat_map(move |samples| {
            let terrain = Terrain::from_fn(samples, Edges::Open, |u, v| (u * 9.0).sin() * (v * 7.0).cos());
            let (scale, bounds) = (WorldScale::new(&terrain, &Settings::default()), GridBounds::new(&terrain));
            (0..20).map(move |k| {
                let r = |axis| draw.signed(k, axis);
                let eye = Vec3::new(900.0 * r(0), 300.0 + 500.0 * r(1), 900.0 * r(2));
                let detail = [PatchDetail::FINE, PatchDetail::FRUGAL][(k % 2) as usize];
                (scale, bounds.clone(), detail, LodRange::new(&scale, detail, eye, 600.0))
            })
        })
    }

    /// The level drawn at every cell; `None` where no patch is drawn.
    fn paint(scale: &WorldScale, detail: PatchDetail, patches: &[GridPatch]) -> Vec<Option<u32>> {
        let cells = scale.samples - 1;
        let mut painted = vec![None; cells * cells];
        for patch in patches {
            let side = (detail.quads << patch.level) as usize;
            for row in patch.row as usize..(patch.row as usize + side).min(cells) {
                for column in patch.column as usize..(patch.column as usize + side).min(cells) {
                    assert_eq!(painted[row * cells + column].replace(patch.level), None, "drawn twice");
                }
            }
        }
        painted
    }

    #[test]
    fn cells_are_drawn_once_and_neighbours_differ_by_one_level() {
        for (scale, bounds, detail, range) in scenes() {
            let patches = select(&scale, &bounds, detail, &range, None);
            let painted = paint(&scale, detail, &patches);
            let cells = scale.samples - 1;
            for k in 0..cells * cells {
                let level = painted[k].expect("every cell is drawn");
                let beside = [(k % cells + 1 < cells).then(|| k + 1), (k + cells < cells * cells).then(|| k + cells)];
                for other in beside.into_iter().flatten().filter_map(|other| painted[other]) {
                    assert!(level.abs_diff(other) <= 1, "levels {level} and {other} meet");
                }
            }
        }
    }

    /// In plan view, the patches along every line away from the eye must be in near-to-far order.
    #[test]
    fn patches_come_from_near_to_far() {
        for (scale, bounds, detail, range) in scenes() {
            let patches = select(&scale, &bounds, detail, &range, None);
            let patch_at = |place: Vec2| {
                let cell = (place + 0.5 * SIDE_WORLD) / scale.cell_world;
                let is_in = |patch: &GridPatch| {
                    let side = (detail.quads << patch.level) as f32;
                    let within = cell - Vec2::new(patch.column as f32, patch.row as f32);
                    within.cmpge(Vec2::ZERO).all() && within.cmplt(Vec2::splat(side)).all()
                };
                let is_on_terrain = cell.cmpge(Vec2::ZERO).all() && cell.max_element() < (scale.samples - 1) as f32;
                patches.iter().position(is_in).filter(|_| is_on_terrain)
            };
            for turn in 0..12 {
                let ahead = Vec2::from_angle(0.1 + turn as f32 * 0.52);
                let along: Vec<usize> =
                    (0..150).filter_map(|k| patch_at(range.eye_world + ahead * (k as f32 * 17.0))).collect();
                assert!(along.is_sorted(), "{along:?}");
            }
        }
    }

    /// Where two levels meet, the finer level has morphed fully and the coarser level has not begun to morph.
    #[test]
    fn levels_share_the_shape_of_their_edge() {
        for (scale, bounds, detail, range) in scenes() {
            let painted = paint(&scale, detail, &select(&scale, &bounds, detail, &range, None));
            let cells = scale.samples - 1;
            for k in (0..cells * cells).filter(|k| k % cells + 1 < cells) {
                let (Some(a), Some(b)) = (painted[k], painted[k + 1]) else { continue };
                if a == b {
                    continue;
                }
                let vertex =
                    Vec2::new((k % cells + 1) as f32, (k / cells) as f32) * scale.cell_world - 0.5 * SIDE_WORLD;
                let distance = range.distance_world(vertex, vertex);
                let fine = range.finest_world * (1 << a.min(b)) as f32;
                assert!(distance >= fine * 0.9999, "{distance} < {fine}");
                assert!(distance <= 2.0 * fine * MORPH_START, "{distance} too far for the coarse patch");
            }
        }
    }

    /// A flight around a terrain, from 10,000 km above it down to the eye level of a person, at three picture sizes.
    #[test]
    fn flights_around_a_terrain_are_whole_at_every_size() {
        use crate::view::lens::FIELD_OF_VIEW;
        use crate::view::square::pick::GridPicker;

        let terrain = Terrain::from_fn(513, Edges::Open, |u, v| 0.3 + 0.2 * (u * 31.0).sin() * (v * 27.0).cos());
        let settings = Settings { size_metres: 10_000.0, relief_metres: 2000.0, ..Settings::default() };
        let (scale, bounds) = (WorldScale::new(&terrain, &settings), GridBounds::new(&terrain));
        let picker = GridPicker { terrain: &terrain, scale: &scale, bounds: &bounds };
        let (cells, steps) = (scale.samples - 1, 24);
        let mut hits = 0;
        for (width, height) in [(480.0, 270.0), (1280.0, 720.0), (3840.0, 2160.0f32)] {
            let tangent = (0.5 * FIELD_OF_VIEW).tan();
            for k in 0..=steps {
                let above = 1e7 * (1.7e-7f32).powf(k as f32 / steps as f32) / scale.metres_per_world;
                let flat = Vec2::from_angle(0.7 * k as f32) * above.clamp(5.0, 380.0);
                let ground = picker.pick_point(Vec3::new(flat.x, 2000.0, flat.y), Vec3::NEG_Y).expect("terrain");
                let eye = ground + Vec3::Y * above;
                let target = Vec3::new(-0.2 * flat.x, 0.0, -0.2 * flat.y);
                let clip = Mat4::perspective_infinite_reverse_rh(FIELD_OF_VIEW, width / height, 0.1 * above)
                    * Mat4::look_at_rh(eye, target, Vec3::Y);
                let detail = [PatchDetail::FINE, PatchDetail::FINEST][k % 2];
                let range = LodRange::new(&scale, detail, eye, height / (2.0 * tangent));
                let painted = paint(&scale, detail, &select(&scale, &bounds, detail, &range, None));
                for cell in 0..cells * cells {
                    let level = painted[cell].expect("every cell is drawn");
                    let beside = [
                        (cell % cells + 1 < cells).then(|| cell + 1),
                        (cell + cells < cells * cells).then(|| cell + cells),
                    ];
                    for other in beside.into_iter().flatten().filter_map(|other| painted[other]) {
                        assert!(level.abs_diff(other) <= 1, "levels {level} and {other} meet, eye at {eye}");
                    }
                }
                let seen = paint(&scale, detail, &select(&scale, &bounds, detail, &range, Some(&Frustum::new(clip))));
                for pixel in 0..16 * 9 {
                    let at =
                        Vec2::new((pixel % 16) as f32 + 0.5, (pixel / 16) as f32 + 0.5) / Vec2::new(8.0, 4.5) - 1.0;
                    let far = clip.inverse() * at.extend(1e-6).extend(1.0);
                    let Some(hit) = picker.pick_point(eye, (far.truncate() / far.w - eye).normalize()) else {
                        continue;
                    };
                    let cell = ((Vec2::new(hit.x, hit.z) + 0.5 * SIDE_WORLD) / scale.cell_world).as_uvec2();
                    let cell = cell.min(glam::UVec2::splat(cells as u32 - 1)).as_usizevec2();
                    assert!(seen[cell.y * cells + cell.x].is_some(), "a pixel has no patch at {hit}, eye at {eye}");
                    hits += 1;
                }
            }
        }
        assert!(hits > 2000, "{hits} pixels show the terrain");
    }

    #[test]
    fn only_a_view_towards_the_terrain_draws_it() {
        let projection = Mat4::perspective_infinite_reverse_rh(0.7, 1.5, 0.1);
        let (scale, bounds, detail, range) = scenes().last().unwrap();
        let eye = Vec3::new(0.0, 900.0, 2000.0);
        let draw = |target: Vec3| {
            let view = Frustum::new(projection * Mat4::look_at_rh(eye, target, Vec3::Y));
            select(&scale, &bounds, detail, &range, Some(&view)).len()
        };
        assert_eq!(draw(eye + Vec3::Z), 0);
        assert_eq!(draw(Vec3::ZERO), select(&scale, &bounds, detail, &range, None).len());
    }

    #[test]
    fn the_corner_patch_has_two_sides() {
        let corner = GridPatch { column: 32, row: 0, level: 1 };
        let sides: Vec<_> = sides_of(corner, 16, 65).collect();
        assert_eq!(sides, [SideKind::North, SideKind::East]);
    }
}

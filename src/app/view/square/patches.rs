//! The patches of the grid that the camera sees, and the patches of its mirrored copies around it.

use std::ops::Range;

use bevy::math::{Mat4, Vec2, Vec3, Vec3Swizzles};

use super::frame::SquareEye;
use super::lod::{GridPatch, LodRange, SideKind, select, sides_of};
use super::terrain::SquareTerrain;
use crate::view::render::frustum::Frustum;
use crate::view::render::mesh::PatchDetail;
use crate::view::scale::SIDE_WORLD;
use talweg::scene::Surroundings;

/// The drawn patches in the form that the shader reads: column, row, level of detail, and a number. The number
/// identifies the side wall that the patch touches, or the mirrored copy that contains the patch.
pub struct GridInstances {
    pub all: Vec<[u32; 4]>,
    pub ground: Range<u32>,
    /// The patches at an edge of the terrain. A patch is listed once for each side that it touches.
    pub sides: Range<u32>,
    /// The patches of the mirrored copies around the terrain.
    pub far_ground: Range<u32>,
}

impl GridInstances {
    /// The patches within the frustum, including `far_tiles` copies of the terrain on each side.
    pub fn new(
        terrain: &SquareTerrain,
        eye: &SquareEye,
        detail: PatchDetail,
        (range, frustum): (&LodRange, &Frustum),
        (surroundings, far_tiles): (Surroundings, i32),
    ) -> Self {
        let patches = select(&terrain.scale, &terrain.bounds, detail, range, Some(frustum));
        let mut all = grid_instances(&patches, detail.quads, terrain.scale.samples);
        let (count, block_end) = (patches.len() as u32, all.len() as u32);
        if far_tiles > 0 {
            // the shaders can raise the copies (`bent_land` in ground.wgsl) and lower them (`beyond_edge` in
            // common.wgsl)
            let rises_world = terrain.scale.highest_world - terrain.scale.lowest_world;
            let sinks_world = if surroundings == Surroundings::Sea { terrain.scale.fall_under_sea() } else { 0.0 };
            for tile in FarTile::from_near(eye.eye_world, far_tiles) {
                let place = tile.mirrored(eye.eye_world);
                let range = LodRange::new(&terrain.scale, detail, place, eye.pixels_per_radian);
                let frustum = Frustum::new(eye.pane_from_world * tile.matrix())
                    .with_slack(sinks_world + rises_world, rises_world);
                let patches = select(&terrain.scale, &terrain.bounds, detail, &range, Some(&frustum));
                all.extend(patches.iter().map(|p| [p.column, p.row, p.level, tile.number()]));
            }
        }
        let far_ground = block_end..all.len() as u32;
        Self { all, ground: 0..count, sides: count..block_end, far_ground }
    }
}

/// A copy of the terrain, mirrored at every edge between the terrain and the copy.
#[derive(Clone, Copy)]
pub(super) struct FarTile {
    column: i32,
    row: i32,
}

impl FarTile {
    /// All copies, with `tiles` copies on each side of the terrain.
    fn all(tiles: i32) -> impl Iterator<Item = Self> {
        let span = -tiles..=tiles;
        let all = span.clone().flat_map(move |row| span.clone().map(move |column| Self { column, row }));
        all.filter(|tile| (tile.column, tile.row) != (0, 0))
    }

    /// All copies, nearest to the eye first.
    fn from_near(eye_world: Vec3, tiles: i32) -> Vec<Self> {
        let mut all: Vec<Self> = Self::all(tiles).collect();
        let distance = |tile: &Self| (tile.axes().1 - eye_world.with_y(0.0)).length_squared();
        all.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        all
    }

    /// The number by which the shaders identify the copy.
    fn number(self) -> u32 {
        ((self.row + 64) as u32) << 8 | (self.column + 64) as u32
    }

    /// Signs of the copy's two horizontal axes, and position of the copy's centre.
    fn axes(self) -> (Vec3, Vec3) {
        let sign = |k: i32| if k.rem_euclid(2) == 1 { -1.0 } else { 1.0 };
        let middle = Vec3::new(self.column as f32, 0.0, self.row as f32) * SIDE_WORLD;
        (Vec3::new(sign(self.column), 1.0, sign(self.row)), middle)
    }

    /// Matrix from positions on the terrain to positions on the copy.
    fn matrix(self) -> Mat4 {
        let (signs, middle) = self.axes();
        Mat4::from_translation(middle) * Mat4::from_scale(signs)
    }

    /// The copy at a position outside the terrain.
    pub fn containing(position_world: Vec3) -> Option<Self> {
        let [column, row] = [position_world.x, position_world.z].map(|x| (x / SIDE_WORLD + 0.5).floor() as i32);
        ((column, row) != (0, 0)).then_some(Self { column, row })
    }

    /// Whether at most `tiles` copies lie between this copy and the terrain, this one included.
    pub fn is_within(self, tiles: i32) -> bool {
        self.column.abs() <= tiles && self.row.abs() <= tiles
    }

    /// Direction from the terrain to the copy: -1, 0 or 1 to the east and to the south.
    pub fn outward(self) -> Vec2 {
        Vec2::new(self.column.signum() as f32, self.row.signum() as f32)
    }

    /// -1 along each horizontal axis along which the copy is mirrored, otherwise 1.
    pub fn signs(self) -> Vec2 {
        self.axes().0.xz()
    }

    /// The position on the terrain whose mirror image is at `place` on the copy.
    pub fn mirrored(self, place: Vec3) -> Vec3 {
        let (signs, middle) = self.axes();
        (place - middle) * signs
    }
}

/// All patches, followed by the patches at an edge of the terrain, once for each side that they touch.
fn grid_instances(patches: &[GridPatch], quads: u32, samples: usize) -> Vec<[u32; 4]> {
    let ground = patches.iter().map(|p| [p.column, p.row, p.level, 0]);
    let sides = patches
        .iter()
        .flat_map(|p| sides_of(*p, quads, samples).map(|side: SideKind| [p.column, p.row, p.level, side as u32]));
    ground.chain(sides).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::square::frame::FAR_TILES;

    #[test]
    fn a_copy_meets_the_terrain_at_their_common_edge() {
        assert_eq!(FarTile::all(FAR_TILES).count() as i32, (2 * FAR_TILES + 1).pow(2) - 1);
        let edge = Vec3::new(0.5 * SIDE_WORLD, 12.0, 77.0);
        let east = FarTile { column: 1, row: 0 };
        assert_eq!(east.matrix().transform_point3(edge), edge);
        assert_eq!(east.mirrored(edge), edge);
        let beyond = FarTile { column: -2, row: 1 };
        let place = Vec3::new(-1900.0, 3.0, 820.0);
        let shown = beyond.mirrored(place);
        assert!(shown.x.abs() <= 0.5 * SIDE_WORLD && shown.z.abs() <= 0.5 * SIDE_WORLD, "{shown}");
        assert_eq!(beyond.matrix().transform_point3(shown), place);
    }
}

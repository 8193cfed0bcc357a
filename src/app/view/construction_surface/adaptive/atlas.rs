//! The texture that holds the patches on the graphics card, in one rectangle per patch. The vertex stage reads it.

use bevy::math::{DVec3, Vec4};
use bevy::mesh::{VertexBufferLayout, VertexFormat};
use bevy::render::render_resource::{
    Extent3d, Origin3d, TexelCopyBufferLayout, TexelCopyTextureInfo, Texture, TextureAspect, TextureDescriptor,
    TextureDimension, TextureFormat, TextureUsages, TextureView, TextureViewDescriptor, VertexStepMode,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bytemuck::{Pod, Zeroable};

use super::patch::{Texel, TilePatch};
use super::quadtree::{FINEST, QuadTile, TileKey};
use super::{Budget, Upload};
use crate::view::render::pipelines::vertex_layout;
use crate::view::scale::SIDE_WORLD;

/// Greatest width of the texture; every graphics card supports it.
const WIDEST: u32 = 4096;

pub struct Atlas {
    texture: Texture,
    pub view: TextureView,
    quads: u32,
    columns: u32,
}

impl Atlas {
    pub fn new(budget: &Budget, device: &RenderDevice) -> Self {
        let quads = budget.quads as u32;
        let (width, height) = (2 * (quads + 1), quads + 1);
        let columns = WIDEST / width;
        let texture = device.create_texture(&TextureDescriptor {
            label: Some("talweg patches of the tree"),
            size: Extent3d {
                width: columns * width,
                height: budget.slots().div_ceil(columns) * height,
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format: TextureFormat::Rgba32Float,
            usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
            view_formats: &[],
        });
        Self { view: texture.create_view(&TextureViewDescriptor::default()), texture, quads, columns }
    }

    /// First texel of a slot in the texture.
    fn corner(&self, slot: u32) -> [u32; 2] {
        [slot % self.columns * 2 * (self.quads + 1), slot / self.columns * (self.quads + 1)]
    }

    pub fn write(&self, upload: &Upload, queue: &RenderQueue) {
        let n = self.quads + 1;
        let [x, y] = self.corner(upload.slot);
        queue.write_texture(
            TexelCopyTextureInfo {
                texture: &self.texture,
                mip_level: 0,
                origin: Origin3d { x, y, z: 0 },
                aspect: TextureAspect::All,
            },
            bytemuck::cast_slice(&upload.patch.texels),
            TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(2 * n * size_of::<Texel>() as u32),
                rows_per_image: None,
            },
            Extent3d { width: 2 * n, height: n, depth_or_array_layers: 1 },
        );
    }

    /// The instance data of a tile. `side` is the number of a side wall of the block, counted from 1, or 0 for the
    /// surface.
    pub fn instance(&self, tile: &QuadTile, slot: u32, steps: &Steps, side: u32) -> TileInstance {
        let TileKey { level, column, row } = tile.key;
        let shift = u32::from(FINEST - level);
        let corner = |at: u32, eye: i64| {
            let steps = i64::from(at) << (shift + self.quads.trailing_zeros());
            (steps - eye) as i32 as u32
        };
        let [x, y] = self.corner(slot);
        TileInstance {
            piece: [corner(column, steps.eye[0]), corner(row, steps.eye[1]), shift | side << 8, x | y << 16],
            morphs: tile.morphs,
        }
    }
}

/// A tile in the form that the shaders read. `piece` holds the position of the tile's corner, its level as a bit shift
/// together with the number of the side wall, and its first texel. The position of the corner is given in grid steps,
/// relative to the start of the grid step that contains the eye. `morphs` holds the morph fraction of each corner.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TileInstance {
    pub piece: [u32; 4],
    pub morphs: [f32; 4],
}

impl TileInstance {
    /// The vertex buffer layout of tiles.
    pub fn input() -> Vec<VertexBufferLayout> {
        let formats = [(VertexFormat::Uint32x4, 0), (VertexFormat::Float32x4, 16)];
        vec![vertex_layout(size_of::<Self>(), VertexStepMode::Instance, 0, &formats)]
    }
}

/// The lattice of all possible vertices, relative to the eye. A position is a whole number of grid steps, counted from
/// the step that contains the eye. Whole numbers are exact, so a vertex has the same position in every patch that
/// contains it.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    eye: [i64; 2],
    /// Length of a step and position of the eye within its step, both in world units; number of quads along a patch's
    /// side.
    pub uniform: Vec4,
}

impl Steps {
    pub fn new(eye_world: DVec3, quads: usize) -> Self {
        let side = f64::from(SIDE_WORLD);
        let step = side / (quads as f64 * f64::from(1u32 << FINEST));
        let at = [eye_world.x, eye_world.z].map(|at| (at + 0.5 * side) / step);
        let eye = at.map(|at| at.floor());
        let rest = [0, 1].map(|k| ((at[k] - eye[k]) * step) as f32);
        Self { eye: eye.map(|at| at as i64), uniform: Vec4::new(step as f32, rest[0], rest[1], quads as f32) }
    }
}

/// Side walls of the block that a patch touches, numbered from 1 in the order north, east, south, west.
pub fn sides_of(key: TileKey) -> impl Iterator<Item = u32> {
    let end = (1u32 << key.level) - 1;
    let at = [key.row == 0, key.column == end, key.row == end, key.column == 0];
    (1..).zip(at).filter_map(|(side, is)| is.then_some(side))
}

/// Whether any part of a patch is below the sea.
pub fn is_wet(patch: &TilePatch, sea_world: f32) -> bool {
    patch.lowest_world < sea_world
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_patch_has_two_sides_and_the_root_four() {
        let corner = TileKey { level: 3, column: 7, row: 0 };
        assert_eq!(sides_of(corner).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(sides_of(TileKey::ROOT).count(), 4);
        assert_eq!(sides_of(TileKey { level: 3, column: 2, row: 5 }).count(), 0);
    }

    #[test]
    fn steps_from_the_eye_lead_to_the_place() {
        let eye = DVec3::new(-123.456, 9.0, 321.987);
        let steps = Steps::new(eye, 32);
        let (step, rest) = (f64::from(steps.uniform.x), f64::from(steps.uniform.y));
        let at = (steps.eye[0] as f64) * (1000.0 / (32.0 * f64::from(1u32 << FINEST))) + rest - 500.0;
        assert!((at - eye.x).abs() < 1e-6 && step > 0.0, "{at}");
        assert!(steps.eye.iter().all(|at| i32::try_from(*at).is_ok()));
    }
}

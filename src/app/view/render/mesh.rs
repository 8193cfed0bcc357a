//! The patch mesh that every part of the terrain shares, and the sides of the block that a patch touches.

use bevy::prelude::*;
use bevy::render::render_resource::{Buffer, BufferInitDescriptor, BufferUsages};
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

use crate::view::square::lod::{GridPatch, PatchDetail};

/// The kind of images, which determines their cost.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RenderQuality {
    /// A moving view; quality falls without a graphics card.
    #[default]
    Moving,
    /// The quality of a moving view on a graphics card, on any driver; for measuring shader work.
    Counted,
    /// A single image.
    Still,
}

impl RenderQuality {
    pub fn is_frugal(self, adapter: Option<&RenderAdapterInfo>) -> bool {
        self == Self::Moving && adapter.is_none_or(is_software)
    }
}

/// The triangles of a patch. The shader computes the vertices from their index.
#[derive(Resource)]
pub struct PatchMesh {
    pub detail: PatchDetail,
    /// The quads, then the skirts at the edges.
    pub indices: Buffer,
    pub index_count: u32,
    pub skirted_index_count: u32,
    /// Vertices of the strip along one edge of a patch, alternating between top and bottom.
    pub strip_vertices: u32,
}

impl FromWorld for PatchMesh {
    fn from_world(world: &mut World) -> Self {
        let quality = world.get_resource::<RenderQuality>().copied().unwrap_or_default();
        let is_frugal = quality.is_frugal(world.get_resource());
        let detail = match quality {
            RenderQuality::Still => PatchDetail::FINEST,
            RenderQuality::Moving if is_frugal => PatchDetail::FRUGAL,
            RenderQuality::Moving | RenderQuality::Counted => PatchDetail::FINE,
        };
        let indices = indices(detail.quads as u16);
        let device = world.resource::<RenderDevice>();
        Self {
            detail,
            index_count: 6 * detail.quads * detail.quads,
            skirted_index_count: indices.len() as u32,
            strip_vertices: 2 * (detail.quads + 1),
            indices: device.create_buffer_with_data(&BufferInitDescriptor {
                label: Some("talweg patch"),
                contents: bytemuck::cast_slice(&indices),
                usage: BufferUsages::INDEX,
            }),
        }
    }
}

/// Whether there is no graphics card.
fn is_software(adapter: &RenderAdapterInfo) -> bool {
    // Bevy does not export the type of this field
    format!("{:?}", adapter.device_type) == "Cpu"
}

/// Two triangles per quad, anticlockwise seen from above, all split along the same diagonal. Then one skirt per edge,
/// hanging down, seen from outside. On a globe, rounding can leave gaps between two patches, and the skirts fill them.
fn indices(quads: u16) -> Vec<u16> {
    let row = quads + 1;
    let quad = |k: u16| {
        let corner = k / quads * row + k % quads;
        let (east, south) = (corner + 1, corner + row);
        [corner, south, south + 1, corner, south + 1, east]
    };
    let end = row - 1;
    // vertex on the edge of a side, numbered as by `quad_of` in globe.wgsl
    let top = move |side: u16, along: u16| match side {
        0 => end - along,
        1 => (end - along) * row + end,
        2 => end * row + along,
        _ => along * row,
    };
    let skirt = move |side: u16| {
        let below = row * row + side * row;
        (0..quads).flat_map(move |k| {
            let (a, b) = (top(side, k), top(side, k + 1));
            [a, below + k, below + k + 1, a, below + k + 1, b]
        })
    };
    (0..quads * quads).flat_map(quad).chain((0..4).flat_map(skirt)).collect()
}

/// Sides of the block, numbered as in the shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideKind {
    North,
    East,
    South,
    West,
}

/// The sides of the block that a patch touches.
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

    #[test]
    fn quads_have_two_triangles_and_corner_patches_two_sides() {
        let indices = indices(16);
        assert_eq!(indices[..16 * 16 * 6].iter().max(), Some(&(17 * 17 - 1)));
        let corner = GridPatch { column: 32, row: 0, level: 1 };
        let sides: Vec<_> = sides_of(corner, 16, 65).collect();
        assert_eq!(sides, [SideKind::North, SideKind::East]);
    }

    #[test]
    fn skirts_hang_from_the_edges() {
        let indices = indices(16);
        assert_eq!(indices.len(), (16 * 16 + 4 * 16) * 6);
        assert_eq!(indices.iter().max(), Some(&(17 * 17 + 4 * 17 - 1)));
        // every vertex on an edge is the top of a strip, and no inner vertex is
        let strips = &indices[16 * 16 * 6..];
        for k in 0..17 * 17u16 {
            let (row, column) = (k / 17, k % 17);
            let on_edge = row == 0 || column == 0 || row == 16 || column == 16;
            assert_eq!(strips.contains(&k), on_edge, "{k}");
        }
    }
}

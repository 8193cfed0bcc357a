//! The patch mesh that every part of the terrain shares, and the quality of patches and images.

use bevy::prelude::*;
use bevy::render::render_resource::{Buffer, BufferInitDescriptor, BufferUsages};
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

/// The kind of images to draw, which determines their quality and cost.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RenderQuality {
    /// A moving view. Its quality is lower if a software renderer draws it.
    #[default]
    Moving,
    /// A moving view that even a software renderer draws in the quality of a graphics card, to measure shader work.
    Counted,
    /// A single image in the best quality.
    Still,
}

impl RenderQuality {
    pub fn is_frugal(self, adapter: Option<&RenderAdapterInfo>) -> bool {
        self == Self::Moving && adapter.is_none_or(is_software)
    }
}

/// Target quality of the patches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchDetail {
    /// Number of quads along the side of a patch: a power of two, at least 8.
    pub quads: u32,
    /// Greatest width of a quad on screen, in pixels.
    pub quad_pixels: f32,
}

impl PatchDetail {
    /// The quality for a still image, which may take longer to draw.
    pub const FINEST: Self = Self { quads: 32, quad_pixels: 3.5 };
    /// The quality for a graphics card. A graphics processor shades pixels in blocks of 2 × 2, and shades all four
    /// pixels even if a triangle edge crosses the block.
    pub const FINE: Self = Self { quads: 32, quad_pixels: 7.0 };
    /// The quality for a software renderer, which is slow at vertices and shades pixels in blocks of 4 × 4.
    pub const FRUGAL: Self = Self { quads: 16, quad_pixels: 14.0 };
}

/// The triangles of a patch. The vertex shader computes each vertex from its index.
#[derive(Resource)]
pub struct PatchMesh {
    pub detail: PatchDetail,
    /// Indices of the quads, followed by the skirts at the patch's edges.
    pub indices: Buffer,
    pub index_count: u32,
    pub skirted_index_count: u32,
    /// Number of vertices of the strip along one edge of a patch. The vertices alternate between top and bottom of the
    /// strip.
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

/// Whether the adapter is a software renderer, not a graphics card.
fn is_software(adapter: &RenderAdapterInfo) -> bool {
    // compare text, because Bevy does not export the type of this field
    format!("{:?}", adapter.device_type) == "Cpu"
}

/// Vertex indices of a patch. The list starts with two triangles per quad, anticlockwise seen from above, all split
/// along the same diagonal. One skirt per edge follows, which hangs down and faces outwards. On a globe, rounding can
/// leave gaps between two patches, and the skirts fill the gaps.
fn indices(quads: u16) -> Vec<u16> {
    let row = quads + 1;
    let quad = |k: u16| {
        let corner = k / quads * row + k % quads;
        let (east, south) = (corner + 1, corner + row);
        [corner, south, south + 1, corner, south + 1, east]
    };
    let end = row - 1;
    // index of the vertex number `along` on the edge `side`; sides are numbered as in `quad_of` in globe.wgsl
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_two_triangles_a_quad() {
        assert_eq!(indices(16)[..16 * 16 * 6].iter().max(), Some(&(17 * 17 - 1)));
    }

    #[test]
    fn skirts_hang_from_the_edges() {
        let indices = indices(16);
        assert_eq!(indices.len(), (16 * 16 + 4 * 16) * 6);
        assert_eq!(indices.iter().max(), Some(&(17 * 17 + 4 * 17 - 1)));
        // every vertex on an edge is the top of a strip, and no inner vertex is the top of one
        let strips = &indices[16 * 16 * 6..];
        for k in 0..17 * 17u16 {
            let (row, column) = (k / 17, k % 17);
            let on_edge = row == 0 || column == 0 || row == 16 || column == 16;
            assert_eq!(strips.contains(&k), on_edge, "{k}");
        }
    }
}

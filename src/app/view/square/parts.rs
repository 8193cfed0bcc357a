//! The parts of a square terrain and their pipelines.

use bevy::mesh::VertexFormat;
use bevy::prelude::*;
use bevy::render::render_resource::binding_types::{sampler, texture_2d, texture_2d_array, uniform_buffer_sized};
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, DepthBiasState, PipelineCache, PrimitiveTopology,
    SamplerBindingType, ShaderStages, TextureSampleType, VertexStepMode,
};

use super::frame::SquareFrame;
use crate::view::construction_surface::adaptive::atlas::TileInstance;
use crate::view::construction_surface::trace;
use crate::view::mode::{Tint, ViewMode};
use crate::view::plants::scatter::scatter_input;
use crate::view::render::ground_materials::RulesUniform;
use crate::view::render::pipelines::{
    GroundStyle, PartCover, PartShape, Parts, Pipelines, SurfacePart, TargetKey, are_ready, vertex_layout,
};
use crate::view::render::shader_text::ViewShader;

/// The parts of a square terrain, in drawing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SquarePart {
    Ground,
    /// Copies of the terrain outside the square, mirrored at its edges.
    FarGround,
    Sides,
    /// Walls along the void edge inside the square.
    Walls,
    /// Plants and stones.
    Scatter,
    Sky,
    SurfaceWaterSides,
    SurfaceWater,
    SeaSides,
    /// The sides of the sea above the walls along the void edge.
    SeaWalls,
    SeaSurface,
    AdaptiveGround,
    AdaptiveSides,
    AdaptiveWaterSides,
    AdaptiveWater,
    AdaptiveSeaSides,
    AdaptiveSea,
    Traced,
}

/// Depth bias that draws water in front of terrain at the same depth. The bias is greater for surfaces seen at a slant.
const SURFACE_WATER_BIAS: DepthBiasState = DepthBiasState { constant: 32, slope_scale: 1.0, clamp: 0.0 };

/// All styles of the grid, starting with the styles without an overlay.
fn styles() -> impl Iterator<Item = GroundStyle> {
    let tints = [Tint::None, Tint::Slope, Tint::Data];
    tints.into_iter().flat_map(|tint| ViewMode::OF_GRID.map(|mode| (mode, tint)))
}

impl SquarePart {
    /// The parts of a terrain drawn from its grid.
    const OF_GRID: [Self; 11] = [
        Self::Ground,
        Self::FarGround,
        Self::Sides,
        Self::Walls,
        Self::Scatter,
        Self::Sky,
        Self::SurfaceWaterSides,
        Self::SurfaceWater,
        Self::SeaSides,
        Self::SeaWalls,
        Self::SeaSurface,
    ];
    /// The parts of a terrain drawn from patches of a construction tree. The void edge comes from the grid.
    const OF_PATCHES: [Self; 9] = [
        Self::AdaptiveGround,
        Self::AdaptiveSides,
        Self::Walls,
        Self::Sky,
        Self::AdaptiveWaterSides,
        Self::AdaptiveWater,
        Self::AdaptiveSeaSides,
        Self::SeaWalls,
        Self::AdaptiveSea,
    ];

    /// The parts of a sphere-traced terrain. The sea and the void edge come from the grid.
    const OF_RAYS: [Self; 6] = [Self::Traced, Self::Walls, Self::Sky, Self::SeaSides, Self::SeaWalls, Self::SeaSurface];

    fn entry_points(self, style: GroundStyle) -> (&'static str, &'static str) {
        match self {
            Self::Ground => {
                let fragment = match style {
                    (ViewMode::Shaded, Tint::None) => "ground_shaded",
                    (ViewMode::Shaded, Tint::Slope) => "ground_shaded_slope",
                    (ViewMode::Shaded, Tint::Data) => "ground_shaded_data",
                    (ViewMode::Hillshade, Tint::None) => "ground_hillshade",
                    (ViewMode::Hillshade, Tint::Slope) => "ground_hillshade_slope",
                    (ViewMode::Hillshade, Tint::Data) => "ground_hillshade_data",
                    (_, Tint::None) => "ground_wireframe",
                    (_, Tint::Slope) => "ground_wireframe_slope",
                    (_, Tint::Data) => "ground_wireframe_data",
                };
                ("ground_vertex", fragment)
            }
            Self::FarGround => ("far_ground_vertex", "far_ground_fragment"),
            Self::Sides => ("sides_vertex", "sides_fragment"),
            Self::Walls => ("walls_vertex", "walls_fragment"),
            Self::Scatter => ("scatter_vertex", "scatter_fragment"),
            Self::SeaWalls => ("water_walls_vertex", "water_walls_fragment"),
            Self::Sky => ("screen_vertex", "sky_fragment"),
            Self::SurfaceWaterSides => ("surface_water_sides_vertex", "surface_water_sides_fragment"),
            Self::SurfaceWater => ("surface_water_vertex", "surface_water_fragment"),
            Self::SeaSides => ("water_sides_vertex", "water_sides_fragment"),
            Self::SeaSurface => ("water_vertex", "water_fragment"),
            Self::AdaptiveGround => {
                let fragment = match style {
                    (ViewMode::AdaptiveWireframe, Tint::None) => "adaptive_wireframe",
                    (ViewMode::AdaptiveWireframe, Tint::Slope) => "adaptive_wireframe_slope",
                    (ViewMode::AdaptiveWireframe, Tint::Data) => "adaptive_wireframe_data",
                    (_, Tint::None) => "adaptive_ground",
                    (_, Tint::Slope) => "adaptive_ground_slope",
                    (_, Tint::Data) => "adaptive_ground_data",
                };
                ("adaptive_vertex", fragment)
            }
            Self::AdaptiveSides => ("adaptive_sides_vertex", "sides_fragment"),
            Self::AdaptiveWaterSides => ("adaptive_water_sides_vertex", "adaptive_water_sides_fragment"),
            Self::AdaptiveWater => ("adaptive_water_vertex", "adaptive_water_fragment"),
            Self::AdaptiveSeaSides => ("adaptive_sea_sides_vertex", "water_sides_fragment"),
            Self::AdaptiveSea => ("adaptive_sea_vertex", "adaptive_sea_fragment"),
            Self::Traced => {
                let fragment = match style.1 {
                    Tint::None => "traced_fragment",
                    Tint::Slope => "traced_fragment_slope",
                    Tint::Data => "traced_fragment_data",
                };
                ("screen_vertex", fragment)
            }
        }
    }

    /// Whether the part is drawn from the segments of the void edge.
    pub fn is_wall(self) -> bool {
        matches!(self, Self::Walls | Self::SeaWalls)
    }

    /// Whether the part is drawn from the tiles of a construction tree.
    fn is_of_tiles(self) -> bool {
        matches!(
            self,
            Self::AdaptiveGround
                | Self::AdaptiveSides
                | Self::AdaptiveWaterSides
                | Self::AdaptiveWater
                | Self::AdaptiveSeaSides
                | Self::AdaptiveSea
        )
    }

    fn is_side(self) -> bool {
        matches!(
            self,
            Self::Sides
                | Self::Walls
                | Self::SurfaceWaterSides
                | Self::SeaSides
                | Self::SeaWalls
                | Self::AdaptiveSides
                | Self::AdaptiveWaterSides
                | Self::AdaptiveSeaSides
        )
    }

    fn cover(self) -> PartCover {
        match self {
            Self::Ground
            | Self::FarGround
            | Self::Sides
            | Self::Walls
            | Self::Scatter
            | Self::AdaptiveGround
            | Self::AdaptiveSides
            | Self::Traced => PartCover::Solid,
            Self::Sky => PartCover::Background,
            _ => PartCover::Blended,
        }
    }
}

impl SurfacePart for SquarePart {
    const PREFIX: &'static str = "";
    const PLANTS: Self = Self::Scatter;

    fn layout() -> BindGroupLayoutDescriptor {
        let filtered = || texture_2d(TextureSampleType::Float { filterable: true });
        BindGroupLayoutDescriptor::new(
            "talweg view",
            &BindGroupLayoutEntries::sequential(
                ShaderStages::VERTEX_FRAGMENT,
                (
                    uniform_buffer_sized(false, (size_of::<SquareFrame>() as u64).try_into().ok()),
                    texture_2d(TextureSampleType::Uint),
                    filtered(),
                    filtered(),
                    filtered(),
                    filtered(),
                    filtered(),
                    filtered(),
                    filtered(),
                    sampler(SamplerBindingType::Filtering),
                    texture_2d(TextureSampleType::Float { filterable: false }),
                    filtered(),
                    filtered(),
                    texture_2d_array(TextureSampleType::Float { filterable: true }),
                    sampler(SamplerBindingType::Filtering),
                    uniform_buffer_sized(false, (size_of::<RulesUniform>() as u64).try_into().ok()),
                    filtered(),
                    filtered(),
                    texture_2d_array(TextureSampleType::Depth),
                    sampler(SamplerBindingType::Comparison),
                    filtered(),
                ),
            ),
        )
    }

    fn second_layout(self) -> Option<BindGroupLayoutDescriptor> {
        (self == Self::Traced).then(|| trace::layouts()[1].clone())
    }

    fn shader(self, shaders: &ViewShader) -> &Handle<Shader> {
        match self {
            Self::Traced => &shaders.rays,
            part if part.is_of_tiles() => &shaders.patches,
            _ => &shaders.grid,
        }
    }

    /// The style of this part. Only the surface of the terrain has styles.
    fn own_style(self, style: GroundStyle) -> GroundStyle {
        match self {
            Self::Ground | Self::AdaptiveGround => style,
            Self::Traced => (ViewMode::Traced, style.1),
            _ => GroundStyle::default(),
        }
    }

    fn shape(self, style: GroundStyle) -> PartShape {
        let per_instance = |format| vec![vertex_layout(16, VertexStepMode::Instance, 0, &[(format, 0)])];
        PartShape {
            stages: self.entry_points(style),
            input: match self {
                Self::Sky | Self::SeaSurface | Self::Traced => Vec::new(),
                Self::Scatter => scatter_input(VertexFormat::Float32),
                part if part.is_wall() => per_instance(VertexFormat::Float32x4),
                part if part.is_of_tiles() => TileInstance::input(),
                // each instance is a patch of the grid: column, row, level, side
                _ => per_instance(VertexFormat::Uint32x4),
            },
            topology: if self.is_side() { PrimitiveTopology::TriangleStrip } else { default() },
            cover: self.cover(),
            // far terrain: mirroring reverses the winding; plants: leaves have two sides; the other parts fill the
            // whole image
            is_two_sided: matches!(self, Self::FarGround | Self::Scatter | Self::Sky | Self::Traced),
            bias: if self == Self::SurfaceWater { SURFACE_WATER_BIAS } else { default() },
        }
    }
}

/// Pipelines that draw the grid to a target, in drawing order. When a target is first used, the pipelines of all styles
/// are queued, so that they are ready when the style changes later. Until the pipeline of a style is ready, the first
/// style is drawn.
pub fn grid_parts(
    pipelines: &mut Pipelines<SquarePart>,
    cache: &PipelineCache,
    key: TargetKey,
    style: GroundStyle,
) -> Parts<SquarePart> {
    let first = GroundStyle::default();
    if pipelines.queued(SquarePart::Sky, first, key).is_none() {
        for style in styles() {
            pipelines.queue(cache, SquarePart::Ground, style, key);
        }
    }
    let part = |part: SquarePart| {
        let own = pipelines.queued(part, style, key).filter(|own| are_ready([own], cache));
        (part, own.unwrap_or_else(|| pipelines.queue(cache, part, first, key)))
    };
    SquarePart::OF_GRID.map(part).to_vec()
}

/// The pipelines that draw a construction tree. The first call queues the pipelines; the result is `None` until all of
/// them are ready.
pub fn tree_parts(
    pipelines: &mut Pipelines<SquarePart>,
    cache: &PipelineCache,
    key: TargetKey,
    style: GroundStyle,
) -> Option<Parts<SquarePart>> {
    let own: &[SquarePart] = if style.0.traces() { &SquarePart::OF_RAYS } else { &SquarePart::OF_PATCHES };
    // draw plants and stones after the surface and before the water
    let parts = [&own[..1], &[SquarePart::Scatter], &own[1..]].concat();
    let parts: Parts<_> = parts.iter().map(|part| (*part, pipelines.queue(cache, *part, style, key))).collect();
    are_ready(parts.iter().map(|(_, id)| id), cache).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::render::shader_text::{GRID, PATCHES, RAYS, has_stages};

    #[test]
    fn the_shaders_have_the_entry_points_of_all_parts() {
        let modes = ViewMode::ALL.into_iter();
        let all: Vec<GroundStyle> =
            modes.flat_map(|mode| [Tint::None, Tint::Slope, Tint::Data].map(|tint| (mode, tint))).collect();
        let (grid, patches, rays) = (SquarePart::OF_GRID, SquarePart::OF_PATCHES, SquarePart::OF_RAYS);
        for (source, parts) in [(GRID, &grid[..]), (PATCHES, &patches), (RAYS, &rays)] {
            for (part, style) in parts.iter().flat_map(|part| all.iter().map(move |style| (*part, *style))) {
                assert!(has_stages(source, part.entry_points(style)), "{part:?} {style:?}");
            }
        }
    }
}

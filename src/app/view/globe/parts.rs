//! The parts of a globe and their pipelines.

use bevy::mesh::VertexFormat;
use bevy::prelude::*;
use bevy::render::render_resource::binding_types::{
    sampler, texture_2d, texture_2d_array, texture_3d, uniform_buffer_sized,
};
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, PipelineCache, PrimitiveTopology, SamplerBindingType,
    ShaderStages, TextureSampleType, VertexStepMode,
};

use super::frame::GlobeFrame;
use super::patches::GlobePatchInstance;
use crate::view::mode::{Tint, ViewMode};
use crate::view::plants::scatter::scatter_input;
use crate::view::render::ground_materials::RulesUniform;
use crate::view::render::pipelines::{
    GroundStyle, PartCover, PartShape, Parts, Pipelines, SurfacePart, TargetKey, vertex_layout,
};
use crate::view::render::shader_text::ViewShader;

/// The parts of a globe in drawing order, and the flat map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GlobePart {
    Ground,
    /// Plants and stones.
    Scatter,
    Sky,
    Lines,
    Clouds,
    /// The flat map. No other part is drawn together with it.
    Map,
}

impl GlobePart {
    const ALL: [Self; 6] = [Self::Ground, Self::Scatter, Self::Sky, Self::Lines, Self::Clouds, Self::Map];
}

impl SurfacePart for GlobePart {
    const PREFIX: &'static str = "Globe";
    const PLANTS: Self = Self::Scatter;

    fn layout() -> BindGroupLayoutDescriptor {
        let smooth = || sampler(SamplerBindingType::Filtering);
        let filtered = || texture_2d(TextureSampleType::Float { filterable: true });
        let faces = |filterable| texture_2d_array(TextureSampleType::Float { filterable });
        BindGroupLayoutDescriptor::new(
            "talweg globe",
            &BindGroupLayoutEntries::sequential(
                ShaderStages::VERTEX_FRAGMENT,
                (
                    uniform_buffer_sized(false, (size_of::<GlobeFrame>() as u64).try_into().ok()),
                    faces(false),
                    faces(true),
                    faces(true),
                    smooth(),
                    smooth(),
                    texture_2d(TextureSampleType::Float { filterable: false }),
                    filtered(),
                    filtered(),
                    faces(true),
                    smooth(),
                    uniform_buffer_sized(false, (size_of::<RulesUniform>() as u64).try_into().ok()),
                    texture_2d_array(TextureSampleType::Depth),
                    sampler(SamplerBindingType::Comparison),
                    filtered(),
                    texture_3d(TextureSampleType::Float { filterable: true }),
                    smooth(),
                    filtered(),
                ),
            ),
        )
    }

    fn shader(self, shaders: &ViewShader) -> &Handle<Shader> {
        &shaders.globe
    }

    fn own_style(self, style: GroundStyle) -> GroundStyle {
        if self == Self::Ground && style.0 == ViewMode::Wireframe { style } else { GroundStyle::default() }
    }

    fn shape(self, style: GroundStyle) -> PartShape {
        use VertexFormat::{Float16x2, Float32, Float32x3, Float32x4, Uint32x4};
        let patch = [(Uint32x4, 0), (Float32x4, 16), (Float32x4, 32), (Float32x4, 48), (Float32x4, 64), (Float32, 80)];
        let patches = || vec![vertex_layout(size_of::<GlobePatchInstance>(), VertexStepMode::Instance, 0, &patch)];
        let (stages, input, cover) = match self {
            Self::Ground => {
                let is_wireframe = style.0 == ViewMode::Wireframe;
                let fragment = if is_wireframe { "ground_wireframe" } else { "ground_shaded" };
                (("ground_vertex", fragment), patches(), PartCover::Solid)
            }
            // each instance has the slope of the terrain to the east and to the south
            Self::Scatter => (("scatter_vertex", "scatter_fragment"), scatter_input(Float16x2), PartCover::Solid),
            Self::Sky => (("screen_vertex", "sky_fragment"), Vec::new(), PartCover::Background),
            Self::Lines => {
                // each vertex is an end point of a line, with position and colour
                let ends = vertex_layout(28, VertexStepMode::Vertex, 0, &[(Float32x3, 0), (Float32x4, 12)]);
                (("line_vertex", "line_fragment"), vec![ends], PartCover::Blended)
            }
            Self::Clouds => (("cloud_vertex", "cloud_fragment"), patches(), PartCover::Blended),
            Self::Map => (("screen_vertex", "map_fragment"), Vec::new(), PartCover::Background),
        };
        PartShape {
            stages,
            input,
            topology: if self == Self::Lines { PrimitiveTopology::LineList } else { default() },
            cover,
            is_two_sided: self != Self::Ground,
            bias: default(),
        }
    }
}

/// The pipelines of a globe: its map, or the terrain with its sky, clouds and lines.
pub fn globe_parts(
    pipelines: &mut Pipelines<GlobePart>,
    cache: &PipelineCache,
    key: TargetKey,
    mode: ViewMode,
    is_map: bool,
) -> Parts<GlobePart> {
    let queued: Parts<_> =
        GlobePart::ALL.map(|part| (part, pipelines.queue(cache, part, (mode, Tint::None), key))).to_vec();
    queued.into_iter().filter(|(part, _)| (*part == GlobePart::Map) == is_map).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::render::shader_text::{GLOBE, has_stages};

    #[test]
    fn the_shader_has_the_entry_points_of_all_parts() {
        for (part, mode) in GlobePart::ALL.into_iter().flat_map(|part| ViewMode::ALL.map(|mode| (part, mode))) {
            assert!(has_stages(GLOBE, part.shape((mode, Tint::None)).stages), "{part:?} {mode:?}");
        }
    }
}

//! All render pipelines: terrain, sides of the block, water and sky of a square; terrain, sky, clouds, lines and map of
//! a planet.

use bevy::core_pipeline::core_3d::CORE_3D_DEPTH_FORMAT;
use bevy::mesh::{VertexBufferLayout, VertexFormat};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::render::render_resource::binding_types::{
    sampler, storage_buffer_read_only_sized, storage_buffer_sized, texture_2d, texture_2d_array, texture_3d,
    uniform_buffer_sized,
};
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, BlendState, CachedComputePipelineId, CachedRenderPipelineId,
    ColorTargetState, ColorWrites, CompareFunction, ComputePipelineDescriptor, DepthBiasState, DepthStencilState, Face,
    FragmentState, MultisampleState, PipelineCache, PrimitiveState, PrimitiveTopology, RenderPipelineDescriptor,
    SamplerBindingType, ShaderStages, TextureFormat, TextureSampleType, VertexAttribute, VertexState, VertexStepMode,
};
use bevy::shader::ShaderDefVal;

use super::frame::SquareFrame;
use super::ground_materials::RulesUniform;
use super::rules_text::RulesKey;
use super::scene_needs::SceneNeeds;
use super::shader_text::ViewShader;
use crate::view::construction_surface::adaptive::atlas::TileInstance;
use crate::view::construction_surface::trace::Tracing;
use crate::view::globe::frame::GlobeFrame;
use crate::view::mode::ViewMode;
use crate::view::plants::scatter::{ScatterCorner, ScatterInstance};
use crate::view::plants::shadows::{SHADOW_CASCADES, queue_pipelines};
use crate::view::square::Tint;

/// The parts of the view, in drawing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViewPart {
    Ground,
    /// Copies of the terrain around it, mirrored at its edges.
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
    /// The side of the sea above the walls.
    SeaWalls,
    SeaSurface,
    AdaptiveGround,
    AdaptiveSides,
    AdaptiveWaterSides,
    AdaptiveWater,
    AdaptiveSeaSides,
    AdaptiveSea,
    Traced,
    GlobeGround,
    /// Plants and stones of a planet.
    GlobeScatter,
    GlobeSky,
    GlobeLines,
    GlobeClouds,
    GlobeMap,
}

/// How the terrain is coloured; each style has its own fragment stage.
pub type GroundStyle = (ViewMode, Tint);

/// The data that a part reads for each of its instances or vertices.
#[derive(Clone, Copy)]
pub(in crate::view) enum VertexInput {
    Nothing,
    /// A patch of the grid: column, row, level, side.
    Patch,
    /// A segment of the void edge.
    Wall,
    /// A tile of a tree.
    Tile,
    /// A patch of a globe.
    GlobePatch,
    /// Position and colour of the end of a line.
    LineEnd,
    /// Instance data of a plant or stone; then, per vertex of its shape: position, normal, fraction of light that
    /// reaches it, colour and coordinates on a leaf.
    Shape,
    /// The same on a planet, where it stands on a slope.
    GlobeShape,
}

impl VertexInput {
    pub(in crate::view) fn layouts(self) -> Vec<VertexBufferLayout> {
        use VertexFormat::{Float16x2, Float32, Float32x3, Float32x4, Uint32x4, Unorm8x4};
        let standing = [(Float32x4, 0), (Unorm8x4, 16), (Unorm8x4, 20), (Float32, 24)];
        let [place, ground, what, turn] = standing;
        let per_instance: (u64, &[_]) = match self {
            Self::Nothing => return Vec::new(),
            Self::Patch => (16, &[(Uint32x4, 0)]),
            Self::Wall => (16, &[(Float32x4, 0)]),
            Self::Tile => (size_of::<TileInstance>() as u64, &[(Uint32x4, 0), (Float32x4, 16)]),
            Self::GlobePatch => {
                (80, &[(Uint32x4, 0), (Float32x4, 16), (Float32x4, 32), (Float32x4, 48), (Float32x4, 64)])
            }
            Self::LineEnd => (28, &[(Float32x3, 0), (Float32x4, 12)]),
            Self::Shape => (size_of::<ScatterInstance>() as u64, &[place, ground, what, turn, (Float32, 28)]),
            Self::GlobeShape => (size_of::<ScatterInstance>() as u64, &[place, ground, what, turn, (Float16x2, 28)]),
        };
        let layout = |(array_stride, formats): (u64, &[(VertexFormat, u64)]), step_mode, first: u32| {
            let attribute = |(shader_location, &(format, offset)): (u32, &(VertexFormat, u64))| VertexAttribute {
                format,
                offset,
                shader_location,
            };
            VertexBufferLayout { array_stride, step_mode, attributes: (first..).zip(formats).map(attribute).collect() }
        };
        match self {
            Self::LineEnd => vec![layout(per_instance, VertexStepMode::Vertex, 0)],
            Self::Shape | Self::GlobeShape => {
                let corner =
                    (size_of::<ScatterCorner>() as u64, &[(Float32x4, 0), (Float32x4, 16), (Float32x4, 32)][..]);
                vec![layout(per_instance, VertexStepMode::Instance, 0), layout(corner, VertexStepMode::Vertex, 5)]
            }
            _ => vec![layout(per_instance, VertexStepMode::Instance, 0)],
        }
    }
}

impl ViewPart {
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
    /// The parts of a terrain drawn from patches of a tree; the void edge is that of the grid.
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

    /// The parts of a planet, without the separate map.
    const OF_GLOBE: [Self; 5] =
        [Self::GlobeGround, Self::GlobeScatter, Self::GlobeSky, Self::GlobeLines, Self::GlobeClouds];

    /// The parts of a sphere-traced terrain; the sea and the void edge are those of the grid.
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
            Self::Scatter | Self::GlobeScatter => ("scatter_vertex", "scatter_fragment"),
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
            Self::GlobeGround if style.0 == ViewMode::Wireframe => ("ground_vertex", "ground_wireframe"),
            Self::GlobeGround => ("ground_vertex", "ground_shaded"),
            Self::GlobeSky => ("screen_vertex", "sky_fragment"),
            Self::GlobeClouds => ("cloud_vertex", "cloud_fragment"),
            Self::GlobeLines => ("line_vertex", "line_fragment"),
            Self::GlobeMap => ("screen_vertex", "map_fragment"),
        }
    }

    /// Whether it is blended over the parts behind it.
    fn is_blended(self) -> bool {
        let is_background = matches!(self, Self::Sky | Self::GlobeSky | Self::GlobeMap);
        !self.is_solid() && !is_background
    }

    /// Whether it covers the whole image.
    fn is_everywhere(self) -> bool {
        matches!(self, Self::Sky | Self::Traced | Self::GlobeSky | Self::GlobeMap)
    }

    /// Whether it belongs to a planet.
    fn is_of_globe(self) -> bool {
        Self::OF_GLOBE.contains(&self) || self == Self::GlobeMap
    }

    fn is_solid(self) -> bool {
        matches!(
            self,
            Self::Ground
                | Self::FarGround
                | Self::Sides
                | Self::Walls
                | Self::Scatter
                | Self::AdaptiveGround
                | Self::AdaptiveSides
                | Self::Traced
                | Self::GlobeGround
                | Self::GlobeScatter
        )
    }

    /// Whether it is drawn from the segments of the void edge.
    pub fn is_wall(self) -> bool {
        matches!(self, Self::Walls | Self::SeaWalls)
    }

    fn input(self) -> VertexInput {
        match self {
            Self::Sky | Self::SeaSurface | Self::Traced | Self::GlobeSky | Self::GlobeMap => VertexInput::Nothing,
            part if part.is_wall() => VertexInput::Wall,
            Self::GlobeGround | Self::GlobeClouds => VertexInput::GlobePatch,
            Self::GlobeLines => VertexInput::LineEnd,
            Self::Scatter => VertexInput::Shape,
            Self::GlobeScatter => VertexInput::GlobeShape,
            part if Self::OF_PATCHES.contains(&part) => VertexInput::Tile,
            _ => VertexInput::Patch,
        }
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
}

/// Depth bias that draws water in front of terrain at the same depth. It is greater for slanted views.
const SURFACE_WATER_BIAS: DepthBiasState = DepthBiasState { constant: 32, slope_scale: 1.0, clamp: 0.0 };

/// All styles of the grid, those without an overlay first.
fn styles() -> impl Iterator<Item = GroundStyle> {
    let tints = [Tint::None, Tint::Slope, Tint::Data];
    tints.into_iter().flat_map(|tint| ViewMode::OF_GRID.map(|mode| (mode, tint)))
}

/// Parts with the pipelines that draw them.
pub type Parts = Vec<(ViewPart, CachedRenderPipelineId)>;

/// Everything that the pipelines depend on, besides the part and its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetKey {
    pub format: TextureFormat,
    pub samples: u32,
    /// Whether the terrain has void areas; only then do the pixels read the void mask.
    pub void_mask: bool,
    /// Whether the materials are drawn in detail; only then do the pixels pay for it.
    pub is_detailed: bool,
    /// The material rules of that detail.
    pub rules: Option<RulesKey>,
    /// The optional features that the scene uses.
    pub needs: SceneNeeds,
}

impl TargetKey {
    /// Whether the shader must encode colours, because the target stores them unchanged.
    pub fn must_encode(self) -> bool {
        !self.format.is_srgb() && self.format != TextureFormat::Rgba16Float
    }
}

/// The layouts of the bind groups, and the pipelines queued so far.
#[derive(Resource)]
pub struct Pipelines {
    pub square: BindGroupLayoutDescriptor,
    pub globe: BindGroupLayoutDescriptor,
    /// Layouts for advancing rays and for shading them.
    pub rays: [BindGroupLayoutDescriptor; 2],
    shader: ViewShader,
    queued: HashMap<(ViewPart, GroundStyle, TargetKey), CachedRenderPipelineId>,
    march: Option<CachedComputePipelineId>,
    /// Pipelines for square terrains and for planets.
    plant_shadows: [Option<[CachedRenderPipelineId; SHADOW_CASCADES]>; 2],
}

impl Pipelines {
    pub fn new(shader: ViewShader) -> Self {
        let smooth = || sampler(SamplerBindingType::Filtering);
        let rules = || uniform_buffer_sized(false, (size_of::<RulesUniform>() as u64).try_into().ok());
        let filtered = || texture_2d(TextureSampleType::Float { filterable: true });
        let faces = |filterable| texture_2d_array(TextureSampleType::Float { filterable });
        let globe = BindGroupLayoutDescriptor::new(
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
                    rules(),
                    texture_2d_array(TextureSampleType::Depth),
                    sampler(SamplerBindingType::Comparison),
                    filtered(),
                    texture_3d(TextureSampleType::Float { filterable: true }),
                    smooth(),
                    filtered(),
                ),
            ),
        );
        let square = BindGroupLayoutDescriptor::new(
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
                    faces(true),
                    sampler(SamplerBindingType::Filtering),
                    uniform_buffer_sized(false, (size_of::<RulesUniform>() as u64).try_into().ok()),
                    filtered(),
                    filtered(),
                    texture_2d_array(TextureSampleType::Depth),
                    sampler(SamplerBindingType::Comparison),
                    filtered(),
                ),
            ),
        );
        let tracing = || uniform_buffer_sized(false, (size_of::<Tracing>() as u64).try_into().ok());
        let words = || storage_buffer_read_only_sized(false, None);
        let rays = [
            BindGroupLayoutDescriptor::new(
                "talweg rays",
                &BindGroupLayoutEntries::sequential(
                    ShaderStages::COMPUTE,
                    (words(), words(), tracing(), storage_buffer_sized(false, None), words()),
                ),
            ),
            BindGroupLayoutDescriptor::new(
                "talweg rays seen",
                &BindGroupLayoutEntries::sequential(ShaderStages::FRAGMENT, (tracing(), words())),
            ),
        ];
        Self { square, globe, rays, shader, queued: HashMap::default(), march: None, plant_shadows: [None; 2] }
    }

    /// Pipelines that draw the grid to a target, in drawing order. When a target is first used, those of all styles are
    /// queued, so that a change of style finds its own ready. Until then the first style is drawn.
    pub fn grid_parts(&mut self, cache: &PipelineCache, key: TargetKey, style: GroundStyle) -> Parts {
        let first = GroundStyle::default();
        if !self.queued.contains_key(&(ViewPart::Sky, first, key)) {
            let rest = ViewPart::OF_GRID.into_iter().filter(|part| *part != ViewPart::Ground).map(|part| (part, first));
            for (part, style) in styles().map(|style| (ViewPart::Ground, style)).chain(rest) {
                self.queue(cache, part, style, key);
            }
        }
        let part = |part: ViewPart| {
            let id = self.queued[&(part, first, key)];
            match self.queued.get(&(part, style, key)) {
                Some(own) if cache.get_render_pipeline(*own).is_some() => (part, *own),
                _ => (part, id),
            }
        };
        ViewPart::OF_GRID.map(part).to_vec()
    }

    /// The pipelines that draw a tree. They are queued on first use; `None` until all are ready.
    pub fn tree_parts(&mut self, cache: &PipelineCache, key: TargetKey, style: GroundStyle) -> Option<Parts> {
        let own: &[ViewPart] = if style.0.traces() { &ViewPart::OF_RAYS } else { &ViewPart::OF_PATCHES };
        // plants and stones come after the surface and before the water
        let parts = [&own[..1], &[ViewPart::Scatter], &own[1..]].concat();
        let parts: Parts = parts.iter().map(|part| (*part, self.queue(cache, *part, style, key))).collect();
        parts.iter().all(|(_, id)| cache.get_render_pipeline(*id).is_some()).then_some(parts)
    }

    /// The pipelines of a planet: its map, or the terrain with its sky, clouds and lines.
    pub fn globe_parts(&mut self, cache: &PipelineCache, key: TargetKey, mode: ViewMode, is_map: bool) -> Parts {
        let all = [ViewPart::OF_GLOBE.as_slice(), &[ViewPart::GlobeMap]].concat();
        let queued: Parts =
            all.into_iter().map(|part| (part, self.queue(cache, part, (mode, Tint::None), key))).collect();
        queued.into_iter().filter(|(part, _)| (*part == ViewPart::GlobeMap) == is_map).collect()
    }

    /// The compute pipeline that advances rays. It is queued on first use; `None` until it is ready.
    pub fn march_pipeline(&mut self, cache: &PipelineCache) -> Option<CachedComputePipelineId> {
        let id = *self.march.get_or_insert_with(|| {
            cache.queue_compute_pipeline(ComputePipelineDescriptor {
                label: Some("talweg rays".into()),
                layout: vec![self.rays[0].clone()],
                shader: self.shader.march.clone(),
                entry_point: Some("march".into()),
                ..default()
            })
        });
        cache.get_compute_pipeline(id).map(|_| id)
    }

    /// The pipelines that draw the shadows of plants on a terrain or a planet. They are queued on first use; `None`
    /// until they are ready.
    pub fn shadow_pipelines(
        &mut self,
        cache: &PipelineCache,
        is_globe: bool,
    ) -> Option<[CachedRenderPipelineId; SHADOW_CASCADES]> {
        let (own, input) = match is_globe {
            true => ((&self.globe, &self.shader.globe), VertexInput::GlobeShape),
            false => ((&self.square, &self.shader.grid), VertexInput::Shape),
        };
        let ids = *self.plant_shadows[usize::from(is_globe)].get_or_insert_with(|| queue_pipelines(own, input, cache));
        ids.iter().all(|id| cache.get_render_pipeline(*id).is_some()).then_some(ids)
    }

    fn queue(
        &mut self,
        cache: &PipelineCache,
        part: ViewPart,
        style: GroundStyle,
        key: TargetKey,
    ) -> CachedRenderPipelineId {
        // only terrain surfaces have styles
        let style = match part {
            ViewPart::Ground | ViewPart::AdaptiveGround => style,
            ViewPart::Traced => (ViewMode::Traced, style.1),
            ViewPart::GlobeGround if style.0 == ViewMode::Wireframe => style,
            _ => GroundStyle::default(),
        };
        if let Some(id) = self.queued.get(&(part, style, key)) {
            return *id;
        }
        let id = cache.queue_render_pipeline(self.describe(part, style, key));
        self.queued.insert((part, style, key), id);
        id
    }

    fn describe(&self, part: ViewPart, style: GroundStyle, key: TargetKey) -> RenderPipelineDescriptor {
        let (vertex, fragment) = part.entry_points(style);
        let defs = [("ENCODE", key.must_encode()), ("VOID_MASK", key.void_mask), ("DETAIL", key.is_detailed)];
        let mut shader_defs: Vec<ShaderDefVal> =
            defs.into_iter().filter(|(_, wanted)| *wanted).map(|(name, _)| name.into()).collect();
        shader_defs.extend(key.rules.into_iter().flat_map(RulesKey::shader_defs).chain(key.needs.shader_defs()));
        let shader = match (part, part.input()) {
            (ViewPart::Traced, _) => &self.shader.rays,
            (_, VertexInput::Tile) => &self.shader.patches,
            _ if part.is_of_globe() => &self.shader.globe,
            _ => &self.shader.grid,
        };
        let layout = match part {
            ViewPart::Traced => vec![self.square.clone(), self.rays[1].clone()],
            _ if part.is_of_globe() => vec![self.globe.clone()],
            _ => vec![self.square.clone()],
        };
        let topology = match part {
            ViewPart::GlobeLines => PrimitiveTopology::LineList,
            _ if part.is_side() => PrimitiveTopology::TriangleStrip,
            _ => PrimitiveTopology::TriangleList,
        };
        // clouds and leaves are visible from both sides, and mirroring reverses the winding
        let is_two_sided = matches!(
            part,
            ViewPart::FarGround
                | ViewPart::Scatter
                | ViewPart::GlobeScatter
                | ViewPart::GlobeClouds
                | ViewPart::GlobeLines
        );
        let is_culled = !part.is_everywhere() && !is_two_sided;
        RenderPipelineDescriptor {
            label: Some(format!("talweg {part:?}").into()),
            layout,
            vertex: VertexState {
                shader: shader.clone(),
                entry_point: Some(vertex.into()),
                shader_defs: shader_defs.clone(),
                buffers: part.input().layouts(),
            },
            primitive: PrimitiveState { topology, cull_mode: is_culled.then_some(Face::Back), ..default() },
            depth_stencil: Some(DepthStencilState {
                format: CORE_3D_DEPTH_FORMAT,
                depth_write_enabled: Some(part.is_solid()),
                depth_compare: Some(CompareFunction::GreaterEqual),
                stencil: default(),
                bias: if part == ViewPart::SurfaceWater { SURFACE_WATER_BIAS } else { default() },
            }),
            multisample: MultisampleState { count: key.samples, ..default() },
            fragment: Some(FragmentState {
                shader: shader.clone(),
                entry_point: Some(fragment.into()),
                shader_defs,
                targets: vec![Some(ColorTargetState {
                    format: key.format,
                    blend: part.is_blended().then_some(BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    write_mask: ColorWrites::ALL,
                })],
            }),
            ..default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::render::shader_text::{GLOBE, GRID, PATCHES, RAYS};

    #[test]
    fn the_shaders_have_the_entry_points_of_all_parts() {
        let modes = ViewMode::ALL.into_iter();
        let all: Vec<GroundStyle> =
            modes.flat_map(|mode| [Tint::None, Tint::Slope, Tint::Data].map(|tint| (mode, tint))).collect();
        let globe = [ViewPart::OF_GLOBE.as_slice(), &[ViewPart::GlobeMap]].concat();
        let parts = [
            (GRID, ViewPart::OF_GRID.to_vec()),
            (PATCHES, ViewPart::OF_PATCHES.to_vec()),
            (RAYS, ViewPart::OF_RAYS.to_vec()),
            (GLOBE, globe),
        ];
        for (source, parts) in parts {
            for (part, style) in parts.iter().flat_map(|part| all.iter().map(move |style| (*part, *style))) {
                let (vertex, fragment) = part.entry_points(style);
                for (stage, name) in [("@vertex", vertex), ("@fragment", fragment)] {
                    assert!(source.contains(&format!("{stage}\nfn {name}(")), "{part:?}: {name}");
                }
            }
        }
    }
}

//! Computes the drainage of the whole terrain tile by tile, for layers that need it. A layer needs this drainage before
//! it starts, or within the iterations of a process. [`tiles`](crate::tiles) makes these steps stages of a build.

use super::{context, plan};
use crate::field::{Cancelled, Control, Grid, MapKind, Region, Terrain};
use crate::hydrology::tiled::{
    DividedRegion, DividedSolution, DividedSummary, DividedTrunks, DrainedRegion, FilledRegion, FlatSolution,
    FlatSummary, RegionDrainage, SurveyReader, TileRegions, WordError, read_float_field, write_floats,
};
use crate::hydrology::{DrainedArea, FlowMesh, Outlets};
use crate::nodes::erosion::stream_power::{StreamPower, tiles as stream_power};
use crate::nodes::{Context, NodeDrainage, NodeParts};
use crate::scene::Scene;

/// A layer of a scene at `samples` per side that needs the drainage of the whole terrain. For most layers, this is the
/// drainage of the terrain below. For a process, it is the drainage of its own terrain before an iteration.
#[derive(Clone, Copy, Debug)]
pub struct WaterLayer<'a> {
    drainage: NodeDrainage,
    /// The stream power equation, if the drainage is needed for an iteration.
    law: Option<&'a StreamPower>,
    scene: &'a Scene,
    samples: usize,
    layer: usize,
}

impl<'a> WaterLayer<'a> {
    /// Returns the layer with index `layer`. If the layer is a process, `iteration` is the number of an iteration on
    /// that grid. `None` if the layer needs no drainage.
    pub fn find(scene: &'a Scene, samples: usize, layer: usize, iteration: Option<u32>) -> Option<Self> {
        let (asked, law) = match iteration {
            None => match scene.layers.get(layer)?.node.parts() {
                NodeParts::Drained(asked, _) => (asked, None),
                _ => return None,
            },
            Some(iteration) => {
                let step = plan(scene, samples, None).into_iter().find(|step| step.index == layer)?;
                let mut end = 0;
                let mut is_before = |iterations: u32| {
                    end += iterations;
                    iteration < end
                };
                let process = step.stages.into_iter().find(|stage| is_before(stage.iterations))?.process;
                match process.parts() {
                    NodeParts::StreamPower(asked, law) => (asked, Some(law)),
                    _ => return None,
                }
            }
        };
        Some(Self { drainage: asked, law, scene, samples, layer })
    }

    fn context<'c>(&self, grid: Grid, control: &'c Control) -> Context<'c>
    where
        'a: 'c,
    {
        Context { grid, ..context(self.scene, self.samples, &self.scene.layers[self.layer], control) }
    }

    /// The kind of drainage that the layer needs.
    pub fn drainage(&self) -> NodeDrainage {
        self.drainage
    }

    /// The stream power equation, if the drainage is needed for an iteration.
    pub(super) fn law(&self) -> Option<&'a StreamPower> {
        self.law
    }

    /// Standard deviation, in metres, of the smoothing that creep applies to the eroded terrain in an iteration. `None`
    /// without creep.
    pub fn creep_deviation(&self) -> Option<f32> {
        let control = Control::default();
        let whole = Grid::working(self.samples, self.scene.settings.edges);
        self.law.and_then(|law| stream_power::creep_deviation(law, &self.context(whole, &control)))
    }

    /// The drainage within the tile `region`, without water from other tiles. `ground` covers a window one cell larger
    /// than the tile on each side.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn region_drainage(
        &self,
        region: Region,
        ground: &Terrain,
        control: &Control,
    ) -> Result<RegionDrainage, Cancelled> {
        RegionDrainage::new(ground.grid, region, &ground.height, &self.outlets(ground, control), control)
    }

    fn outlets(&self, ground: &Terrain, control: &Control) -> Outlets {
        let cx = self.context(ground.grid, control);
        cx.outlets(ground, &ground.height, self.drainage.sea_metres / cx.relief_metres)
    }

    /// Summary of the flats at the rim of a tile, on its filled surface.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn flats(&self, ground: &Terrain, filled: &FilledRegion, control: &Control) -> Result<FlatSummary, Cancelled> {
        let routing = self.drainage.routing(&self.context(ground.grid, control));
        filled.flats(&self.outlets(ground, control), routing, control)
    }

    /// The drainage of a tile over its filled surface, with the given distances on flats.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn drained_region(
        &self,
        ground: &Terrain,
        filled: FilledRegion,
        flats: &FlatSolution,
        control: &Control,
    ) -> Result<DrainedRegion, Cancelled> {
        let routing = self.drainage.routing(&self.context(ground.grid, control));
        filled.drain(&ground.height, &self.outlets(ground, control), routing, flats, control)
    }

    /// Returns the summary of a tile's trunk streams for the whole terrain, and the data that the tile keeps.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn summary_and_kept_data(
        &self,
        ground: &Terrain,
        water: DrainedRegion,
        control: &Control,
    ) -> Result<[Vec<u64>; 2], Cancelled> {
        let (cx, mesh) = (self.context(ground.grid, control), FlowMesh::new(ground.grid));
        if let Some(law) = self.law {
            return stream_power::summarise_trunks(law, &cx, ground, water);
        }
        let divided = water.divided(&self.outlets(ground, control), control)?;
        let mut areas = Vec::new();
        mesh.write_rained_areas(rain(ground), &mut areas);
        let shares = divided.flow.second_fractions(&mesh);
        divided.accumulate(&shares, &mut areas, control)?;
        let [mut told, mut kept] = [Vec::new(), Vec::new()];
        divided.summary(&shares, &areas).write_words(&mut told);
        divided.write_words(&mut kept);
        write_floats(&mut kept, &DrainedArea::into_cells(areas));
        Ok([told, kept])
    }

    /// Solves the trunk streams of the whole terrain from the summaries of all tiles. `read` returns the summary of a
    /// tile by its number. Returns the solution for each tile.
    ///
    /// # Errors
    /// If the computation was cancelled, or if 64-bit words cannot be read or are not summaries.
    pub fn solve_trunks<E: From<Cancelled>>(
        &self,
        tiles: &TileRegions,
        read: impl Fn(usize, &dyn Fn(&[u64]) -> Result<TrunkSummary, WordError>) -> Result<TrunkSummary, E>,
        control: &Control,
    ) -> Result<Vec<DividedSolution>, E> {
        let whole = Grid::working(self.samples, self.scene.settings.edges);
        let mut all = Vec::with_capacity(tiles.len());
        for tile in 0..tiles.len() {
            control.check()?;
            all.push(read(tile, &|words| TrunkSummary::from_words(words, tiles.rim_len(tile), self.law.is_some()))?);
        }
        let (mut summaries, mut grounds) = (Vec::new(), Vec::new());
        for told in all {
            summaries.push(told.divided);
            grounds.extend(told.ground);
        }
        let world = DividedTrunks::new(tiles, summaries, control)?;
        Ok(match self.law {
            Some(law) => stream_power::erode_trunks(law, &self.context(whole, control), &world, grounds)?,
            None => world.solutions(|_| 0.0),
        })
    }

    /// Returns the drainage areas of a tile's cells, computed from the tile's kept data and its solution. The result
    /// covers a window; areas outside the tile are 0.
    ///
    /// # Errors
    /// If the 64-bit words are invalid.
    pub fn divided_areas(grid: Grid, region: Region, [kept, told]: [&[u64]; 2]) -> Result<Vec<f32>, WordError> {
        let mut reader = SurveyReader::new(kept);
        let divided = DividedRegion::of_tile(grid, region, &mut reader)?;
        let mut areas = read_float_field(&mut reader, grid.len())?;
        reader.end()?;
        divided.read_solution(told, |k, [area, _]| areas[k] = area)?;
        Ok(areas)
    }

    /// The terrain of a tile after the erosion of an iteration. `ground` is the terrain before the iteration; the
    /// result covers the same window. The erosion is computed from the tile's kept data and its solution.
    ///
    /// # Errors
    /// If the computation was cancelled, or if the 64-bit words are invalid.
    pub fn eroded_tile(
        &self,
        ground: &Terrain,
        region: Region,
        words: [&[u64]; 2],
        control: &Control,
    ) -> Result<Result<Terrain, WordError>, Cancelled> {
        let Some(law) = self.law else { return Ok(Err(WordError)) };
        stream_power::erode_tile(law, &self.context(ground.grid, control), ground, region, words)
    }
}

/// The rain map of a terrain; `None` if the terrain has no such map.
pub fn rain(ground: &Terrain) -> Option<&[f32]> {
    ground.map(MapKind::Rain).map(|rain| &***rain)
}

/// A tile's summary of its trunk streams.
pub struct TrunkSummary {
    divided: DividedSummary,
    /// The terrain heights along the trunk streams, if the streams are eroded.
    ground: Option<stream_power::TrunkHeights>,
}

impl TrunkSummary {
    fn from_words(words: &[u64], rim: usize, is_worn: bool) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let divided = DividedSummary::read_words(&mut reader, rim)?;
        let ground = is_worn.then(|| stream_power::TrunkHeights::read_words(&mut reader, divided.len()));
        let made = Self { ground: ground.transpose()?, divided };
        reader.end()?;
        Ok(made)
    }
}

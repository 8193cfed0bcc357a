//! What layers ask about the water of the whole, tile by tile: the steps before a layer, and within the iterations of a
//! process, that [`tiles`](crate::tiles) makes stages of.

use super::{context, plan};
use crate::field::{Cancelled, Control, Grid, MapKind, Region, Terrain};
use crate::hydrology::tiled::{
    DividedRegion, DividedSolution, DividedSummary, DividedWorld, DrainedRegion, RegionDrainage, SpillSolution,
    SurveyReader, TileRegions, WordError, read_float_field, write_floats,
};
use crate::hydrology::{DrainedArea, FlowMesh, Outlets};
use crate::nodes::erosion::stream_power::{StreamPower, tiles as stream_power};
use crate::nodes::{Context, NodeDrainage, NodeParts};
use crate::scene::Scene;

/// A layer of a scene at `samples` a side that asks about the water of the ground beneath it, or of its own ground
/// before an iteration.
#[derive(Clone, Copy, Debug)]
pub struct WaterLayer<'a> {
    asked: NodeDrainage,
    /// Of an iteration.
    law: Option<&'a StreamPower>,
    scene: &'a Scene,
    samples: usize,
    layer: usize,
}

impl<'a> WaterLayer<'a> {
    /// The layer of that index, at an iteration on that grid if it is a process; none if it does not ask.
    pub fn find(scene: &'a Scene, samples: usize, layer: usize, iteration: Option<u32>) -> Option<Self> {
        let (asked, law) = match iteration {
            None => match scene.layers.get(layer)?.node.traits().parts {
                NodeParts::Drained(asked) => (asked, None),
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
                match process.traits().parts {
                    NodeParts::Worn(asked) => (asked, Some(process.as_stream_power()?)),
                    _ => return None,
                }
            }
        };
        Some(Self { asked, law, scene, samples, layer })
    }

    fn context<'c>(&self, grid: Grid, control: &'c Control) -> Context<'c>
    where
        'a: 'c,
    {
        Context { grid, ..context(self.scene, self.samples, &self.scene.layers[self.layer], control) }
    }

    /// What it asks.
    pub fn asked(&self) -> NodeDrainage {
        self.asked
    }

    /// The law of streams, if it asks at an iteration.
    pub(super) fn law(&self) -> Option<&'a StreamPower> {
        self.law
    }

    /// The standard deviation in metres that the worn ground of an iteration is smoothed by, if it is.
    pub fn creep_deviation(&self) -> Option<f32> {
        let control = Control::default();
        let whole = Grid::working(self.samples, self.scene.settings.edges);
        self.law.and_then(|law| stream_power::creep_deviation(law, &self.context(whole, &control)))
    }

    /// The water of the tile `region` by itself; `ground` lies on a window that reaches a cell farther than the tile.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn region_drainage(
        &self,
        region: Region,
        ground: &Terrain,
        control: &Control,
    ) -> Result<RegionDrainage, Cancelled> {
        let (cx, height) = (self.context(ground.grid, control), &ground.height);
        let outlets = Outlets::new(ground.grid, height, self.asked.sea_metres / cx.relief_metres);
        RegionDrainage::new(ground.grid, region, height, &outlets, self.asked.routing(&cx), control)
    }

    /// What a tile tells of its trunks, where its water is divided, and what it keeps: from its water, with the spills
    /// that it was told.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn told_and_kept(
        &self,
        ground: &Terrain,
        water: DrainedRegion,
        spills: &SpillSolution,
        control: &Control,
    ) -> Result<[Vec<u64>; 2], Cancelled> {
        let (cx, mesh) = (self.context(ground.grid, control), FlowMesh::new(ground.grid));
        if let Some(law) = self.law {
            return stream_power::told_and_kept(law, &cx, ground, water, spills);
        }
        let outlets = Outlets::new(ground.grid, &ground.height, self.asked.sea_metres / cx.relief_metres);
        let divided = water.divided(&ground.height, spills, &outlets, control)?;
        let mut areas = Vec::new();
        mesh.write_rained_areas(rain(ground), &mut areas);
        let shares = divided.flow.shares(&mesh);
        divided.accumulate(&shares, &mut areas, control)?;
        let [mut told, mut kept] = [Vec::new(), Vec::new()];
        divided.summary(&shares, &areas).write_words(&mut told);
        divided.write_words(&mut kept);
        write_floats(&mut kept, &DrainedArea::into_cells(areas));
        Ok([told, kept])
    }

    /// What each tile is told of its trunks, from the words that all tell, each of the region of its number.
    ///
    /// # Errors
    /// When it was cancelled, or words cannot be read, or are no such words.
    pub fn solve_trunks<E: From<Cancelled>>(
        &self,
        tiles: &TileRegions,
        read: impl Fn(usize, &dyn Fn(&[u64]) -> Result<ToldTrunks, WordError>) -> Result<ToldTrunks, E>,
        control: &Control,
    ) -> Result<Vec<DividedSolution>, E> {
        let whole = Grid::working(self.samples, self.scene.settings.edges);
        let mut all = Vec::with_capacity(tiles.len());
        for tile in 0..tiles.len() {
            control.check()?;
            all.push(read(tile, &|words| ToldTrunks::from_words(words, tiles.rim_len(tile), self.law.is_some()))?);
        }
        let (mut summaries, mut grounds) = (Vec::new(), Vec::new());
        for told in all {
            summaries.push(told.divided);
            grounds.extend(told.ground);
        }
        let world = DividedWorld::new(tiles, summaries, control)?;
        Ok(match self.law {
            Some(law) => stream_power::worn_trunks(law, &self.context(whole, control), &world, grounds)?,
            None => world.solutions(|_| 0.0),
        })
    }

    /// The areas that drain through the cells of a tile, in a window, from what it kept and is told; 0 beyond it.
    ///
    /// # Errors
    /// When the words are no such words.
    pub fn divided_areas(grid: Grid, region: Region, [kept, told]: [&[u64]; 2]) -> Result<Vec<f32>, WordError> {
        let mut reader = SurveyReader::new(kept);
        let divided = DividedRegion::of_tile(grid, region, &mut reader)?;
        let mut areas = read_float_field(&mut reader, grid.len())?;
        reader.end()?;
        divided.take_told(told, |k, [area, _]| areas[k] = area)?;
        Ok(areas)
    }

    /// The ground of a tile after the wear of an iteration, in the window of `ground`, which is that before it: from
    /// what it kept and is told.
    ///
    /// # Errors
    /// When it was cancelled, or the words are no such words.
    pub fn worn(
        &self,
        ground: &Terrain,
        region: Region,
        words: [&[u64]; 2],
        control: &Control,
    ) -> Result<Result<Terrain, WordError>, Cancelled> {
        let Some(law) = self.law else { return Ok(Err(WordError)) };
        stream_power::worn_tile(law, &self.context(ground.grid, control), ground, region, words)
    }
}

/// The rain map of a terrain.
pub fn rain(ground: &Terrain) -> Option<&[f32]> {
    ground.map(MapKind::Rain).map(|rain| &***rain)
}

/// What a tile told of its trunks.
pub struct ToldTrunks {
    divided: DividedSummary,
    /// Where they are worn.
    ground: Option<stream_power::TrunkGround>,
}

impl ToldTrunks {
    fn from_words(words: &[u64], rim: usize, is_worn: bool) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let divided = DividedSummary::read_words(&mut reader, rim)?;
        let ground = is_worn.then(|| stream_power::TrunkGround::read_words(&mut reader, divided.len()));
        let made = Self { ground: ground.transpose()?, divided };
        reader.end()?;
        Ok(made)
    }
}

//! The fraction of the map that each rule covers. A background task computes the condition values once, at points that
//! are spread over the map. The fractions can therefore be updated while the user drags a rule.

use std::borrow::Cow;
use std::sync::Arc;

use bevy::prelude::*;
use rayon::prelude::*;

use super::panel::GroundRulesState;
use crate::frame::editor::Editor;
use crate::frame::evaluation::EvaluationClient;
use crate::frame::tasks::{Newest, Tasks};
use crate::view::{RenderTerrain, SquareTerrain};
use talweg::appearance::scatter::PlantedGround;
use talweg::appearance::{GroundConditions, PaletteTable};
use talweg::appearance_files::{Bands, CONDITIONS, MOST_RULES, MaterialRules, Palette, fulfilled};
use talweg::field::{Control, MapKind, Terrain};

/// Number of sampled points along each side of the map.
const PLACES: usize = 64;

/// The values of [`CONDITIONS`] at one point.
type PlaceValues = [f32; CONDITIONS.len()];

/// The sampled condition values of the map on screen.
#[derive(Resource, Clone, Debug, Default)]
pub struct RuleCoverage {
    /// Condition values at points that are spread over the map.
    values: Option<Arc<Vec<PlaceValues>>>,
    /// For each of [`CONDITIONS`], whether the terrain lacks its data map. The value of such a condition is 0
    /// everywhere. `None` until there is a terrain.
    pub missing: Option<[bool; CONDITIONS.len()]>,
}

impl RuleCoverage {
    /// Fraction of the map on which each material rule is visible.
    pub fn of_materials(&self, rules: &MaterialRules) -> Option<[f32; MOST_RULES]> {
        let values = self.values.as_ref().filter(|values| !values.is_empty())?;
        let mut sums = [0.0; MOST_RULES];
        for place in values.iter() {
            sums.iter_mut().zip(rules.visible_fractions(*place)).for_each(|(sum, seen)| *sum += seen);
        }
        Some(sums.map(|sum| sum / values.len() as f32))
    }

    /// Fraction of the map that fulfils the bands, from 0 to 1.
    pub fn of_bands(&self, bands: &Bands) -> Option<f32> {
        let values = self.values.as_ref().filter(|values| !values.is_empty())?;
        let place = |values: &PlaceValues| bands.iter().zip(values).map(|(b, v)| fulfilled(*b, *v)).product::<f32>();
        Some(values.iter().map(place).sum::<f32>() / values.len() as f32)
    }
}

/// Identifies the sampled terrain and the palette with which it is coloured.
type SampleKey = (u64, String, Option<Arc<Palette>>);

/// The task that samples the map in the background.
#[derive(Resource, Default)]
pub(super) struct RuleCoverTask(Newest<SampleKey, Arc<Vec<PlaceValues>>>);

/// Takes the results of the sampling task and starts the next task.
pub(super) fn advance(
    mut task: ResMut<RuleCoverTask>,
    mut covers: ResMut<RuleCoverage>,
    evaluation: Res<EvaluationClient>,
    (editor, state): (Res<Editor>, Res<GroundRulesState>),
    tasks: Res<Tasks>,
) {
    let task = &mut task.0;
    task.receive();
    let square = match evaluation.drawn_terrain() {
        Some(RenderTerrain::Square(square)) if state.open => square,
        _ => {
            task.stop();
            *covers = RuleCoverage::default();
            return;
        }
    };
    let scene = editor.doc.scene();
    let key = (square.serial, scene.palette.clone(), scene.own_palette.clone());
    let known = task.done().filter(|(of, _)| *of == key).map(|(_, values)| values.clone());
    if known.is_none() && task.running().is_none_or(|running| *running != key) {
        let (square, table) = (square.clone(), PaletteTable::for_scene(scene));
        let work = move |control: &Control| values_of(&square, &table, control);
        task.start(key, tasks.start("ground-rules", work));
    }
    let missing = Some(missing_maps(&square.terrain));
    // keep the values of the previous terrain until the new values are ready
    let values = known.or(covers.values.take());
    *covers = RuleCoverage { values, missing };
}

/// For each condition, whether the terrain lacks the data map of the condition.
fn missing_maps(terrain: &Terrain) -> [bool; CONDITIONS.len()] {
    let lacks = |kind| terrain.map(kind).is_none();
    CONDITIONS.map(|condition| match condition {
        "flow" | "wetness" => lacks(MapKind::Flow),
        "deposits" => lacks(MapKind::Deposits),
        "wear" => lacks(MapKind::Wear),
        "vegetation" => lacks(MapKind::Vegetation),
        "hardness" => lacks(MapKind::Hardness),
        _ => false,
    })
}

fn values_of(square: &SquareTerrain, table: &PaletteTable, control: &Control) -> Option<Arc<Vec<PlaceValues>>> {
    let painted = square.colours.as_ref().filter(|_| square.biomes.is_some());
    let colours = painted.map(|mips| Cow::Borrowed(mips.levels[0].bytes.as_chunks::<4>().0));
    let light = square.light.levels[0].bytes.as_chunks::<2>().0;
    let openness = light.iter().map(|[_, openness]| f32::from(*openness) / 255.0).collect();
    control.check().ok()?;
    let ground = GroundConditions::in_window(&square.terrain, &square.settings, table, colours, (Some(openness), true));
    let at = |k: usize| (k as f32 + 0.5) / PLACES as f32;
    let places = (0..PLACES * PLACES).into_par_iter().map(|k| [at(k % PLACES), at(k / PLACES)]);
    Some(Arc::new(places.filter(|place| ground.has_ground(*place)).map(|place| ground.values(place)).collect()))
}

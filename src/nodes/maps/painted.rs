//! Painted map: a data map drawn by hand.
//!
//! Law: the map begins with one value everywhere, or as the layers below left it, and the strokes act on it in its own
//! unit. Sand and snow are part of the height: the ground rises and sinks with them.
//! Squares only: strokes stand in a plane; a planet has them on a patch.
//! Source: Schott, Paris, Fournier, Guérin & Galin 2023, *Large-scale Terrain Authoring through Interactive Erosion
//! Simulation* (an author paints what causes the relief: uplift, hardness, rain).

use std::sync::Arc;

use crate::sculpt::{Canvas, CanvasRock, working_fields};
use crate::{Context, Filter, NodeParts, Traits};
use talweg_ground::brush::Strokes;
use talweg_ground::field::{Cancelled, MapKind, Terrain};

talweg_ground::choices! {
    /// What is painted.
    PaintedKind {
        Uplift "Uplift": "Where mountains rise, for uplift and stream power above: from 0 to 1.",
        Hardness "Hardness": "Where rock resists erosion: from 0 to 1.",
        Rain "Rain": "Where it rains, as a multiple of what falls on average.",
        Vegetation "Vegetation": "How densely plants grow, from 0 to 1.",
        Sand "Sand": "Depth of loose sand in metres, laid on the ground.",
        Snow "Snow": "Depth of snow in metres, laid on the ground.",
        Trees "Trees": "Share of the trees that stand, from 0 to 1: lower it to thin the forest or to clear it.",
        Undergrowth "Shrubs and grass": "Share of the shrubs and tufts of grass that stand, from 0 to 1.",
        Stones "Stones": "Share of the stones that lie about, from 0 to 1.",
    }
}

impl PaintedKind {
    /// The data map that it is.
    pub fn map(self) -> MapKind {
        match self {
            Self::Uplift => MapKind::Uplift,
            Self::Hardness => MapKind::Hardness,
            Self::Rain => MapKind::Rain,
            Self::Vegetation => MapKind::Vegetation,
            Self::Sand => MapKind::Sand,
            Self::Snow => MapKind::Snow,
            Self::Trees => MapKind::TreeDensity,
            Self::Undergrowth => MapKind::UndergrowthDensity,
            Self::Stones => MapKind::StoneDensity,
        }
    }

    fn is_laid_on_ground(self) -> bool {
        matches!(self, Self::Sand | Self::Snow)
    }

    /// Greatest value in the unit of strokes.
    fn most(self) -> f32 {
        match self {
            Self::Uplift | Self::Hardness | Self::Vegetation | Self::Trees | Self::Undergrowth | Self::Stones => 1.0,
            Self::Rain => 1000.0,
            Self::Sand | Self::Snow => 10_000.0,
        }
    }
}

talweg_ground::params! {
    /// A data map painted by hand: where mountains rise, rock is hard, rain falls, plants grow, sand or snow lies, and
    /// how many trees and stones stand there. The erosions above follow it, and so does the view.
    PaintedMap "Painted map" in "Maps", from "Schott et al. 2023", also "brush paint hand draw uplift hardness rain vegetation sand snow trees forest density thin clear shrubs grass stones" {
        /// What is painted.
        kind: PaintedKind = PaintedKind::Uplift;
        /// Paints on what the layers below have made, not on an even map.
        keep_below: bool = false;
        /// Value where nothing is painted, in the unit of the map.
        value: f32 = 0.0, 0.0..=10_000.0, slider 0.0..=1.0 => |painted| !painted.keep_below;
        /// The strokes, in the order in which they act.
        strokes: Arc<Strokes> = Strokes::none();
        presets {
            Uplift "Uplift": "Mountains rise where it is painted, under uplift and stream power above." {}
            Hardness "Hardness": "Rock resists where it is painted." { kind = PaintedKind::Hardness }
            Rain "Rain": "It rains everywhere, more or less where it is painted." { kind = PaintedKind::Rain, value = 1.0 }
            Vegetation "Vegetation": "Plants grow where they are painted." { kind = PaintedKind::Vegetation }
            Sand "Sand": "Sand lies where it is painted, for dunes above." { kind = PaintedKind::Sand }
            Snow "Snow": "Snow lies where it is painted." { kind = PaintedKind::Snow }
            Trees "Trees": "Trees stand as the palette has them, fewer where they are painted away." { kind = PaintedKind::Trees, value = 1.0 }
            Undergrowth "Shrubs and grass": "Shrubs and grass grow as the palette has them, fewer where they are painted away." { kind = PaintedKind::Undergrowth, value = 1.0 }
            Stones "Stones": "Stones lie as the palette has them, fewer where they are painted away." { kind = PaintedKind::Stones, value = 1.0 }
        }
    }
}

/// The kinds of map that there are, as the traits want them.
const WRITTEN: [&[MapKind]; 9] = [
    &[MapKind::Uplift],
    &[MapKind::Hardness],
    &[MapKind::Rain],
    &[MapKind::Vegetation],
    &[MapKind::Sand],
    &[MapKind::Snow],
    &[MapKind::TreeDensity],
    &[MapKind::UndergrowthDensity],
    &[MapKind::StoneDensity],
];

impl PaintedMap {
    /// Size of the map's unit in the field: thicknesses are fractions of the relief.
    fn unit(&self, cx: &Context) -> f32 {
        if self.kind.map().is_thickness() { 1.0 / cx.relief_metres } else { 1.0 }
    }

    /// What the strokes act on.
    pub fn canvas<'a>(&self, cx: &'a Context<'a>) -> Canvas<'a> {
        let unit = self.unit(cx);
        Canvas { cx, unit, limits: (0.0, self.kind.most() * unit), rock: CanvasRock::None, erosion_samples: usize::MAX }
    }

    /// The map before the first stroke.
    pub fn blank(&self, cx: &Context, beneath: &Terrain) -> Vec<f32> {
        let kind = self.kind.map();
        match beneath.map(kind).filter(|_| self.keep_below) {
            Some(map) => map.to_vec(),
            None if self.keep_below => vec![kind.neutral(); beneath.grid.len()],
            None => vec![self.value.min(self.kind.most()) * self.unit(cx); beneath.grid.len()],
        }
    }

    /// Puts a map that was painted in the place of that below; the ground rises by what is laid on it.
    pub fn lay(&self, cx: &Context, map: Vec<f32>, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let kind = self.kind.map();
        if self.kind.is_laid_on_ground() {
            let before = terrain.map(kind).cloned();
            let n = cx.grid.samples;
            cx.rows(&mut terrain.height, |i, row| {
                for (j, h) in row.iter_mut().enumerate() {
                    let k = i * n + j;
                    *h += map[k] - before.as_ref().map_or(0.0, |before| before[k]);
                }
            })?;
        }
        terrain.set_map(kind, Some(Arc::new(map)));
        Ok(())
    }
}

impl Filter for PaintedMap {
    fn traits(&self) -> Traits {
        Traits {
            writes: WRITTEN[self.kind as usize],
            previews_exactly: false,
            working_fields: working_fields(&self.strokes, false),
            parts: NodeParts::painted(&self.strokes),
            ..Traits::FILTER
        }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let mut map = self.blank(cx, terrain);
        self.canvas(cx).strokes(&self.strokes, &mut map)?;
        self.lay(cx, map, terrain)
    }
}

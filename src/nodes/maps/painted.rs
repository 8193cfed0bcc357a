//! Painted map: a data map drawn by hand.
//!
//! Law: the map starts with a constant value, or with the map of the layers below. The strokes change the map in the
//! map's own unit. Sand and snow are part of the height: the terrain rises and sinks with their depth.
//! Squares only: strokes are drawn in a plane; on a planet, paint a patch.
//! Source: Schott, Paris, Fournier, Guérin & Galin 2023, *Large-scale Terrain Authoring through Interactive Erosion
//! Simulation* (an author paints the causes of the relief: uplift, hardness, rain).

use std::sync::Arc;

use crate::sculpt::{Canvas, CanvasRock, working_fields};
use crate::{Context, Filter, NodeMemory, NodeParts, Traits};
use talweg_ground::brush::Strokes;
use talweg_ground::field::{Cancelled, MapKind, Terrain};

talweg_ground::choices! {
    /// The quantity to paint.
    PaintedKind {
        Uplift "Uplift": "Rate of uplift, from 0 to 1, for an uplift and stream power layer above.",
        Hardness "Hardness": "Resistance of the rock to erosion, from 0 to 1.",
        Rain "Rain": "Rainfall as a multiple of the average.",
        Vegetation "Vegetation": "Density of the vegetation, from 0 to 1.",
        Sand "Sand": "Depth of loose sand in metres, added on top of the terrain.",
        Snow "Snow": "Depth of snow in metres, added on top of the terrain.",
        Trees "Trees": "Fraction of the trees that remain, from 0 to 1: lower values thin or clear the forest.",
        Undergrowth "Shrubs and grass": "Fraction of the shrubs and grass tufts that remain, from 0 to 1.",
        Stones "Stones": "Fraction of the stones that remain, from 0 to 1.",
    }
}

impl PaintedKind {
    /// The data map that the strokes change.
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

    /// Maximum value of the map, in the unit of the strokes.
    fn max_value(self) -> f32 {
        match self {
            Self::Uplift | Self::Hardness | Self::Vegetation | Self::Trees | Self::Undergrowth | Self::Stones => 1.0,
            Self::Rain => 1000.0,
            Self::Sand | Self::Snow => 10_000.0,
        }
    }
}

talweg_ground::params! {
    /// A data map painted by hand: uplift, hardness, rain, vegetation, sand, snow, or the density of trees and stones.
    /// The erosion layers above and the 3D view use the map.
    PaintedMap "Painted map" in "Maps", from "Schott et al. 2023", also "brush paint hand draw uplift hardness rain vegetation sand snow trees forest density thin clear shrubs grass stones" {
        /// Quantity to paint.
        kind: PaintedKind = PaintedKind::Uplift;
        /// Paints on the map of the layers below instead of on a constant map.
        keep_below: bool = false;
        /// Value of unpainted areas, in the unit of the map.
        value: f32 = 0.0, 0.0..=10_000.0, slider 0.0..=1.0 => |painted| !painted.keep_below;
        /// The strokes, in the order in which they act.
        strokes: Arc<Strokes> = Strokes::none();
        presets {
            Uplift "Uplift": "Mountains rise in painted areas if an uplift and stream power layer is above." {}
            Hardness "Hardness": "Rock resists erosion in painted areas." { kind = PaintedKind::Hardness }
            Rain "Rain": "It rains everywhere, with more or less rain in painted areas." { kind = PaintedKind::Rain, value = 1.0 }
            Vegetation "Vegetation": "Plants grow in painted areas." { kind = PaintedKind::Vegetation }
            Sand "Sand": "Sand covers painted areas; dune layers above move the sand." { kind = PaintedKind::Sand }
            Snow "Snow": "Snow covers painted areas." { kind = PaintedKind::Snow }
            Trees "Trees": "Trees grow as in the palette; painting removes some of them." { kind = PaintedKind::Trees, value = 1.0 }
            Undergrowth "Shrubs and grass": "Shrubs and grass grow as in the palette; painting removes some of them." { kind = PaintedKind::Undergrowth, value = 1.0 }
            Stones "Stones": "Stones are placed as in the palette; painting removes some of them." { kind = PaintedKind::Stones, value = 1.0 }
        }
    }
}

/// The map that each kind of painted map writes. [`Traits::writes`] needs a slice.
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
    /// Stored value of one unit of the map. Thicknesses are painted in metres and stored as fractions of the relief.
    fn unit(&self, cx: &Context) -> f32 {
        if self.kind.map().is_thickness() { 1.0 / cx.relief_metres } else { 1.0 }
    }

    /// Returns the canvas on which the strokes are drawn, with the unit and limits of the map.
    pub fn canvas<'a>(&self, cx: &'a Context<'a>) -> Canvas<'a> {
        let unit = self.unit(cx);
        Canvas {
            cx,
            unit,
            limits: (0.0, self.kind.max_value() * unit),
            rock: CanvasRock::None,
            erosion_samples: usize::MAX,
        }
    }

    /// Returns the map before the first stroke. `beneath` is the terrain of the layers below.
    pub fn blank(&self, cx: &Context, beneath: &Terrain) -> Vec<f32> {
        let kind = self.kind.map();
        match beneath.map(kind).filter(|_| self.keep_below) {
            Some(map) => map.to_vec(),
            None if self.keep_below => vec![kind.neutral(); beneath.grid.len()],
            None => vec![self.value.min(self.kind.max_value()) * self.unit(cx); beneath.grid.len()],
        }
    }

    /// Sets `map` as the painted map of `terrain`. Sand and snow also change the heights by their change of thickness.
    pub fn set_map(&self, cx: &Context, map: Vec<f32>, terrain: &mut Terrain) -> Result<(), Cancelled> {
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
            memory: NodeMemory::constant(working_fields(&self.strokes, false)),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::painted(&self.strokes)
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let mut map = self.blank(cx, terrain);
        self.canvas(cx).strokes(&self.strokes, &mut map)?;
        self.set_map(cx, map, terrain)
    }
}

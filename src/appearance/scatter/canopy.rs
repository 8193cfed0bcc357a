//! The canopy: the colour of the crowns seen from above, and the fraction of the terrain below crowns. It is drawn at
//! distances at which single plants are too small to be visible.

use std::sync::LazyLock;

use rayon::prelude::*;

use super::groves::grove_share;
use super::shapes::ScatterShape;
use super::{PlantedGround, SQUARE_METRES, ScatterPlacer, cover, rule_stream};
use crate::appearance_files::{ScatterKind, ScatterRule};
use crate::field::{Cancelled, Control};

/// The canopy at a position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Canopy {
    /// Colour in linear light.
    pub colour: [f32; 3],
    /// Fraction of the terrain below crowns, 0 to 1.
    pub cover: f32,
}

/// The crown of a plant that is one metre high.
#[derive(Clone, Copy)]
struct Crown {
    radius: f32,
    colour: [f32; 3],
}

/// Crowns by kind of plant. Grass has no crown, because it has the colour of the ground. Stones have no crown either.
static CROWNS: LazyLock<Vec<Option<Crown>>> = LazyLock::new(|| {
    let crown = |kind: &ScatterKind| {
        if !kind.has_crown() {
            return None;
        }
        let shape = ScatterShape::new(*kind, 0);
        let leaves: Vec<_> = shape.vertices.iter().filter(|vertex| vertex.leaf[0] >= 0.0).collect();
        let squares = leaves.iter().map(|v| v.position[0] * v.position[0] + v.position[2] * v.position[2]);
        // The mean squared distance from the centre of a disc is half its squared radius.
        let radius = (2.0 * squares.sum::<f32>() / leaves.len() as f32).sqrt();
        // Leaves that receive light are the leaves that are visible from above.
        let weights = leaves.iter().map(|v| v.open * v.open);
        let total: f32 = weights.clone().sum();
        let colour = std::array::from_fn(|c| {
            leaves.iter().zip(weights.clone()).map(|(v, weight)| weight * v.open * v.colour[c]).sum::<f32>() / total
        });
        Some(Crown { radius, colour })
    };
    ScatterKind::ALL.iter().map(crown).collect()
});

/// Mean area in square metres below the crown of one plant of a rule, over all its sizes.
fn crown_area(rule: &ScatterRule, crown: &Crown) -> f32 {
    // Mean, and then mean square, of the interpolation factor between the smallest and the largest size. See
    // `ScatterPlacer::objects_in_cell`.
    const MEAN: f32 = 0.5 * (0.35 + 0.5 * 0.65);
    const SQUARE: f32 = (0.35 * 0.35 + 0.35 * 0.65 + 0.65 * 0.65 / 3.0) / 3.0;
    let (least, span) = (rule.size.0, rule.size.1 - rule.size.0);
    let square = least * least + 2.0 * least * span * MEAN + span * span * SQUARE;
    std::f32::consts::PI * crown.radius * crown.radius * square
}

/// A position at which the canopy is computed.
pub struct CanopySpot {
    /// The position, from 0 to 1 along the terrain's sides as in [`PlantedGround`].
    pub at: [f32; 2],
    /// Distance in metres to the neighbouring positions; groves narrower than this are replaced by their mean cover.
    pub spacing_metres: f32,
}

impl CanopySpot {
    /// The mean canopy at the position, for plants at random positions. For each rule, `inside` returns how far inside
    /// a grove the position is, from 0 to 1.
    pub fn canopy(
        &self,
        rules: &[ScatterRule],
        inside: impl Fn(usize, (f32, f32)) -> f32,
        ground: &impl PlantedGround,
    ) -> Canopy {
        let mut area = 0.0;
        let mut colour = [0.0; 3];
        let mut values = None;
        for (number, rule) in rules.iter().enumerate() {
            let Some(crown) = &CROWNS[rule.kind as usize] else { continue };
            let grove = rule.groves.map_or(1.0, |(width, share)| {
                let blurred = (2.0 * self.spacing_metres / width - 0.25).clamp(0.0, 1.0);
                if blurred >= 1.0 { share } else { (1.0 - blurred) * inside(number, (width, share)) + blurred * share }
            });
            if grove <= 0.0 {
                continue;
            }
            let values = values.get_or_insert_with(|| ground.values(self.at));
            let share = grove * cover(rule, values) * ground.density(rule.kind, self.at);
            let own = share * rule.density / SQUARE_METRES * crown_area(rule, crown);
            area += own;
            colour = std::array::from_fn(|c| colour[c] + own * crown.colour[c]);
        }
        if area <= 0.0 || !ground.has_ground(self.at) || ground.water_metres(self.at) > 0.2 {
            return Canopy::default();
        }
        Canopy { colour: colour.map(|sum| sum / area), cover: 1.0 - libm::expf(-area) }
    }
}

impl Canopy {
    /// A texel with four numbers from 0 to 1: the square root of each colour channel, and the cover. The colour is
    /// multiplied by the cover, so that texels can be mixed.
    pub fn texel(&self) -> [f32; 4] {
        let [r, g, b] = self.colour.map(|c| c.sqrt() * self.cover);
        [r, g, b, self.cover]
    }
}

impl ScatterPlacer<'_> {
    /// The mean canopy at a position in metres east and south of the north-western corner. Plants have random positions
    /// (Boolean model; Serra 1982, *Image Analysis and Mathematical Morphology*).
    pub fn canopy(&self, metres: [f32; 2]) -> Canopy {
        let spot = CanopySpot { at: metres.map(|metres| metres / self.size_metres), spacing_metres: 0.0 };
        let inside = |number: usize, groves| grove_share(rule_stream(self.seed, number), groves, metres);
        spot.canopy(self.rules, inside, &self.ground)
    }

    /// The canopy at `side` by `side` positions, evenly spaced from edge to edge of the terrain, row by row.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn canopy_map(&self, side: usize, control: &Control) -> Result<Vec<Canopy>, Cancelled> {
        let step = self.size_metres / (side - 1) as f32;
        let row = |i: usize| {
            control.check()?;
            Ok((0..side).map(|j| self.canopy([j as f32 * step, i as f32 * step])).collect::<Vec<_>>())
        };
        let rows: Result<Vec<_>, Cancelled> = (0..side).into_par_iter().map(row).collect();
        Ok(rows?.into_iter().flatten().collect())
    }
}

/// Height in metres of the tallest plants with crowns, if there are any.
pub fn tallest_crown(rules: &[ScatterRule]) -> Option<f32> {
    let crowned = rules.iter().filter(|rule| rule.kind.has_crown());
    crowned.map(|rule| rule.size.1).reduce(f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appearance::scatter::POINTS;
    use crate::appearance::{GroundConditions, PaletteTable};
    use crate::appearance_files::{Palette, RuleList, ScatterRules};
    use crate::field::{Edges, Terrain};
    use crate::scene::Settings;

    /// The test compares the cover with the crowns of single objects, counted on a fine raster.
    #[test]
    fn canopy_cover_equals_the_cover_of_the_plants() {
        let settings = Settings { size_metres: 200.0, relief_metres: 100.0, sea_level: 0.0, ..Settings::default() };
        let terrain = Terrain::from_fn(33, Edges::Open, |_, _| 0.5);
        let table = PaletteTable::new(Palette::named_or_default("alpine"), &settings);
        for (text, kind) in [
            ("[(kind: Conifer, density: 420, size: (8, 22))]", ScatterKind::Conifer),
            ("[(kind: Shrub, density: 900, size: (1, 3))]", ScatterKind::Shrub),
        ] {
            let rules = ScatterRules::from_ron("t", text).unwrap();
            let bands = rules.0.iter().map(|rule| &rule.bands);
            let ground = GroundConditions::new(&terrain, &settings, &table, bands, &Control::default()).unwrap();
            let placer = ScatterPlacer { ground, rules: &rules.0, size_metres: 200.0, seed: 5 };
            let cells = placer.cells_per_side(0);
            let cells = (0..cells).flat_map(|row| (0..cells).map(move |column| [column, row]));
            let objects: Vec<_> = cells.flat_map(|cell| placer.objects_in_cell(0, cell, 0..POINTS)).collect();
            let crown = CROWNS[kind as usize].unwrap();
            let (mut hidden, mut all) = (0, 0);
            for (i, j) in (0..180).flat_map(|i| (0..180).map(move |j| (i, j))) {
                let at = [10.0 + j as f32, 10.0 + i as f32];
                let is_over = |o: &super::super::ScatteredObject| {
                    let [x, y] = [0, 1].map(|k| o.place[k] - at[k]);
                    x * x + y * y < (crown.radius * o.size_metres) * (crown.radius * o.size_metres)
                };
                hidden += usize::from(objects.iter().any(is_over));
                all += 1;
            }
            let (counted, Canopy { cover, .. }) = (hidden as f32 / all as f32, placer.canopy([100.0, 100.0]));
            // Plants are spread more evenly than random positions, and therefore overlap less.
            assert!(counted >= cover - 0.02 && counted < cover + 0.12, "{kind:?}: {counted} counted, {cover}");
            assert!(cover > 0.1);
        }
    }

    #[test]
    fn crowns_are_green_and_as_wide_as_they_look() {
        for (kind, crown) in ScatterKind::ALL.iter().zip(CROWNS.iter()) {
            assert_eq!(crown.is_some(), kind.has_crown());
            let Some(Crown { radius, colour: [r, g, b] }) = crown else { continue };
            assert!((0.1..0.7).contains(radius), "{kind:?}: {radius}");
            assert!(g > r && g > b, "{kind:?}: {r} {g} {b}");
        }
    }
}

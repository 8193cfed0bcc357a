//! A table with measures of two terrains and of their difference, from the lists of [`talweg::measure`].

use std::sync::Arc;

use crate::frame::units::rounded_distance;
use talweg::field::{Cancelled, Control, Terrain};
use talweg::measure::{
    DIFFERENCES, Limits, MEASURES, Measure, MeasureValue, PLANET_MEASURES, TerrainScale, difference, measure,
    measure_planet,
};
use talweg::scene::Scene;

/// A terrain or planet with its scene, which gives the scale of its heights and lengths.
#[derive(Clone, Debug)]
pub struct ScaledTerrain {
    pub terrain: Arc<Terrain>,
    /// The scene of the terrain, without its layers.
    pub scene: Arc<Scene>,
}

impl ScaledTerrain {
    pub fn scale(&self) -> TerrainScale {
        TerrainScale::for_scene(&self.scene)
    }

    pub fn is_planet(&self) -> bool {
        self.scene.is_planet()
    }
}

impl PartialEq for ScaledTerrain {
    fn eq(&self, other: &Self) -> bool {
        // do not compare the climate, because no measure of a terrain depends on it
        let same = self.scale() == other.scale() && self.is_planet() == other.is_planet();
        Arc::ptr_eq(&self.terrain, &other.terrain) && same && (!self.is_planet() || self.scene == other.scene)
    }
}

/// One row: a measure of A and the same measure of B, or a measure of the difference A − B.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferenceRow {
    pub label: String,
    /// Unit of the values; empty if the values have no unit.
    pub unit: &'static str,
    /// One sentence that explains the measure.
    pub help: String,
    pub values: Values,
}

/// The values of a row. Undefined values are NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    Each { a: f64, b: f64 },
    Between(f64),
}

/// The table with measures of A, of B and of their difference.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub rows: Vec<DifferenceRow>,
    /// Warnings that a reader of the table must know.
    pub notes: Vec<String>,
}

impl Table {
    /// Measures both terrains and their difference. Both must be terrains, or both must be planets.
    ///
    /// # Errors
    /// If `control` cancels the measurement.
    pub fn new(a: &ScaledTerrain, b: &ScaledTerrain, control: &Control) -> Result<Self, Cancelled> {
        let limits = Limits::default();
        let mut rows = if a.is_planet() {
            let of = |subject: &ScaledTerrain| measure_planet(&subject.terrain, &subject.scene, &limits, control);
            each(PLANET_MEASURES, &of(a)?, &of(b)?)
        } else {
            let of = |subject: &ScaledTerrain| measure(&subject.terrain, subject.scale(), &limits, control);
            each(MEASURES, &of(a)?, &of(b)?)
        };
        // each height difference is the height of A minus the height of B
        let between = difference((&b.terrain, b.scale()), (&a.terrain, a.scale()), &limits, control)?;
        rows.extend(DIFFERENCES.iter().map(|m| row(m, Values::Between(number((m.read)(&between))))));
        Ok(Self { rows, notes: notes(a, b) })
    }
}

/// One row per measure.
fn each<T>(list: &[Measure<T>], a: &T, b: &T) -> Vec<DifferenceRow> {
    let rows = list.iter().filter_map(|m| match ((m.read)(a), (m.read)(b)) {
        // omit hashes, because the table shows numbers
        (MeasureValue::Hash(_), _) => None,
        (a, b) => Some(row(m, Values::Each { a: number(a), b: number(b) })),
    });
    rows.collect()
}

fn row<T>(m: &Measure<T>, values: Values) -> DifferenceRow {
    DifferenceRow { label: m.label.into(), unit: m.unit, help: m.meaning.into(), values }
}

fn number(reading: MeasureValue) -> f64 {
    reading.number().unwrap_or(f64::NAN)
}

fn notes(a: &ScaledTerrain, b: &ScaledTerrain) -> Vec<String> {
    let mut notes = Vec::new();
    if a.terrain.samples() != b.terrain.samples() {
        let faces = if a.is_planet() { "6 × " } else { "" };
        let (a, b) = (a.terrain.samples(), b.terrain.samples());
        notes.push(format!(
            "A has {faces}{a} × {a} samples, B has {faces}{b} × {b}: finer sampling gives steeper slopes."
        ));
    }
    if let (Some(one), Some(two)) = (a.scene.as_planet(), b.scene.as_planet()) {
        if one.radius_metres != two.radius_metres {
            let (one, two) = (rounded_distance(one.radius_metres), rounded_distance(two.radius_metres));
            notes.push(format!("A has a radius of {one}, B has {two}: volumes are computed with the area of B."));
        }
    } else if a.scale().size_metres != b.scale().size_metres {
        let (a, b) = (rounded_distance(a.scale().size_metres), rounded_distance(b.scale().size_metres));
        notes.push(format!("A is {a} wide, B is {b} wide: points at the same fraction of the side are compared."));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::field::{Edges, Globe, Grid};
    use talweg::planet::World;
    use talweg::scene::Settings;

    /// A terrain scene of 2 km with 100 m of relief and the sea below it, edited by `change`.
    fn scene(change: impl FnOnce(&mut Scene)) -> Arc<Scene> {
        let settings = Settings { size_metres: 2000.0, relief_metres: 100.0, sea_level: -1e6, ..Settings::default() };
        let mut scene = Scene { settings, ..Scene::default() };
        change(&mut scene);
        Arc::new(scene)
    }

    fn planet(samples: usize, height: impl Fn([f32; 3]) -> f32) -> ScaledTerrain {
        let (globe, mut terrain) = (Globe::new(samples), Terrain::flat(Grid::globe(samples)));
        terrain.height.iter_mut().enumerate().for_each(|(k, h)| *h = height(globe.direction_of(k)));
        let scene = scene(|scene| {
            (scene.settings.world, scene.settings.sea_level, scene.planet.radius_metres) =
                (World::Planet, 0.0, 50_000.0);
        });
        ScaledTerrain { terrain: Arc::new(terrain), scene }
    }

    fn subject(samples: usize, height: impl Fn(f32, f32) -> f32 + Sync) -> ScaledTerrain {
        let terrain = Arc::new(Terrain::from_fn(samples, Edges::Open, height));
        ScaledTerrain { terrain, scene: scene(|_| {}) }
    }

    fn value(table: &Table, label: &str) -> Values {
        table.rows.iter().find(|row| row.label == label).unwrap_or_else(|| panic!("{label}")).values
    }

    /// Returns the value of the difference row with this label. Rows of A and B can have the same label.
    fn difference_of(table: &Table, label: &str) -> f64 {
        let between = |row: &DifferenceRow| match row.values {
            Values::Between(value) if row.label == label => Some(value),
            _ => None,
        };
        table.rows.iter().find_map(between).unwrap_or_else(|| panic!("{label}"))
    }

    #[test]
    fn a_tilted_and_a_level_plane_have_known_differences() {
        // terrain A rises over 2 km from 50 m below to 50 m above the flat terrain B
        let (a, b) = (subject(65, |u, _| u), subject(65, |_, _| 0.5));
        let table = Table::new(&a, &b, &Control::default()).unwrap();
        let Values::Each { a: mean, b: level } = value(&table, "Mean height") else { panic!() };
        assert!((mean - 50.0).abs() < 1e-3 && (level - 50.0).abs() < 1e-3);
        let Values::Each { a: score, b: none } = value(&table, "Erosion score") else { panic!() };
        assert!(score < 1e-2 && none.is_nan(), "flat terrain has no score");
        assert!((difference_of(&table, "Largest") - 50.0).abs() < 1e-3);
        // each volume is a wedge of 50 m · 1 km · 2 km / 2; samples at the edge of the terrain count as whole cells
        for label in ["Volume gained", "Volume lost"] {
            assert!((difference_of(&table, label).abs() / 50e6 - 1.0).abs() < 0.05, "{label}");
        }
        assert!((difference_of(&table, "Root mean square") - 50.0 / 3f64.sqrt()).abs() < 0.5);
        assert!(table.notes.is_empty());
    }

    #[test]
    fn equal_terrains_do_not_differ_at_any_resolution() {
        let (a, b) = (subject(65, |u, v| u + v), subject(33, |u, v| u + v));
        let table = Table::new(&a, &b, &Control::default()).unwrap();
        assert!(difference_of(&table, "Root mean square") < 1e-4);
        assert_eq!(table.notes.len(), 1);
        let wide = ScaledTerrain { scene: scene(|scene| scene.settings.size_metres = 4000.0), ..a.clone() };
        assert_eq!(Table::new(&wide, &b, &Control::default()).unwrap().notes.len(), 2);
        let lower = ScaledTerrain { scene: scene(|scene| scene.settings.relief_metres = 50.0), ..a.clone() };
        let table = Table::new(&a, &lower, &Control::default()).unwrap();
        assert!((difference_of(&table, "Largest") - 100.0).abs() < 1e-3 && difference_of(&table, "Volume lost") == 0.0);
    }

    /// Half of planet A is higher than the level planet B, and half is lower, because its height is proportional to z.
    /// The mean square of z on a unit sphere is ⅓. The volume over each half is π, for a radius and a greatest height
    /// of 1.
    #[test]
    fn a_tilted_and_a_level_planet_have_known_differences() {
        for samples in [33, 17] {
            let (a, b) = (planet(33, |[_, _, z]| z), planet(samples, |_| 0.0));
            let table = Table::new(&a, &b, &Control::default()).unwrap();
            assert!((difference_of(&table, "Root mean square") - 100.0 / 3f64.sqrt()).abs() < 0.2);
            assert!((difference_of(&table, "Mean") - 50.0).abs() < 0.2);
            assert!((difference_of(&table, "Largest") - 100.0).abs() < 1e-3);
            for label in ["Volume gained", "Volume lost"] {
                let expected = std::f64::consts::PI * 50_000f64.powi(2) * 100.0;
                assert!((difference_of(&table, label) / expected - 1.0).abs() < 0.01, "{label}");
            }
            let Values::Each { a: land, b: none } = value(&table, "Land fraction") else { panic!() };
            assert!((land - 0.5).abs() < 0.02 && none == 0.0, "{land} {none}");
            let Values::Each { a: drained, b: none } = value(&table, "Drained") else { panic!() };
            assert!(drained > 0.999 && none.is_nan(), "without land, the drained fraction is undefined");
            assert_eq!(table.notes.len(), usize::from(samples != 33));
        }
        let valleys = |[x, y, z]: [f32; 3]| 0.5 + z + 0.3 * (9.0 * x).sin() * (7.0 * y).cos();
        let (a, b) = (planet(65, valleys), planet(65, |at| valleys(at) * 1.25));
        let table = Table::new(&a, &b, &Control::default()).unwrap();
        assert_eq!(difference_of(&table, "Drainage overlap"), 1.0, "the same valleys, but deeper");
    }

    #[test]
    fn every_row_has_an_explanation() {
        let (a, b) = (subject(9, |u, v| u * v), subject(9, |_, _| 0.0));
        let table = Table::new(&a, &b, &Control::default()).unwrap();
        assert!(table.rows.iter().all(|row| row.help.ends_with('.') && !row.label.is_empty()));
        let stopped = Control::default();
        stopped.cancel();
        assert_eq!(Table::new(&a, &b, &stopped), Err(Cancelled));
    }
}

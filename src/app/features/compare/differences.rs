//! Measures of two terrains side by side, and of the difference between them, from the lists of [`crate::measure`].

use std::sync::Arc;

use crate::field::{Cancelled, Control, Terrain};
use crate::measure::{DIFFERENCES, Limits, MEASURES, MeasureValue, TerrainScale, difference, measure};

/// A terrain with what its numbers mean.
#[derive(Clone, Debug)]
pub struct ScaledTerrain {
    pub terrain: Arc<Terrain>,
    pub scale: TerrainScale,
}

impl PartialEq for ScaledTerrain {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.terrain, &other.terrain) && self.scale == other.scale
    }
}

/// One number of a terrain, of the one and of the other, or of the difference A − B.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferenceRow {
    pub label: String,
    pub unit: String,
    /// One sentence that says what it means.
    pub help: String,
    pub values: Values,
}

/// What does not exist is not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    Each { a: f64, b: f64 },
    Between(f64),
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub rows: Vec<DifferenceRow>,
    /// What to mind when the numbers are read.
    pub notes: Vec<String>,
}

impl Table {
    /// Measures both, and what lies between them.
    ///
    /// # Errors
    /// When `control` says so.
    pub fn new(a: &ScaledTerrain, b: &ScaledTerrain, control: &Control) -> Result<Self, Cancelled> {
        let limits = Limits::default();
        let of = |subject: &ScaledTerrain| measure(&subject.terrain, subject.scale, &limits, control);
        let (of_a, of_b) = (of(a)?, of(b)?);
        let number = |reading: MeasureValue| reading.number().unwrap_or(f64::NAN);
        let row = |label: &str, unit: &str, help: &str, values| DifferenceRow {
            label: label.into(),
            unit: unit.into(),
            help: help.into(),
            values,
        };
        // a hash is no number, and says only whether the two are the same
        let mut rows: Vec<DifferenceRow> = MEASURES
            .iter()
            .filter(|m| !matches!((m.read)(&of_a), MeasureValue::Hash(_)))
            .map(|m| {
                let (a, b) = (number((m.read)(&of_a)), number((m.read)(&of_b)));
                row(m.label, m.unit, m.meaning, Values::Each { a, b })
            })
            .collect();
        // from B to A
        let between = difference((&b.terrain, b.scale), (&a.terrain, a.scale), &limits, control)?;
        rows.extend(
            DIFFERENCES.iter().map(|m| row(m.label, m.unit, m.meaning, Values::Between(number((m.read)(&between))))),
        );
        Ok(Self { rows, notes: notes(a, b) })
    }
}

fn notes(a: &ScaledTerrain, b: &ScaledTerrain) -> Vec<String> {
    let mut notes = Vec::new();
    if a.terrain.samples() != b.terrain.samples() {
        let (a, b) = (a.terrain.samples(), b.terrain.samples());
        notes.push(format!("A has {a} × {a} samples and B {b} × {b}: finer ground is steeper."));
    }
    if a.scale.size_metres != b.scale.size_metres {
        let (a, b) = (length(a.scale.size_metres), length(b.scale.size_metres));
        notes.push(format!("A is {a} wide and B {b}: compared are places at the same share of the side."));
    }
    notes
}

fn length(metres: f32) -> String {
    if metres < 1000.0 { format!("{metres:.0} m") } else { format!("{:.1} km", metres / 1000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Edges;

    fn subject(samples: usize, height: impl Fn(f32, f32) -> f32 + Sync) -> ScaledTerrain {
        let terrain = Arc::new(Terrain::from_fn(samples, Edges::Open, height));
        ScaledTerrain { terrain, scale: TerrainScale { size_metres: 2000.0, relief_metres: 100.0, sea_metres: None } }
    }

    fn value(table: &Table, label: &str) -> Values {
        table.rows.iter().find(|row| row.label == label).unwrap_or_else(|| panic!("{label}")).values
    }

    fn difference_of(table: &Table, label: &str) -> f64 {
        match value(table, label) {
            Values::Between(value) => value,
            Values::Each { .. } => panic!("{label}"),
        }
    }

    #[test]
    fn a_tilted_plane_against_a_level_one() {
        // from 50 m below to 50 m above the level plane, over 2 km
        let (a, b) = (subject(65, |u, _| u), subject(65, |_, _| 0.5));
        let table = Table::new(&a, &b, &Control::default()).unwrap();
        let Values::Each { a: mean, b: level } = value(&table, "Mean height") else { panic!() };
        assert!((mean - 50.0).abs() < 1e-3 && (level - 50.0).abs() < 1e-3);
        let Values::Each { a: score, b: none } = value(&table, "Erosion score") else { panic!() };
        assert!(score < 1e-2 && none.is_nan(), "level ground has no score");
        assert!((difference_of(&table, "Largest") - 50.0).abs() < 1e-3);
        // two wedges of 50 m · 1 km · 2 km / 2; the samples at the edges stand for whole cells
        for label in ["Volume gained", "Volume lost"] {
            assert!((difference_of(&table, label).abs() / 50e6 - 1.0).abs() < 0.05, "{label}");
        }
        assert!((difference_of(&table, "Root mean square") - 50.0 / 3f64.sqrt()).abs() < 0.5);
        assert!(table.notes.is_empty());
    }

    #[test]
    fn what_is_equal_differs_by_nothing_whatever_the_samples() {
        let (a, b) = (subject(65, |u, v| u + v), subject(33, |u, v| u + v));
        let table = Table::new(&a, &b, &Control::default()).unwrap();
        assert!(difference_of(&table, "Root mean square") < 1e-4);
        assert_eq!(table.notes.len(), 1);
        let wide = ScaledTerrain { scale: TerrainScale { size_metres: 4000.0, ..a.scale }, ..a.clone() };
        assert_eq!(Table::new(&wide, &b, &Control::default()).unwrap().notes.len(), 2);
        let lower = ScaledTerrain { scale: TerrainScale { relief_metres: 50.0, ..a.scale }, ..a.clone() };
        let table = Table::new(&a, &lower, &Control::default()).unwrap();
        assert!((difference_of(&table, "Largest") - 100.0).abs() < 1e-3 && difference_of(&table, "Volume lost") == 0.0);
    }

    #[test]
    fn every_row_says_what_it_means() {
        let (a, b) = (subject(9, |u, v| u * v), subject(9, |_, _| 0.0));
        let table = Table::new(&a, &b, &Control::default()).unwrap();
        assert!(table.rows.iter().all(|row| row.help.ends_with('.') && !row.label.is_empty()));
        let stopped = Control::default();
        stopped.cancel();
        assert_eq!(Table::new(&a, &b, &stopped), Err(Cancelled));
    }
}

//! Measures of two terrains side by side, and of the difference between them.

use std::sync::Arc;

use rayon::prelude::*;

use crate::field::Terrain;
use crate::measure::slopes;
use crate::nodes::{Cancelled, Control};

/// A terrain with what its numbers mean.
#[derive(Clone, Debug)]
pub struct Subject {
    pub terrain: Arc<Terrain>,
    pub size_metres: f32,
    pub relief_metres: f32,
}

impl PartialEq for Subject {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.terrain, &other.terrain)
            && (self.size_metres, self.relief_metres) == (other.size_metres, other.relief_metres)
    }
}

/// One number of a terrain, of the one and of the other, or of the difference A − B.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub label: String,
    pub unit: String,
    /// One sentence that says what it means.
    pub help: String,
    pub values: Values,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    Each { a: f64, b: f64 },
    Between(f64),
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub rows: Vec<Row>,
    /// What to mind when the numbers are read.
    pub notes: Vec<String>,
}

/// A measure of one terrain.
struct Measure {
    label: &'static str,
    unit: &'static str,
    help: &'static str,
    value: f64,
}

impl Table {
    /// Measures both, and what lies between them.
    ///
    /// # Errors
    /// When `control` says so.
    pub fn new(a: &Subject, b: &Subject, control: &Control) -> Result<Self, Cancelled> {
        let (of_a, of_b) = (measures(a), measures(b));
        control.check()?;
        let each = of_a.into_iter().zip(of_b).map(|(a, b)| Row {
            label: a.label.into(),
            unit: a.unit.into(),
            help: a.help.into(),
            values: Values::Each { a: a.value, b: b.value },
        });
        let mut rows: Vec<Row> = each.collect();
        rows.extend(Difference::new(a, b, control)?.rows());
        let mut notes = Vec::new();
        if a.terrain.samples() != b.terrain.samples() {
            let (a, b) = (a.terrain.samples(), b.terrain.samples());
            notes.push(format!("A has {a} × {a} samples and B {b} × {b}: finer ground is steeper."));
        }
        if a.size_metres != b.size_metres {
            let (a, b) = (length(a.size_metres), length(b.size_metres));
            notes.push(format!("A is {a} wide and B {b}: compared are places at the same share of the side."));
        }
        Ok(Self { rows, notes })
    }
}

fn length(metres: f32) -> String {
    if metres < 1000.0 { format!("{metres:.0} m") } else { format!("{:.1} km", metres / 1000.0) }
}

/// All measures of a terrain, always the same ones in the same order.
fn measures(subject: &Subject) -> Vec<Measure> {
    let Subject { terrain, size_metres, relief_metres } = subject;
    let relief = f64::from(*relief_metres);
    let (low, high) = terrain.range();
    let mean = volume(terrain, |k| f64::from(terrain.height[k])) * relief;
    let slopes = slopes(terrain);
    // a difference of heights between neighbours as a tangent
    let percent = 100.0 * relief / (f64::from(*size_metres) * f64::from(terrain.grid.cell()));
    let measure = |label, unit, help, value| Measure { label, unit, help, value };
    vec![
        measure("Lowest", "m", "Height of the lowest point.", f64::from(low) * relief),
        measure("Highest", "m", "Height of the highest point.", f64::from(high) * relief),
        measure("Mean height", "m", "Mean height of the whole ground.", mean),
        measure(
            "Mean slope",
            "%",
            "Mean of the steepest way to one of the four neighbours: metres up or down for 100 metres onwards.",
            slopes.mean * percent,
        ),
        measure("Slope deviation", "%", "How much the slopes differ from their mean.", slopes.deviation * percent),
        measure(
            "Erosion score",
            "",
            "Deviation of the slopes over their mean: higher is flatter ground between steeper relief (Olsen 2004).",
            slopes.erosion_score(),
        ),
    ]
}

/// What A has more than B, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Difference {
    /// Mean of the squares.
    squares: f64,
    highest: f64,
    lowest: f64,
    /// Volume over the side squared where A is higher, and where it is lower.
    above: f64,
    below: f64,
    area: f64,
}

impl Difference {
    fn new(a: &Subject, b: &Subject, control: &Control) -> Result<Self, Cancelled> {
        let (ours, theirs) = (&a.terrain, &b.terrain);
        let (grid, n) = (ours.grid, ours.samples());
        let same = grid == theirs.grid;
        let [relief, other_relief] = [a.relief_metres, b.relief_metres].map(f64::from);
        let rows: Result<Vec<Self>, Cancelled> = (0..n)
            .into_par_iter()
            .map(|i| {
                control.check()?;
                let mut sum = Self { highest: f64::MIN, lowest: f64::MAX, ..Self::default() };
                for j in 0..n {
                    let k = i * n + j;
                    let other =
                        if same { theirs.height[k] } else { theirs.height_at(grid.position(j), grid.position(i)) };
                    let raised = f64::from(ours.height[k]) * relief - f64::from(other) * other_relief;
                    let raised = if raised.is_finite() { raised } else { 0.0 };
                    let share = weight(j, n);
                    sum.squares += share * raised * raised;
                    sum.above += share * raised.max(0.0);
                    sum.below += share * raised.min(0.0);
                    sum.highest = sum.highest.max(raised);
                    sum.lowest = sum.lowest.min(raised);
                }
                Ok(sum)
            })
            .collect();
        let mut whole = Self { highest: f64::MIN, lowest: f64::MAX, ..Self::default() };
        for (i, row) in rows?.into_iter().enumerate() {
            let share = weight(i, n);
            whole.squares += share * row.squares;
            whole.above += share * row.above;
            whole.below += share * row.below;
            whole.highest = whole.highest.max(row.highest);
            whole.lowest = whole.lowest.min(row.lowest);
        }
        whole.area = f64::from(a.size_metres) * f64::from(a.size_metres);
        Ok(whole)
    }

    fn rows(self) -> Vec<Row> {
        let (above, below) = (self.above * self.area, -self.below * self.area);
        let (cubic, unit) = match above.max(below) {
            most if most >= 1e8 => (1e-9, "km³"),
            most if most >= 1e5 => (1e-6, "million m³"),
            _ => (1.0, "m³"),
        };
        let row = |label: &str, unit: &str, help: &str, value: f64| Row {
            label: label.into(),
            unit: unit.into(),
            help: help.into(),
            values: Values::Between(value),
        };
        vec![
            row("RMS difference", "m", "Root of the mean square of the difference.", self.squares.sqrt()),
            row("Most above B", "m", "Where A is highest above B.", self.highest.max(0.0)),
            row("Most below B", "m", "Where A is deepest below B.", self.lowest.min(0.0)),
            row("Volume above B", unit, "What A has where it is higher than B.", above * cubic),
            row("Volume below B", unit, "What A lacks where it is lower than B.", -below * cubic),
            row("Volume in all", unit, "What A has more than B, all in all.", (above - below) * cubic),
        ]
    }
}

/// Share of a row that sample `k` of `n` stands for: those at the ends for half as much.
fn weight(k: usize, n: usize) -> f64 {
    let whole = 1.0 / (n - 1) as f64;
    if k == 0 || k == n - 1 { 0.5 * whole } else { whole }
}

/// The integral of `height` over the square of side 1.
fn volume(terrain: &Terrain, height: impl Fn(usize) -> f64 + Sync) -> f64 {
    let n = terrain.samples();
    let row = |i: usize| (0..n).map(|j| weight(j, n) * height(i * n + j)).sum::<f64>();
    let rows: Vec<f64> = (0..n).into_par_iter().map(row).collect();
    rows.iter().enumerate().map(|(i, row)| weight(i, n) * row).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Edges;

    fn subject(samples: usize, height: impl Fn(f32, f32) -> f32 + Sync) -> Subject {
        let terrain = Arc::new(Terrain::from_fn(samples, Edges::Open, height));
        Subject { terrain, size_metres: 2000.0, relief_metres: 100.0 }
    }

    fn value(table: &Table, label: &str) -> Values {
        table.rows.iter().find(|row| row.label == label).unwrap_or_else(|| panic!("{label}")).values
    }

    fn between(table: &Table, label: &str) -> f64 {
        match value(table, label) {
            Values::Between(value) => value,
            Values::Each { .. } => panic!("{label}"),
        }
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-5 * b.abs().max(1.0)
    }

    #[test]
    fn a_tilted_plane_against_a_level_one() {
        // from 50 m below to 50 m above the level plane, over 2 km
        let (a, b) = (subject(65, |u, _| u), subject(65, |_, _| 0.5));
        let table = Table::new(&a, &b, &Control::default()).unwrap();
        let Values::Each { a: slope, b: level } = value(&table, "Mean slope") else { panic!() };
        assert!(near(slope, 5.0) && level == 0.0, "{slope}");
        let Values::Each { a: mean, b: other } = value(&table, "Mean height") else { panic!() };
        assert!(near(mean, 50.0) && near(other, 50.0));
        assert!(near(between(&table, "Most above B"), 50.0) && near(between(&table, "Most below B"), -50.0));
        // two wedges of 50 m · 1 km · 2 km / 2
        assert!(near(between(&table, "Volume above B"), 50.0), "in millions of cubic metres");
        assert!(near(between(&table, "Volume below B"), -50.0) && between(&table, "Volume in all").abs() < 1e-5);
        // the mean square of a line from -50 to 50 is 50² / 3; the samples give a little more
        assert!((between(&table, "RMS difference") - 50.0 / 3f64.sqrt()).abs() < 0.02);
        assert!(table.notes.is_empty());
    }

    #[test]
    fn what_is_equal_differs_by_nothing_whatever_the_samples() {
        let (a, b) = (subject(65, |u, v| u + v), subject(33, |u, v| u + v));
        let table = Table::new(&a, &b, &Control::default()).unwrap();
        assert!(between(&table, "RMS difference") < 1e-4);
        assert_eq!(table.notes.len(), 1);
        let wide = Subject { size_metres: 4000.0, ..a.clone() };
        assert_eq!(Table::new(&wide, &b, &Control::default()).unwrap().notes.len(), 2);
        let lower = Subject { relief_metres: 50.0, ..a.clone() };
        let table = Table::new(&a, &lower, &Control::default()).unwrap();
        assert!(near(between(&table, "Most above B"), 100.0) && between(&table, "Most below B") == 0.0);
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

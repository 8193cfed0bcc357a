//! One sweep over a band of rows. All passes of an iteration run on a few rows at a time, so that the fields are read
//! and written only once.
//!
//! When row t + 1 is loaded, row t gets its fluxes, then the scale K of its outflow and its new ground. Row t - 1 gets
//! its water and sediment. The rows on both sides of a band are computed twice; the bits do not depend on where a band
//! starts.

use super::bed::{BedNeighbours, Wetted, compute_bed_neighbours, load_cells, work_cells};
use super::flux::{Outflow, gather_outflow, scale_cells};
use super::law::ShallowWaterLaw;
use super::rows::{NeighbourRow, Pipes};
use super::state::{BandState, FIELDS, FLUX, GROUND, SEDIMENT, WATER};
use super::supply::Supply;
use super::transport::{FluxFactor, PipeTransport, rain_cells, stay_cells};
use crate::erosion::rock::Rock;
use talweg_ground::field::{Cancelled, Control};

/// Water and sediment that left over the edges of a row.
#[derive(Clone, Copy, Default)]
pub struct Rim {
    pub water: f64,
    pub sediment: f64,
}

impl Rim {
    fn add(&mut self, moved: &PipeTransport, part: impl Fn(&Pipes) -> f64) {
        self.water += part(&moved.water);
        self.sediment += part(&moved.sediment);
    }
}

/// Ground and sediment of a row after the erosion of its bed and before the transport.
struct Worked {
    ground: Vec<f32>,
    sediment: Vec<f32>,
}

/// Two consecutive rows, the northern row first.
type Pair<T> = [T; 2];

/// The few rows of a band that a sweep is working on.
pub struct RollingRows<'a> {
    law: &'a ShallowWaterLaw,
    rock: &'a Rock,
    supply: &'a Supply,
    state: &'a mut dyn BandState,
    /// Ground and water levels of the rows t - 1, t and t + 1.
    columns: [NeighbourRow; 3],
    /// Fluxes of the rows t - 1 and t.
    pushed: Pair<Pipes>,
    shares: Pair<FluxFactor>,
    worked: Pair<Worked>,
    /// Amounts that moved through the pipes of the rows t - 2 and t - 1.
    moved: Pair<PipeTransport>,
    outflow: Outflow,
    around: BedNeighbours,
    /// All fields of one row after the step.
    made: [Vec<f32>; FIELDS],
}

impl<'a> RollingRows<'a> {
    pub fn new(law: &'a ShallowWaterLaw, rock: &'a Rock, supply: &'a Supply, state: &'a mut dyn BandState) -> Self {
        let n = law.grid.samples;
        Self {
            law,
            rock,
            supply,
            state,
            columns: std::array::from_fn(|_| NeighbourRow::new(n)),
            pushed: std::array::from_fn(|_| Pipes::new(n)),
            shares: std::array::from_fn(|_| FluxFactor::new(n)),
            worked: std::array::from_fn(|_| Worked { ground: vec![0.0; n], sediment: vec![0.0; n] }),
            moved: std::array::from_fn(|_| PipeTransport::new(n)),
            outflow: Outflow::new(n),
            around: BedNeighbours::new(n),
            made: std::array::from_fn(|_| vec![0.0; n]),
        }
    }

    /// Writes the new state of the rows, and the losses over the edges of each row. A row is written once no later row
    /// reads its old values. After an error, some rows have been written.
    pub fn run(&mut self, rims: &mut [Rim], control: &Control) -> Result<(), Cancelled> {
        let rows = self.state.rows();
        let first = rows.start as isize;
        self.load(first - 2);
        for t in first - 2..=rows.end as isize {
            control.check()?;
            self.load(t + 1);
            self.push(t);
            if t >= first - 1 {
                self.work(t);
            }
            if t >= first {
                self.moved.rotate_left(1);
                let [_, moved] = &mut self.moved;
                moved.move_row(&self.pushed[0], &self.shares[0], &self.shares[1]);
            }
            if t > first {
                rims[(t - 1 - first) as usize] = self.update_row((t - 1) as usize);
                self.state.write((t - 1) as usize, &self.made);
            }
        }
        Ok(())
    }

    fn load(&mut self, row: isize) {
        self.columns.rotate_left(1);
        let rock = self.rock;
        match rock.uniform() {
            Some(erodibility) => self.law.load(&*self.state, row, |_| erodibility, &mut self.columns[2]),
            None => self.law.load(&*self.state, row, |k| rock.erodibility(k), &mut self.columns[2]),
        }
    }

    fn push(&mut self, row: isize) {
        self.pushed.rotate_left(1);
        let [_, mid, south] = &self.columns;
        self.law.push_row(&*self.state, row, mid, south, &mut self.pushed[1]);
    }

    fn work(&mut self, row: isize) {
        self.shares.rotate_left(1);
        self.worked.rotate_left(1);
        let n = self.law.grid.samples;
        let (share, worked) = (&mut self.shares[1], &mut self.worked[1]);
        let Some(at) = self.law.grid.row_beyond(row) else {
            share.clear();
            return;
        };
        let [north, mid, south] = &self.columns;
        let [above, own] = &self.pushed;
        gather_outflow([&north.level, &mid.level, &south.level], above, own, &mut self.outflow);
        compute_bed_neighbours(self.law, [north, mid, south], &mut self.around);
        let [ground, water, sediment] = [GROUND, WATER, SEDIMENT].map(|field| self.state.row(at, field));
        let Outflow { sum, flow, power } = &self.outflow;
        scale_cells(self.law.drag, water, sum, flow, &mut share.water[1..=n]);
        let wetted = Wetted {
            ground,
            water,
            sediment,
            soft: &mid.soft[1..=n],
            scale: &share.water[1..=n],
            flow,
            power,
            around: &self.around,
        };
        work_cells(self.law, &wetted, &mut worked.ground, &mut worked.sediment);
        load_cells(&share.water[1..=n], water, &worked.sediment, &mut share.sediment[1..=n]);
        share.close(self.law.grid.edges);
    }

    /// Computes the new state of `row`.
    fn update_row(&mut self, row: usize) -> Rim {
        let n = self.law.grid.samples;
        let [above, own] = &self.moved;
        let worked = &self.worked[0];
        let [ground, water, sediment, fluxes @ ..] = &mut self.made;
        ground.copy_from_slice(&worked.ground);
        stay_cells(self.state.row(row, WATER), &above.water, &own.water, water);
        rain_cells(self.supply.row(row), self.law.kept, water);
        stay_cells(&worked.sediment, &above.sediment, &own.sediment, sediment);
        let pipes = &own.water;
        for (flux, pipe) in fluxes.iter_mut().zip([&pipes.east, &pipes.south, &pipes.south_east, &pipes.south_west]) {
            flux.copy_from_slice(&pipe[1..=n]);
        }
        let mut rim = Rim::default();
        if self.law.leaks() {
            rim.add(own, |pipes| f64::from(pipes.east[n]) - f64::from(pipes.east[0]));
            if row == 0 {
                rim.add(above, |pipes| -pipes.south.iter().map(|&q| f64::from(q)).sum::<f64>());
            }
            if row == n - 1 {
                rim.add(own, |pipes| pipes.south.iter().map(|&q| f64::from(q)).sum::<f64>());
            }
        }
        rim
    }
}

const _: () = assert!(GROUND == 0 && WATER == 1 && SEDIMENT == 2 && FLUX == 3, "settle writes them in this order");

//! The state of water and ground, and the bands of rows that a step works on. A step writes either in place or to a
//! second copy. With a second copy, the old state survives until the step is complete.

use std::ops::Range;

use talweg_ground::field::Grid;

/// Number of fields in the state.
pub const FIELDS: usize = 7;
pub const GROUND: usize = 0;
pub const WATER: usize = 1;
pub const SEDIMENT: usize = 2;
/// Index of the first of the four fluxes: to the east, south, south-east and south-west.
pub const FLUX: usize = 3;

/// Number of rows on each side of a band that a step on the band reads.
const STENCIL_ROWS: isize = 3;
const READ_AFTER: isize = 2;
/// Stencil radius of a step, in cells.
pub const STENCIL_RADIUS: usize = 3;

/// Read access to the rows of the state before a step.
pub trait StateRows {
    /// Row `row` of `field`.
    fn row(&self, row: usize, field: usize) -> &[f32];
}

/// The rows of a band, which a step reads and writes.
pub trait BandState: StateRows {
    /// Numbers of the rows in the band.
    fn rows(&self) -> Range<usize>;
    /// Writes row `row` of every field.
    fn write(&mut self, row: usize, fields: &[Vec<f32>; FIELDS]);
}

/// All fields of the state, each stored sample by sample.
#[derive(Clone)]
pub struct FlowState {
    samples: usize,
    pub fields: [Vec<f32>; FIELDS],
}

impl StateRows for FlowState {
    fn row(&self, row: usize, field: usize) -> &[f32] {
        &self.fields[field][row * self.samples..][..self.samples]
    }
}

impl FlowState {
    /// A state of zeros with `samples` rows and columns.
    pub fn new(samples: usize) -> Self {
        Self { samples, fields: std::array::from_fn(|_| vec![0.0; samples * samples]) }
    }

    /// Memory of the state in bytes.
    pub fn bytes(&self) -> usize {
        self.fields.iter().map(|field| 4 * field.len()).sum()
    }

    /// The state divided into bands of `rows` rows.
    pub fn bands(&mut self, rows: usize) -> Vec<BandRows<'_>> {
        let samples = self.samples;
        let mut fields = self.fields.each_mut().map(|field| field.chunks_mut(rows * samples));
        (0..samples.div_ceil(rows))
            .map(|b| BandRows {
                samples,
                first: b * rows,
                fields: fields.each_mut().map(|bands| bands.next().expect("as many bands of every field")),
            })
            .collect()
    }
}

/// The rows of a band, for every field.
pub struct BandRows<'a> {
    samples: usize,
    first: usize,
    fields: [&'a mut [f32]; FIELDS],
}

impl BandRows<'_> {
    fn rows(&self) -> Range<usize> {
        self.first..self.first + self.fields[GROUND].len() / self.samples
    }

    fn write(&mut self, row: usize, made: &[Vec<f32>; FIELDS]) {
        let from = (row - self.first) * self.samples;
        for (field, made) in self.fields.iter_mut().zip(made) {
            field[from..from + made.len()].copy_from_slice(made);
        }
    }
}

/// The state during a step that writes to a second copy.
pub struct DoubleBufferedState<'a> {
    pub state: &'a FlowState,
    pub out: BandRows<'a>,
}

impl StateRows for DoubleBufferedState<'_> {
    fn row(&self, row: usize, field: usize) -> &[f32] {
        self.state.row(row, field)
    }
}

impl BandState for DoubleBufferedState<'_> {
    fn rows(&self) -> Range<usize> {
        self.out.rows()
    }

    fn write(&mut self, row: usize, fields: &[Vec<f32>; FIELDS]) {
        self.out.write(row, fields);
    }
}

/// The state during a step that overwrites the rows that it has read.
pub struct InPlaceState<'a> {
    own: BandRows<'a>,
    /// Copies of the rows beyond the ends of the band that the step reads, made before the step.
    beyond: Vec<(usize, [Vec<f32>; FIELDS])>,
}

impl<'a> InPlaceState<'a> {
    /// Divides `state` into bands of `rows` rows each.
    pub fn bands(state: &'a mut FlowState, grid: Grid, rows: usize) -> Vec<Self> {
        let last = grid.samples as isize - 1;
        let read_beyond = |first: usize| -> Vec<_> {
            let (first, end) = (first as isize, (first + rows).min(grid.samples) as isize);
            let mut read = Vec::new();
            for row in (first - STENCIL_ROWS..first).chain(end..end + READ_AFTER) {
                let Some(at) = grid.row_beyond(row) else { continue };
                read.push(at);
                if !(0..=last).contains(&row) {
                    // across the seam of a wrapping terrain, adjacent rows have non-consecutive numbers
                    read.extend([grid.previous(at), grid.next(at)].into_iter().flatten());
                }
            }
            read.sort_unstable();
            read.dedup();
            let copy = |row: usize| (row, std::array::from_fn(|field| state.row(row, field).to_vec()));
            read.into_iter().map(copy).collect()
        };
        let beyond: Vec<_> = (0..grid.samples).step_by(rows).map(read_beyond).collect();
        state.bands(rows).into_iter().zip(beyond).map(|(own, beyond)| Self { own, beyond }).collect()
    }
}

impl StateRows for InPlaceState<'_> {
    fn row(&self, row: usize, field: usize) -> &[f32] {
        if let Some((_, fields)) = self.beyond.iter().find(|(of, _)| *of == row) {
            return &fields[field];
        }
        let n = self.own.samples;
        &self.own.fields[field][(row - self.own.first) * n..][..n]
    }
}

impl BandState for InPlaceState<'_> {
    fn rows(&self) -> Range<usize> {
        self.own.rows()
    }

    fn write(&mut self, row: usize, fields: &[Vec<f32>; FIELDS]) {
        self.own.write(row, fields);
    }
}

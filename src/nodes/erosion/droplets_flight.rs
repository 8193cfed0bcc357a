//! The way of one droplet, on ground that all droplets share.

use std::sync::atomic::{AtomicU32, Ordering};

use super::droplets::Droplets;
use super::rock::Rock;
use crate::field::{Edges, Grid};
use crate::nodes::{Cancelled, Context};

/// Widest brush, in cells, so that a droplet on a fine grid ends in good time.
const WIDEST: f32 = 64.0;
/// Narrowest brush: below, its cone would fall between the cells.
const NARROWEST: f32 = 1.25;
/// Radius of the fan at a droplet's end, in radii of the droplet.
const FAN: f32 = 3.0;
/// Most steps of a droplet.
const MOST_STEPS: f32 = 2048.0;

/// What the droplets act on: every distinct cell once. The cells are atomic so that the tiles of a colour can write side by side in
/// safe code; no two of them touch the same cell, so plain (relaxed) loads and stores are enough.
pub struct Ground {
    /// Cells of a row.
    pub side: usize,
    wraps: bool,
    /// Heights, as the bits of an `f32`.
    pub height: Vec<AtomicU32>,
    /// Water that passed in this iteration, in cell areas.
    pub flow: Vec<AtomicU32>,
    /// Load that passed in this iteration, as a height over the cell.
    pub load: Vec<AtomicU32>,
}

#[inline(always)]
fn get(cell: &AtomicU32) -> f32 {
    f32::from_bits(cell.load(Ordering::Relaxed))
}

#[inline(always)]
fn put(cell: &AtomicU32, value: f32) {
    cell.store(value.to_bits(), Ordering::Relaxed);
}

impl Ground {
    pub fn new(grid: Grid) -> Self {
        let side = grid.distinct();
        let zeros = || std::iter::repeat_with(|| AtomicU32::new(0)).take(side * side).collect();
        Self { side, wraps: grid.edges == Edges::Wrap, height: zeros(), flow: zeros(), load: zeros() }
    }

    /// Takes over the heights of a terrain and forgets the water.
    pub fn load(&mut self, cx: &Context, height: &[f32]) -> Result<(), Cancelled> {
        let (n, side) = (cx.grid.samples, self.side);
        let rows = self.height.chunks_mut(side).zip(self.flow.chunks_mut(side)).zip(self.load.chunks_mut(side));
        for (((to, flow), load), from) in rows.zip(height.chunks(n)) {
            cx.control.check()?;
            for (to, &from) in to.iter_mut().zip(from) {
                *to.get_mut() = from.to_bits();
            }
            flow.iter_mut().chain(load).for_each(|cell| *cell.get_mut() = 0);
        }
        Ok(())
    }

    /// Height between the cells, with its gradient per cell; the position lies inside.
    #[inline(always)]
    fn look(&self, x: f32, y: f32) -> (f32, [f32; 2]) {
        let (j, i) = (x as usize, y as usize);
        let (fx, fy) = (x - j as f32, y - i as f32);
        let (row, below) = (i * self.side, self.after(i) * self.side);
        let east = self.after(j);
        let at = |k: usize| get(&self.height[k]);
        let (nw, ne, sw, se) = (at(row + j), at(row + east), at(below + j), at(below + east));
        let (north, south) = (ne - nw, se - sw);
        let (top, bottom) = (nw + north * fx, sw + south * fx);
        (top + (bottom - top) * fy, [north + (south - north) * fx, bottom - top])
    }

    #[inline(always)]
    fn after(&self, index: usize) -> usize {
        match (index + 1 == self.side, self.wraps) {
            (false, _) => index + 1,
            (true, true) => 0,
            (true, false) => index,
        }
    }

    /// The position inside, or nothing beyond an open edge.
    #[inline(always)]
    fn inside(&self, [x, y]: [f32; 2]) -> Option<[f32; 2]> {
        let side = self.side as f32;
        if self.wraps {
            let around = |p: f32| {
                let p = if p < 0.0 { p + side } else { p };
                // a sum just below zero rounds to the side itself
                if p >= side { p - side } else { p }
            };
            Some([around(x), around(y)])
        } else {
            let last = side - 1.0;
            (x >= 0.0 && y >= 0.0 && x <= last && y <= last).then_some([x, y])
        }
    }

    /// The cell nearest to a place.
    #[inline(always)]
    fn cell(&self, [x, y]: [f32; 2]) -> usize {
        let around = |p: f32| {
            let nearest = (p + 0.5) as usize;
            if nearest == self.side { 0 } else { nearest }
        };
        around(y) * self.side + around(x)
    }
}

/// What a droplet works the ground with.
pub struct Tools {
    /// On its way.
    brush: Brushes,
    /// For all that it still carries at its end.
    fan: Brushes,
}

impl Tools {
    pub fn new(radius: f32) -> Self {
        Self { brush: Brushes::new(radius), fan: Brushes::new(radius * FAN) }
    }
}

/// Cones of weights around a place, for places within a cell: each sums to 1.
struct Brushes {
    /// Cells from the middle to the edge of the square that holds the cone.
    half: usize,
    /// Places told apart along one axis of a cell.
    parts: usize,
    weights: Vec<f32>,
}

impl Brushes {
    fn new(radius: f32) -> Self {
        let parts = if radius < 4.0 {
            8
        } else if radius < 12.0 {
            4
        } else {
            1
        };
        let half = (radius + 0.5).ceil() as usize - 1;
        let width = 2 * half + 1;
        let mut weights = vec![0.0; parts * parts * width * width];
        for (part, weights) in weights.chunks_mut(width * width).enumerate() {
            // places run from -1/2 to 1/2 around the middle cell
            let place = |k: usize| (k as f32 + 0.5) / parts as f32 - 0.5;
            let (px, py) = (place(part % parts), place(part / parts));
            let mut sum = 0.0;
            for (k, weight) in weights.iter_mut().enumerate() {
                let (dx, dy) = ((k % width) as f32 - half as f32 - px, (k / width) as f32 - half as f32 - py);
                let inner = 1.0 - (dx * dx + dy * dy).sqrt() / radius;
                *weight = if inner > 0.0 { inner } else { 0.0 };
                sum += *weight;
            }
            weights.iter_mut().for_each(|weight| *weight /= sum);
        }
        Self { half, parts, weights }
    }

    /// Calls `row(first cell, weights)` for the rows around a place. Beyond an open edge the cone is cut off.
    #[inline(always)]
    fn each(&self, ground: &Ground, [x, y]: [f32; 2], mut row: impl FnMut(usize, &[f32])) {
        let (side, half, width) = (ground.side, self.half, 2 * self.half + 1);
        let (j, i) = ((x + 0.5) as usize, (y + 0.5) as usize);
        let part = |p: f32, middle: usize| ((p - middle as f32 + 0.5) * self.parts as f32) as usize;
        let (px, py) = (part(x, j).min(self.parts - 1), part(y, i).min(self.parts - 1));
        let weights = &self.weights[(py * self.parts + px) * width * width..][..width * width];
        if i >= half && j >= half && i + half < side && j + half < side {
            let first = (i - half) * side + j - half;
            for (r, weights) in weights.chunks_exact(width).enumerate() {
                row(first + r * side, weights);
            }
            return;
        }
        let place = |middle: usize, offset: usize| {
            let at = middle as isize + offset as isize - half as isize;
            let within = at >= 0 && at < side as isize;
            (within || ground.wraps).then(|| at.rem_euclid(side as isize) as usize)
        };
        for (k, weight) in weights.iter().enumerate() {
            if let (Some(i), Some(j)) = (place(i, k / width), place(j, k % width)) {
                row(i * side + j, std::slice::from_ref(weight));
            }
        }
    }

    /// Whether a part of the cone lies beyond an open edge.
    fn is_cut_off(&self, ground: &Ground, place: [f32; 2]) -> bool {
        let cut = |p: f32| {
            let middle = (p + 0.5) as usize;
            middle < self.half || middle + self.half >= ground.side
        };
        !ground.wraps && place.into_iter().any(cut)
    }

    /// Lowers the ground by `amount` in all, no cell below `floor`; returns what came off.
    #[inline(always)]
    fn dig(&self, ground: &Ground, rock: &Rock, place: [f32; 2], amount: f32, floor: f32) -> f32 {
        let dug = |h: f32, by: f32| {
            let (dug, least) = (h - by, if floor < h { floor } else { h });
            if dug > least { dug } else { least }
        };
        let mut taken = [0.0; 4];
        match rock.uniform() {
            Some(softness) => {
                let amount = amount * softness;
                self.each(ground, place, |first, weights| {
                    change(ground, first, weights, &mut taken, |h, weight| dug(h, amount * weight));
                });
            }
            // the rock knows the samples of the grid, the ground its distinct cells
            None => {
                let (side, samples) = (ground.side, ground.side + usize::from(ground.wraps));
                self.each(ground, place, |first, weights| {
                    for (k, weight) in (first..).zip(weights) {
                        let amount = amount * rock.softness(k / side * samples + k % side);
                        change(ground, k, std::slice::from_ref(weight), &mut taken, |h, weight| {
                            dug(h, amount * weight)
                        });
                    }
                });
            }
        }
        -(taken[0] + taken[1] + taken[2] + taken[3])
    }

    /// Raises the ground by `amount` in all, no cell above `level`; returns what found room.
    #[inline(always)]
    fn lay(&self, ground: &Ground, place: [f32; 2], amount: f32, level: f32) -> f32 {
        let mut laid = [0.0; 4];
        self.each(ground, place, |first, weights| {
            change(ground, first, weights, &mut laid, |h, weight| {
                let (built, most) = (h + amount * weight, if level > h { level } else { h });
                if built < most { built } else { most }
            });
        });
        laid[0] + laid[1] + laid[2] + laid[3]
    }
}

/// Gives the cells from `first` on new heights and adds how much they rose. Four sums, so that one addition need not wait for
/// another; they are combined in a fixed order.
#[inline(always)]
fn change(ground: &Ground, first: usize, weights: &[f32], sums: &mut [f32; 4], new: impl Fn(f32, f32) -> f32) {
    let cells = &ground.height[first..first + weights.len()];
    let ((cells, last_cells), (weights, last_weights)) = (cells.as_chunks::<4>(), weights.as_chunks::<4>());
    for (cells, weights) in cells.iter().zip(weights) {
        // three loops, so that the middle one becomes vector instructions
        let mut old = [0.0; 4];
        for k in 0..4 {
            old[k] = get(&cells[k]);
        }
        let mut made = [0.0; 4];
        for k in 0..4 {
            made[k] = new(old[k], weights[k]);
            sums[k] += made[k] - old[k];
        }
        for k in 0..4 {
            put(&cells[k], made[k]);
        }
    }
    for (k, (cell, &weight)) in last_cells.iter().zip(last_weights).enumerate() {
        let old = get(cell);
        let new = new(old, weight);
        put(cell, new);
        sums[k] += new - old;
    }
}

/// What holds for every droplet, in units of the grid: lengths in cells, heights as fractions of the relief, loads in heights
/// over one cell.
pub struct Law {
    pub radius: f32,
    step: f32,
    steps: usize,
    inertia: f32,
    capacity: f32,
    erosion: f32,
    deposition: f32,
    /// Turns a height difference over one cell into a tangent.
    tangent: f32,
    min_tangent: f32,
    /// Height by which deposits may rise over a droplet: the gentlest slope over the brush.
    heap: f32,
    /// v² gained per fall.
    gravity: f32,
    /// Share of the water lost per step.
    drying: f32,
}

impl Law {
    pub fn new(cx: &Context, params: &Droplets) -> Self {
        let cell = cx.cell_metres();
        let within = |value: f32, low: f32, high: f32| {
            if value < low {
                low
            } else if value > high {
                high
            } else {
                value
            }
        };
        let widest = within((cx.grid.samples - 1) as f32 * 0.25, NARROWEST, WIDEST);
        let radius = within(params.radius / cell, NARROWEST, widest);
        // the way that rates are meant for, and the step
        let stride = params.radius / (3.0 * cell);
        let step = within(radius / 3.0, 1.0, WIDEST);
        let most = within((cx.grid.samples - 1) as f32 * 2.0, 1.0, MOST_STEPS);
        let steps = within(params.lifetime / (cell * step) + 0.5, 1.0, most) as usize;
        let strides = if stride > step * 0.01 { step / stride } else { 100.0 };
        let share = |rate: f32| 1.0 - libm::powf(1.0 - rate, strides);
        let tangent = cx.relief_metres / cell;
        let min_tangent = cx.rise_per_cell(params.min_slope) * tangent;
        let way = steps as f32 * step;
        Self {
            radius,
            step,
            steps,
            inertia: libm::powf(params.inertia, strides),
            capacity: params.sediment_capacity / cx.relief_metres,
            erosion: share(params.erosion_rate),
            deposition: share(params.deposition_rate),
            tangent,
            min_tangent,
            heap: min_tangent / tangent * radius,
            gravity: params.gravity * tangent / way,
            drying: params.evaporation / steps as f32,
        }
    }

    /// How far from its start a droplet can touch or read a cell.
    pub fn reach(&self, tools: &Tools) -> f32 {
        self.steps as f32 * self.step + tools.fan.half as f32 + 2.0
    }

    /// Runs a droplet with the rain of `area` cells from `start`; returns the load that left over an open edge, and
    /// what rounding kept from being laid down.
    pub fn run(&self, ground: &Ground, tools: &Tools, rock: &Rock, start: [f32; 2], area: f32) -> [f64; 2] {
        let Some(mut place) = ground.inside(start) else { return [0.0; 2] };
        let capacity = self.capacity * area;
        let (mut direction, mut load, mut energy) = ([0.0f32; 2], 0.0f32, 1.0f32);
        for k in 0..self.steps {
            let (height, slope) = ground.look(place[0], place[1]);
            let turn = |axis: usize| direction[axis] * self.inertia - slope[axis] * self.tangent * (1.0 - self.inertia);
            let turned = [turn(0), turn(1)];
            let length = (turned[0] * turned[0] + turned[1] * turned[1]).sqrt();
            if length < 1e-9 {
                break;
            }
            direction = [turned[0] / length, turned[1] / length];
            let water = 1.0 - self.drying * k as f32;
            let here = ground.cell(place);
            put(&ground.flow[here], get(&ground.flow[here]) + area * water * self.step);
            // rounding may leave a droplet a last bit below nothing
            let carried = if load > 0.0 { load } else { 0.0 };
            put(&ground.load[here], get(&ground.load[here]) + carried * self.step);
            let next = [place[0] + direction[0] * self.step, place[1] + direction[1] * self.step];
            let Some(next) = ground.inside(next) else { return [f64::from(load), 0.0] };
            let (beyond, _) = ground.look(next[0], next[1]);
            let fall = height - beyond;
            if fall < 0.0 {
                if load > 0.0 {
                    load -= tools.brush.lay(ground, place, load, beyond);
                }
            } else {
                let steep = fall * self.tangent / self.step;
                let steep = if steep > self.min_tangent { steep } else { self.min_tangent };
                let sine = steep / (1.0 + steep * steep).sqrt();
                let carries = capacity * sine * energy.sqrt() * water;
                if load > carries {
                    let surplus = (load - carries) * self.deposition;
                    load -= tools.brush.lay(ground, place, surplus, height + self.heap);
                } else if fall > 0.0 {
                    load += tools.brush.dig(ground, rock, place, (carries - load) * self.erosion, beyond);
                }
            }
            energy += fall * self.gravity;
            place = next;
            if energy <= 0.0 {
                break;
            }
        }
        // the fan of the end is wide and gentle; what finds no room in it lies on top, and its part beyond an open edge is lost
        if load > 0.0 {
            let level = ground.look(place[0], place[1]).0 + self.heap * FAN;
            load -= tools.fan.lay(ground, place, load, level);
        }
        if load > 0.0 {
            load -= tools.fan.lay(ground, place, load, f32::INFINITY);
        }
        if tools.fan.is_cut_off(ground, place) { [f64::from(load), 0.0] } else { [0.0, f64::from(load)] }
    }
}

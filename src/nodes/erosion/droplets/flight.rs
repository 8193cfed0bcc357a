//! The path of a droplet from its start to its end.

use super::Droplets;
use super::brush::{DropletBrushes, DropletStroke, FAN_RADII};
use super::ground::{SharedGround, TileGround};
use crate::Context;
use talweg_ground::field::Cancelled;

/// Radius of the widest brush in cells. It limits the computing time of a droplet on a fine grid.
const WIDEST: f32 = 64.0;
/// Radius of the narrowest brush in cells. A narrower cone could fit between the centres of the cells and change none
/// of them.
const NARROWEST: f32 = 1.25;
/// Steps of a droplet between two checks for cancellation.
const STEPS_BETWEEN_CHECKS: u32 = 64;
/// Maximum number of steps of a droplet.
const MOST_STEPS: f32 = 2048.0;

/// The parameters of all droplets, in units of the grid: lengths in cells, heights as fractions of the relief. A load
/// is the height of its volume over one cell.
pub struct DropletLaw {
    pub radius: f32,
    step: f32,
    steps: usize,
    inertia: f32,
    capacity: f32,
    erosion: f32,
    deposition: f32,
    /// Factor from a height difference over one cell to a slope as rise over run.
    tangent: f32,
    min_tangent: f32,
    /// Height by which deposits can rise above a droplet: the rise of the minimum slope over the radius of the brush.
    heap: f32,
    /// Increase of the squared speed v² per unit of height through which the droplet falls.
    gravity: f32,
    /// Fraction of the water lost per step.
    drying: f32,
}

impl DropletLaw {
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
        // `stride` is the distance for which the rates are defined; `step` below is the distance of a step
        let stride = params.radius / (3.0 * cell);
        let step = within(radius / 3.0, 1.0, WIDEST);
        let most = within((cx.grid.samples - 1) as f32 * 2.0, 1.0, MOST_STEPS);
        let steps = within(params.lifetime / (cell * step) + 0.5, 1.0, most) as usize;
        let strides = if stride > step * 0.01 { step / stride } else { 100.0 };
        let share = |rate: f32| 1.0 - libm::powf(1.0 - rate, strides);
        let tangent = cx.relief_metres / cell;
        let min_tangent = cx.rise_per_cell(params.min_slope) * tangent;
        let path = steps as f32 * step;
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
            gravity: params.gravity * tangent / path,
            drying: params.evaporation / steps as f32,
        }
    }

    /// Returns the farthest distance, in cells, from its start at which a droplet can read or change a cell.
    pub fn reach(&self, tools: &DropletBrushes) -> f32 {
        self.steps as f32 * self.step + tools.fan.half as f32 + 2.0
    }

    /// Runs the droplets of all lanes to the end of their paths, in lockstep. A lane must finish its stroke before it
    /// can read the terrain again, and the work of other lanes fills this waiting time. No two lanes touch the same
    /// cell, so the result is the same as without lockstep.
    pub fn run<S: Iterator<Item = Start>>(
        &self,
        cx: &Context,
        ground: &SharedGround,
        tools: &DropletBrushes,
        erodibility: Option<f32>,
        lanes: &mut [DropletLane<S>],
    ) -> Result<(), Cancelled> {
        for round in 1.. {
            if round % STEPS_BETWEEN_CHECKS == 0 {
                cx.control.check()?;
            }
            let mut flies = false;
            let mut strokes = [DropletStroke::NONE; LANES];
            for (lane, stroke) in lanes.iter_mut().zip(&mut strokes) {
                if lane.droplet.is_none() {
                    cx.control.check()?;
                    lane.droplet = lane.next_droplet(ground);
                }
                let Some(droplet) = &mut lane.droplet else { continue };
                flies = true;
                *stroke = self.step_droplet(ground, &lane.patch, droplet);
            }
            if !flies {
                break;
            }
            for (lane, stroke) in lanes.iter_mut().zip(&strokes) {
                let Some(droplet) = &mut lane.droplet else { continue };
                if stroke.amount != 0.0 {
                    droplet.load -= tools.brush.work(&mut lane.patch, erodibility, stroke);
                }
                if droplet.ended {
                    let [lost, dust] = self.end(tools, &mut lane.patch, droplet);
                    lane.lost += lost;
                    lane.dust += dust;
                    lane.droplet = None;
                }
            }
        }
        Ok(())
    }

    /// Moves a droplet one step ahead. Returns the stroke that must be applied at its previous position.
    #[inline(always)]
    fn step_droplet(&self, ground: &SharedGround, patch: &TileGround, droplet: &mut Droplet) -> DropletStroke {
        let place = droplet.place;
        let (height, slope) = patch.look(place);
        let turn =
            |axis: usize| droplet.direction[axis] * self.inertia - slope[axis] * self.tangent * (1.0 - self.inertia);
        let turned = [turn(0), turn(1)];
        let length = (turned[0] * turned[0] + turned[1] * turned[1]).sqrt();
        if length < 1e-9 {
            droplet.ended = true;
            return DropletStroke::NONE;
        }
        let direction = [turned[0] / length, turned[1] / length];
        let water = 1.0 - self.drying * droplet.steps as f32;
        // rounding can leave a load just below 0
        let load = droplet.load;
        let carried = if load > 0.0 { load } else { 0.0 };
        ground.pass(place, droplet.area * water * self.step, carried * self.step);
        let Some(next) = ground.place_after(place, direction, self.step) else {
            (droplet.ended, droplet.outside) = (true, true);
            return DropletStroke::NONE;
        };
        let (beyond, _) = patch.look(next);
        let fall = height - beyond;
        let steep = fall * self.tangent / self.step;
        let steep = if steep > self.min_tangent { steep } else { self.min_tangent };
        let sine = steep / (1.0 + steep * steep).sqrt();
        let carries = self.capacity * droplet.area * sine * droplet.energy.sqrt() * water;
        let stroke = if fall < 0.0 {
            DropletStroke::deposit(place, carried, beyond)
        } else if load > carries {
            DropletStroke::deposit(place, (load - carries) * self.deposition, height + self.heap)
        } else if fall > 0.0 {
            DropletStroke::dig(place, (carries - load) * self.erosion, beyond)
        } else {
            DropletStroke::NONE
        };
        droplet.energy += fall * self.gravity;
        (droplet.place, droplet.direction) = (next, direction);
        droplet.steps += 1;
        droplet.ended = droplet.energy <= 0.0 || droplet.steps == self.steps;
        stroke
    }

    /// Deposits the load of a droplet at its end. Returns the load that the droplet carried out across an open edge,
    /// and the load that could not be deposited because of rounding.
    fn end(&self, tools: &DropletBrushes, patch: &mut TileGround, droplet: &Droplet) -> [f64; 2] {
        let (place, mut load) = (droplet.place, droplet.load);
        if droplet.outside {
            return [f64::from(load), 0.0];
        }
        // the final fan is wide and gentle; the part of a load that does not fit below the surface of the fan is put on
        // top, and the part beyond an open edge is lost
        if load > 0.0 {
            let level = patch.look(place).0 + self.heap * FAN_RADII;
            load -= tools.fan.work(patch, None, &DropletStroke::deposit(place, load, level));
        }
        if load > 0.0 {
            load -= tools.fan.work(patch, None, &DropletStroke::deposit(place, load, f32::INFINITY));
        }
        if tools.fan.is_cut_off(patch, place) { [f64::from(load), 0.0] } else { [0.0, f64::from(load)] }
    }
}

/// Number of lanes, each with one droplet in progress, that run in lockstep.
pub const LANES: usize = 4;

/// Start of a droplet: its position, and the area whose rain the droplet carries.
pub type Start = ([f32; 2], f32);

struct Droplet {
    place: [f32; 2],
    direction: [f32; 2],
    area: f32,
    load: f32,
    energy: f32,
    steps: usize,
    ended: bool,
    /// Whether the droplet has left the terrain across an open edge or into a void.
    outside: bool,
}

/// The droplets of a tile, run one after another.
pub struct DropletLane<S> {
    pub patch: TileGround,
    pub starts: S,
    droplet: Option<Droplet>,
    /// Load that droplets carried out across an open edge; `dust` is the load that could not be deposited because of
    /// rounding.
    pub lost: f64,
    pub dust: f64,
}

impl<S: Iterator<Item = Start>> DropletLane<S> {
    pub fn new(patch: TileGround, starts: S) -> Self {
        Self { patch, starts, droplet: None, lost: 0.0, dust: 0.0 }
    }

    fn next_droplet(&mut self, ground: &SharedGround) -> Option<Droplet> {
        for (start, area) in self.starts.by_ref() {
            if let Some(place) = ground.place_inside(start) {
                let (direction, load, energy) = ([0.0; 2], 0.0, 1.0);
                return Some(Droplet { place, direction, area, load, energy, steps: 0, ended: false, outside: false });
            }
        }
        None
    }
}

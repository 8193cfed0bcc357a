//! The plane to which each impact levels the older terrain.
//!
//! Law: the plane passes through the mean of five heights: at the crater's centre and at four points at [`PROBE`] radii
//! around it. Its slopes are the slopes between the four outer points.
//! Scheme: at each of the five points, all older events in the list of the point's tile are computed. No tile waits for
//! another tile.

use rayon::prelude::*;

use super::impact::{Event, Impact};
use super::shape::REACH;
use super::surface::CraterSurface;
use super::tiles::CraterTiles;
use talweg_ground::field::vector::dot;
use talweg_ground::field::{Cancelled, Control};

const PROBE: f32 = 0.75;
/// Limit of the plane's slope, so that an impact next to a cliff creates no spike.
const STEEPEST: f32 = 0.4;
/// Older craters are ignored if their radius is smaller than this fraction of the impact's radius: their effect
/// averages out.
const LEAST: f32 = 0.25;
/// Number of impacts whose planes are computed in parallel.
const BLOCK: usize = 2048;

/// Finds the plane of every impact, block by block. First all impacts of a block apply the events of older blocks, in
/// parallel. Then they apply the earlier events of their own block, one impact after another.
pub fn find_planes(
    surface: &CraterSurface,
    tiles: &CraterTiles,
    impacts: &mut [Impact],
    events: &[Event],
    height: &[f32],
    control: &Control,
) -> Result<(), Cancelled> {
    // Centre and squared reach of each event, for a quick distance test.
    let bounds: Vec<[f32; 4]> = events
        .iter()
        .map(|event| {
            let Impact { centre: [x, y, z], radius, .. } = impacts[event.index()];
            [x, y, z, radius * radius * REACH * REACH]
        })
        .collect();
    for (block, part) in events.chunks(BLOCK).enumerate() {
        let first = block * BLOCK;
        let asked: Result<Vec<Option<Probes>>, Cancelled> = part
            .par_iter()
            .with_min_len(64)
            .map(|event| {
                control.check()?;
                let &Event::Impact(k) = event else { return Ok(None) };
                let impact = &impacts[k as usize];
                Ok((!impact.image).then(|| {
                    let mut probes = Probes::new(surface, tiles, impact, height);
                    probes.advance(tiles, impacts, events, &bounds, 0..first);
                    probes
                }))
            })
            .collect();
        for (number, (event, probes)) in part.iter().zip(asked?).enumerate() {
            let &Event::Impact(k) = event else { continue };
            let k = k as usize;
            impacts[k].plane = match probes {
                None => impacts[k - 1].plane,
                Some(mut probes) => {
                    probes.advance(tiles, impacts, events, &bounds, first..first + number);
                    probes.plane(impacts[k].shape.depth)
                }
            };
        }
    }
    Ok(())
}

/// Five points at which the older terrain is measured: the impact's centre, and points to the east, west, north and
/// south of it.
struct Probes {
    centre: [f32; 3],
    square: f32,
    places: [[f32; 3]; 5],
    tiles: [usize; 5],
    heights: [f32; 5],
    /// Whether all points are near the centre. On a wrapping terrain a point can be on the opposite side.
    near: bool,
}

impl Probes {
    fn new(surface: &CraterSurface, tiles: &CraterTiles, impact: &Impact, height: &[f32]) -> Self {
        let Impact { centre, frame: [east, north], radius, .. } = *impact;
        let step = |axis: [f32; 3], sign: f32| surface.stepped(centre, axis.map(|a| a * sign * radius * PROBE));
        let places = [centre, step(east, 1.0), step(east, -1.0), step(north, 1.0), step(north, -1.0)];
        Self {
            centre,
            square: radius * radius,
            places,
            tiles: places.map(|place| tiles.index_at(surface, place)),
            heights: places.map(|place| surface.height(height, place)),
            near: places.iter().all(|&place| impact.square(place) < 1.0),
        }
    }

    /// Applies the events of `range` to the measured heights. The planes of these events must already be known.
    fn advance(
        &mut self,
        tiles: &CraterTiles,
        impacts: &[Impact],
        events: &[Event],
        bounds: &[[f32; 4]],
        range: std::ops::Range<usize>,
    ) {
        for first in 0..5 {
            let tile = self.tiles[first];
            if self.tiles[..first].contains(&tile) {
                continue;
            }
            let list = &tiles.lists[tile];
            let start = list.partition_point(|entry| (entry.event as usize) < range.start);
            for entry in list[start..].iter().take_while(|entry| (entry.event as usize) < range.end) {
                let [x, y, z, reach] = bounds[entry.event as usize];
                let apart = [self.centre[0] - x, self.centre[1] - y, self.centre[2] - z];
                // (a + b)² is at most 2(a² + b²), and an arc is longer than the chord between its ends
                let square = dot(apart, apart);
                if (self.near && square > 2.0 * (reach + self.square))
                    || reach < LEAST * LEAST * REACH * REACH * self.square
                {
                    continue;
                }
                let event = events[entry.event as usize];
                let impact = &impacts[event.index()];
                for ((height, &place), &at) in self.heights.iter_mut().zip(&self.places).zip(&self.tiles) {
                    let square = impact.square(place);
                    if at == tile && square < REACH * REACH {
                        *height = match event {
                            Event::Impact(_) => impact.strike(square, place, *height),
                            Event::Flood(_) => impact.flooded(square, place, *height).height,
                        };
                    }
                }
            }
        }
    }

    /// Returns the plane through the measured heights: its height, and its rise per crater radius to the east and to
    /// the north.
    fn plane(&self, depth: f32) -> [f32; 3] {
        let [middle, east, west, north, south] = self.heights;
        let most = STEEPEST * depth.abs() * 2.5;
        let slope = |a: f32, b: f32| ((a - b) * (0.5 / PROBE)).clamp(-most, most);
        [(middle + east + west + north + south) * 0.2, slope(east, west), slope(north, south)]
    }
}

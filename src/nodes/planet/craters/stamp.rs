//! Stamps craters into the terrain in the order of their ages.
//!
//! Scheme: events are impacts and lava floods. They are listed by tiles of samples (`tiles`). First the plane of every
//! impact is found (`planes`); then every tile applies its list independently.
//! Cost: proportional to the area of each crater and, for its plane, to the number of older craters around it. No event
//! reads another tile's output, so the result does not depend on threads or tiles.

use rayon::prelude::*;

use super::impact::{Event, Impact, NEAR, RAY_REACH};
use super::mare::FLOOD_REACH;
use super::planes::find_planes;
use super::shape::REACH;
use super::surface::CraterSurface;
use super::tiles::{CraterTiles, Entry, TILE_COLUMNS, TILE_ROWS};
use talweg_ground::field::{Cancelled, Control};

/// Stamps `impacts` into `height` in the order of `events`, the oldest first. `brightness` has the length of `height`,
/// or is empty.
pub fn stamp(
    surface: &CraterSurface,
    samples: usize,
    impacts: &mut [Impact],
    events: &[Event],
    height: &mut [f32],
    brightness: &mut [f32],
    control: &Control,
) -> Result<(), Cancelled> {
    let tiles = CraterTiles::new(surface, samples, impacts, events, control)?;
    find_planes(surface, &tiles, impacts, events, height, control)?;
    let impacts = &*impacts;
    let bands = height.par_chunks_mut(samples * TILE_ROWS);
    let light = |b: usize, band: &mut [f32], light: &mut [f32]| {
        for tile in 0..tiles.across {
            control.check()?;
            let list = &tiles.lists[b * tiles.across + tile];
            CraterTile::new(surface, samples, b * TILE_ROWS, tile * TILE_COLUMNS, band.len() / samples)
                .run(list, impacts, events, band, light, samples);
        }
        Ok(())
    };
    if brightness.is_empty() {
        return bands.enumerate().try_for_each(|(b, band)| light(b, band, &mut []));
    }
    let brightness = brightness.par_chunks_mut(samples * TILE_ROWS);
    bands.zip(brightness).enumerate().try_for_each(|(b, (band, bright))| light(b, band, bright))
}

/// Positions of the samples of a tile.
struct CraterTile {
    places: Vec<[[f32; TILE_COLUMNS]; 3]>,
    first: usize,
}

impl CraterTile {
    fn new(surface: &CraterSurface, samples: usize, first_row: usize, first: usize, rows: usize) -> Self {
        let count = (samples - first).min(TILE_COLUMNS);
        let mut places = vec![[[0.0; TILE_COLUMNS]; 3]; rows];
        for (k, row) in places.iter_mut().enumerate() {
            let [x, y, z] = row;
            surface.places(first_row + k, first, [&mut x[..count], &mut y[..count], &mut z[..count]]);
        }
        Self { places, first }
    }

    fn run(
        &self,
        list: &[Entry],
        impacts: &[Impact],
        events: &[Event],
        height: &mut [f32],
        brightness: &mut [f32],
        samples: usize,
    ) {
        let mut squares = [0.0f32; TILE_COLUMNS];
        for entry in list {
            let event = events[entry.event as usize];
            let impact = &impacts[event.index()];
            let columns = usize::from(entry.columns[0])..usize::from(entry.columns[1]);
            for row in usize::from(entry.rows[0])..usize::from(entry.rows[1]) {
                let [xs, ys, zs] = &self.places[row];
                let start = row * samples + self.first;
                let heights = &mut height[start + columns.start..start + columns.end];
                let squares = &mut squares[..heights.len()];
                let (xs, ys, zs) = (&xs[columns.clone()], &ys[columns.clone()], &zs[columns.clone()]);
                let mut nearest = f32::INFINITY;
                for (k, square) in squares.iter_mut().enumerate() {
                    *square = impact.square([xs[k], ys[k], zs[k]]);
                    nearest = if *square < nearest { *square } else { nearest };
                }
                if nearest >= RAY_REACH * RAY_REACH {
                    continue;
                }
                let place = |k: usize| [xs[k], ys[k], zs[k]];
                if let Event::Flood(_) = event {
                    for (k, h) in heights.iter_mut().enumerate() {
                        if squares[k] >= FLOOD_REACH * FLOOD_REACH {
                            continue;
                        }
                        let made = impact.flooded(squares[k], place(k), *h);
                        if let Some(light) = brightness.get_mut(start + columns.start + k) {
                            *light += made.dark * (-1.0 - *light);
                        }
                        *h = made.height;
                    }
                    continue;
                }
                if nearest >= NEAR * NEAR {
                    if nearest < REACH * REACH {
                        for (h, &square) in heights.iter_mut().zip(&*squares) {
                            let far = impact.strike_far(square, *h);
                            *h = if square < REACH * REACH { far } else { *h };
                        }
                    }
                } else {
                    for (k, h) in heights.iter_mut().enumerate() {
                        *h = impact.strike(squares[k], place(k), *h);
                    }
                }
                if impact.ray > 0.0 && !brightness.is_empty() {
                    for (k, light) in brightness[start + columns.start..start + columns.end].iter_mut().enumerate() {
                        if squares[k] < RAY_REACH * RAY_REACH {
                            *light += impact.brightness(squares[k], place(k)) * (1.0 - *light);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planet::craters::shape::{CraterLaw, CraterShape};
    use talweg_ground::field::{Edges, Grid};

    const SAMPLES: usize = 201;

    fn bowl(surface: &CraterSurface, at: [f32; 2], radius: f32) -> Impact {
        let law = CraterLaw { transition_km: 1000.0, depth: 1.0, ejecta: 1.0, peaks: 1.0 };
        // The side of the test terrain is 100 km, and heights are in km.
        Impact::new(surface, [at[0], at[1], 0.0], radius, CraterShape::new(200.0 * radius, &law, 0.0, 1.0))
    }

    /// Stamps `impacts` into a terrain with the height function `before`, and returns the heights.
    fn struck(mut impacts: Vec<Impact>, before: impl Fn(f32, f32) -> f32) -> Vec<f32> {
        let surface = CraterSurface::new(Grid::new(SAMPLES, Edges::Open));
        let events: Vec<Event> = (0..impacts.len() as u32).map(Event::Impact).collect();
        let at = |k: usize| k as f32 / (SAMPLES - 1) as f32;
        let mut height: Vec<f32> = (0..SAMPLES * SAMPLES).map(|k| before(at(k % SAMPLES), at(k / SAMPLES))).collect();
        stamp(&surface, SAMPLES, &mut impacts, &events, &mut height, &mut [], &Control::default()).unwrap();
        height
    }

    fn middle(height: &[f32]) -> f32 {
        height[(SAMPLES / 2) * SAMPLES + SAMPLES / 2]
    }

    #[test]
    fn young_craters_replace_old_ones() {
        let surface = CraterSurface::new(Grid::new(SAMPLES, Edges::Open));
        let (large, small) = (bowl(&surface, [0.5, 0.5], 0.2), bowl(&surface, [0.5, 0.5], 0.04));
        let [alone, tiny] = [large, small].map(|impact| middle(&struck(vec![impact], |_, _| 0.0)));
        // On the floor of a large crater, a small crater is as deep below that floor as on a plain.
        let within = middle(&struck(vec![large, small], |_, _| 0.0));
        assert!((within - alone - tiny).abs() < 0.03 * alone.abs(), "{within}: {alone} and {tiny}");
        // A large crater removes a small crater that it hits.
        let over = struck(vec![bowl(&surface, [0.55, 0.5], 0.04), large], |_, _| 0.0);
        let clean = struck(vec![large], |_, _| 0.0);
        let worst = (0..SAMPLES * SAMPLES)
            .filter(|&k| large.square([(k % SAMPLES) as f32 / 200.0, (k / SAMPLES) as f32 / 200.0, 0.0]) < 1.0)
            .map(|k| (over[k] - clean[k]).abs())
            .fold(0.0f32, |a, b| if b > a { b } else { a });
        assert!(worst < 0.05 * tiny.abs(), "{worst} of a crater {tiny} deep is left");
        assert_ne!(over, struck(vec![large, bowl(&surface, [0.55, 0.5], 0.04)], |_, _| 0.0), "the order matters");
    }

    #[test]
    fn a_crater_takes_its_level_and_slope_from_the_ground() {
        let surface = CraterSurface::new(Grid::new(SAMPLES, Edges::Open));
        let crater = bowl(&surface, [0.5, 0.5], 0.1);
        let plain = struck(vec![crater], |_, _| 0.0);
        let slope = struck(vec![crater], |u, v| 3.0 + u - 2.0 * v);
        for (k, (plain, slope)) in plain.iter().zip(&slope).enumerate() {
            let [u, v] = [k % SAMPLES, k / SAMPLES].map(|i| i as f32 / 200.0);
            assert!((slope - plain - (3.0 + u - 2.0 * v)).abs() < 1e-3, "{u} {v}: {slope} {plain}");
        }
    }

    /// The plane of an impact includes all older events, even those of the same block and of other tiles.
    #[test]
    fn crater_planes_equal_stamping_one_by_one() {
        let surface = CraterSurface::new(Grid::new(SAMPLES, Edges::Open));
        let random = talweg_ground::field::Stream::new(8, 8);
        let impacts: Vec<Impact> = (0..60)
            .map(|k| bowl(&surface, [random.unit(k, 0), random.unit(k, 1)], 0.03 + 0.1 * random.unit(k, 2)))
            .collect();
        let together = struck(impacts.clone(), |u, v| u * v);
        let mut one_by_one = struck(vec![], |u, v| u * v);
        for impact in &impacts {
            let before = std::mem::take(&mut one_by_one);
            one_by_one =
                struck(vec![*impact], |u, v| before[(v * 200.0 + 0.5) as usize * SAMPLES + (u * 200.0 + 0.5) as usize]);
        }
        let rms = |values: &mut dyn Iterator<Item = f32>| {
            let squares: f64 = values.map(|v| f64::from(v) * f64::from(v)).sum();
            (squares / together.len() as f64).sqrt()
        };
        let apart = rms(&mut together.iter().zip(&one_by_one).map(|(a, b)| a - b));
        let relief = rms(&mut together.iter().copied());
        // The planes ignore much smaller craters, and interpolation rounds crests.
        assert!(apart < 0.04 * relief, "{apart} of {relief}");
    }
}

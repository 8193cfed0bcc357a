//! Pressing craters into the ground in the order of their ages.
//!
//! Law: an impact levels the old ground to a plane, the ground before it in the mean, and stands its profile on that:
//! h → h + w(x)·(plane - h) + z(x) with w = 1 inside the crest and 0 from [`BURIED`] radii on. The plane goes through the
//! heights at four points at [`PROBE`] radii and the centre, as the older craters left them. A flood lifts what lies inside an old
//! basin to the level of its lava.
//!
//! Scheme: events are listed by tiles of samples. The ground before an impact is asked of the list of the tile that each
//! probe lies in, up to that event: no tile waits for another. Then every tile goes through its list by
//! itself. Cost: the area of each crater, and for its plane the number of older ones around it.
//! No event reads what another tile writes, so no bit depends on threads or tiles.

use rayon::prelude::*;

use super::craters_rough::Turn;
use super::craters_shape::{REACH, Shape, smooth};
use super::craters_surface::{Rectangle, Surface};
use crate::nodes::{Cancelled, Control};

pub const TILE_ROWS: usize = 32;
pub const TILE_COLUMNS: usize = 64;
/// Radii within which profiles are drawn in full, with what makes them uneven.
const NEAR: f32 = 2.5;
/// Radii at which the old ground is untouched but for the blanket on it.
const BURIED: f32 = 1.6;
const PROBE: f32 = 0.75;
/// Slopes of the plane stay below this, so that an impact beside a cliff makes no spike.
const STEEPEST: f32 = 0.4;
/// Older craters below this share of its radius are lost in the mean of the ground before an impact.
const LEAST: f32 = 0.25;
/// Radii out to which rays go.
pub const RAY_REACH: f32 = 12.0;

/// A crater to be pressed into the ground.
#[derive(Clone, Copy, Debug)]
pub struct Impact {
    pub centre: [f32; 3],
    pub frame: [[f32; 3]; 2],
    /// In sides of the terrain.
    pub radius: f32,
    /// Square of the surface's curvature.
    pub bend: f32,
    pub shape: Shape,
    /// From 0 to 1: smaller where the grid can hardly show it.
    pub strength: f32,
    /// How uneven it is, from 0 to 1, and which way.
    pub uneven: f32,
    pub turn: Turn,
    /// Brightness of its rays.
    pub ray: f32,
    /// Share of the bowl that lava fills, later.
    pub lava: f32,
    /// Whether it is the one before once more, beyond an edge.
    pub image: bool,
    /// Height, and rise per radius to the east and north, of the ground before.
    plane: [f32; 3],
}

/// An impact, or the flood of its basin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Impact(u32),
    Flood(u32),
}

/// Ground before a place is decided.
struct Tiles {
    across: usize,
    lists: Vec<Vec<Entry>>,
}

/// An event in a tile, with the samples of the tile that it may touch.
#[derive(Clone, Copy, Debug)]
struct Entry {
    event: u32,
    rows: [u8; 2],
    columns: [u8; 2],
}

impl Impact {
    /// A fresh crater, round and without rays.
    pub fn new(surface: &Surface, centre: [f32; 3], radius: f32, shape: Shape) -> Self {
        Self {
            centre,
            frame: surface.frame(centre),
            radius,
            bend: surface.bend(),
            shape,
            strength: 1.0,
            uneven: 0.0,
            turn: Turn::default(),
            ray: 0.0,
            lava: 0.0,
            image: false,
            plane: [0.0; 3],
        }
    }

    pub fn with(self, strength: f32, (uneven, turn): (f32, Turn), ray: f32, lava: f32) -> Self {
        Self { strength, uneven, turn, ray, lava, ..self }
    }

    /// The same on flat ground at another place, once more where it is an `image`.
    pub fn at(self, centre: [f32; 3], image: bool) -> Self {
        Self { centre, image, ..self }
    }

    /// How far it changes anything, in sides.
    pub fn reach(&self) -> f32 {
        self.radius * if self.ray > 0.0 { RAY_REACH } else { REACH }
    }

    /// Square of the distance in radii, along the ground.
    #[inline(always)]
    fn square(&self, place: [f32; 3]) -> f32 {
        let [x, y, z] = [place[0] - self.centre[0], place[1] - self.centre[1], place[2] - self.centre[2]];
        let chord = x * x + y * y + z * z;
        let b = chord * self.bend;
        let arc = chord * (1.0 + b * (1.0 / 12.0 + b * (1.0 / 90.0 + b * (1.0 / 560.0))));
        arc * (1.0 / (self.radius * self.radius))
    }

    /// The way from the centre in radii, to the east and north.
    #[inline(always)]
    fn towards(&self, place: [f32; 3]) -> [f32; 2] {
        let [x, y, z] = [place[0] - self.centre[0], place[1] - self.centre[1], place[2] - self.centre[2]];
        let inverse = 1.0 / self.radius;
        self.frame.map(|axis| (x * axis[0] + y * axis[1] + z * axis[2]) * inverse)
    }

    /// Height after the impact of ground of height `h`.
    #[inline]
    fn strike(&self, square: f32, place: [f32; 3], h: f32) -> f32 {
        if square >= NEAR * NEAR {
            return if square < REACH * REACH { self.strike_far(square, h) } else { h };
        }
        let mut x = square.sqrt();
        let [east, north] = self.towards(place);
        let mut ragged = 0.0;
        if self.uneven > 0.0 {
            let direction = self.turn.direction(east, north);
            let fade = (NEAR - x) * (1.0 / (NEAR - 1.5));
            let fade = if fade < 1.0 { fade } else { 1.0 };
            ragged = self.turn.lobe(direction) * self.uneven * fade;
            // another stretch of the same noise shifts the rim
            x *= 1.0 + 0.16 * self.uneven * fade * self.turn.lobe(direction + 387.0);
        }
        let height = self.shape.near(x, ragged);
        let levelled = 1.0 - smooth(1.0, BURIED, x);
        let [level, to_east, to_north] = self.plane;
        let plane = level + to_east * east + to_north * north;
        h + self.strength * (levelled * (plane - h) + height)
    }

    #[inline(always)]
    fn strike_far(&self, square: f32, h: f32) -> f32 {
        h + self.strength * self.shape.far(square)
    }

    /// Height of the lava at the square of the distance; it ends at the crest.
    #[inline]
    fn lava_level(&self, square: f32) -> f32 {
        let bottom = self.shape.bottom();
        let beyond = square.sqrt() - 0.95;
        let down = if beyond > 0.0 { beyond * 10.0 } else { 0.0 };
        self.plane[0] + bottom * (1.0 - self.lava + down)
    }

    /// Brightness of rays and fresh rubble.
    #[inline]
    fn brightness(&self, square: f32, place: [f32; 3]) -> f32 {
        let x = square.sqrt();
        let [east, north] = self.towards(place);
        let direction = self.turn.direction(east, north);
        let end = 1.0 - x * (1.0 / RAY_REACH);
        let inner = 0.7 - 0.7 * smooth(0.8, 1.9, x * (1.0 - 0.5 * self.turn.lobe(direction)));
        // a ray is as wide at a distance as the part of its direction that is longer than that
        let longer = self.turn.ray(direction) - x * (1.0 / RAY_REACH);
        // rays come in patches: the noise around the crater read along the ray
        let patchy = 0.6 + 0.7 * self.turn.lobe(x * 41.0 + direction * 0.25);
        let ray = smooth(0.0, 0.3, longer) * end * patchy.clamp(0.0, 1.0);
        let light = if inner > ray { inner } else { ray };
        self.ray * light
    }
}

impl Event {
    fn index(self) -> usize {
        match self {
            Self::Impact(k) | Self::Flood(k) => k as usize,
        }
    }
}

impl Tiles {
    fn new(
        surface: &Surface,
        samples: usize,
        impacts: &[Impact],
        events: &[Event],
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let across = samples.div_ceil(TILE_COLUMNS);
        let mut lists = vec![Vec::new(); across * surface.rows().div_ceil(TILE_ROWS)];
        let block = 1024;
        for (b, part) in events.chunks(block * 16).enumerate() {
            control.check()?;
            let found: Vec<Vec<(u32, Rectangle)>> = part
                .par_chunks(block)
                .enumerate()
                .map(|(c, part)| {
                    let mut found = Vec::with_capacity(block);
                    for (k, event) in part.iter().enumerate() {
                        let impact = &impacts[event.index()];
                        let reach = if matches!(event, Event::Flood(_)) { impact.radius * 1.2 } else { impact.reach() };
                        let number = (b * block * 16 + c * block + k) as u32;
                        surface.rectangles(impact.centre, reach, |rectangle| found.push((number, rectangle)));
                    }
                    found
                })
                .collect();
            for &(event, rectangle) in found.iter().flatten() {
                put(&mut lists, across, event, rectangle);
            }
        }
        Ok(Self { across, lists })
    }

    fn of(&self, surface: &Surface, place: [f32; 3]) -> usize {
        let [row, column] = surface.sample(place);
        row / TILE_ROWS * self.across + column / TILE_COLUMNS
    }
}

/// Lists a rectangle in the tiles that it touches.
fn put(lists: &mut [Vec<Entry>], across: usize, event: u32, rectangle: Rectangle) {
    let Rectangle { rows, columns } = rectangle;
    let cut = |[from, to]: [u32; 2], tile: usize, size: usize| {
        let start = (tile * size) as u32;
        [from.max(start) - start, to.min(start + size as u32) - start].map(|at| at as u8)
    };
    for i in rows[0] as usize / TILE_ROWS..=(rows[1] as usize - 1) / TILE_ROWS {
        for j in columns[0] as usize / TILE_COLUMNS..=(columns[1] as usize - 1) / TILE_COLUMNS {
            let entry = Entry { event, rows: cut(rows, i, TILE_ROWS), columns: cut(columns, j, TILE_COLUMNS) };
            lists[i * across + j].push(entry);
        }
    }
}

/// Presses `impacts` into `height` by `events`, from the oldest to the youngest. `brightness` is as long as `height`, or empty.
pub fn stamp(
    surface: &Surface,
    samples: usize,
    impacts: &mut [Impact],
    events: &[Event],
    height: &mut [f32],
    brightness: &mut [f32],
    control: &Control,
) -> Result<(), Cancelled> {
    let tiles = Tiles::new(surface, samples, impacts, events, control)?;
    find_planes(surface, &tiles, impacts, events, height, control)?;
    let impacts = &*impacts;
    let bands = height.par_chunks_mut(samples * TILE_ROWS);
    let light = |b: usize, band: &mut [f32], light: &mut [f32]| {
        for tile in 0..tiles.across {
            control.check()?;
            let list = &tiles.lists[b * tiles.across + tile];
            Tile::new(surface, samples, b * TILE_ROWS, tile * TILE_COLUMNS, band.len() / samples)
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

/// Impacts whose ground is asked for side by side.
const ABREAST: usize = 2048;

/// Finds the ground before every impact. A block of impacts asks side by side for what older blocks left, then one after the
/// other for what those before it in the block did.
fn find_planes(
    surface: &Surface,
    tiles: &Tiles,
    impacts: &mut [Impact],
    events: &[Event],
    height: &[f32],
    control: &Control,
) -> Result<(), Cancelled> {
    // what a walk along a list looks at first
    let bounds: Vec<[f32; 4]> = events
        .iter()
        .map(|event| {
            let Impact { centre: [x, y, z], radius, .. } = impacts[event.index()];
            [x, y, z, radius * radius * REACH * REACH]
        })
        .collect();
    for (block, part) in events.chunks(ABREAST).enumerate() {
        let first = block * ABREAST;
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

/// The five points that an impact asks for its ground: its centre, east, west, north and south of it.
struct Probes {
    centre: [f32; 3],
    square: f32,
    places: [[f32; 3]; 5],
    tiles: [usize; 5],
    heights: [f32; 5],
    /// Whether all lie beside the centre: an edge may have sent one to the other side.
    near: bool,
}

impl Probes {
    fn new(surface: &Surface, tiles: &Tiles, impact: &Impact, height: &[f32]) -> Self {
        let Impact { centre, frame: [east, north], radius, .. } = *impact;
        let step = |axis: [f32; 3], way: f32| surface.beside(centre, axis.map(|a| a * way * radius * PROBE));
        let places = [centre, step(east, 1.0), step(east, -1.0), step(north, 1.0), step(north, -1.0)];
        Self {
            centre,
            square: radius * radius,
            places,
            tiles: places.map(|place| tiles.of(surface, place)),
            heights: places.map(|place| surface.height(height, place)),
            near: places.iter().all(|&place| impact.square(place) < 1.0),
        }
    }

    /// Lets the events of `range` happen, as far as their planes are known.
    fn advance(
        &mut self,
        tiles: &Tiles,
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
                // (a + b)² is no more than 2(a² + b²), and an arc is longer than its chord
                let square = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
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
                            Event::Flood(_) => {
                                let lava = impact.lava_level(square);
                                if lava > *height { lava } else { *height }
                            }
                        };
                    }
                }
            }
        }
    }

    /// Height, and rise per radius to the east and north.
    fn plane(&self, depth: f32) -> [f32; 3] {
        let [middle, east, west, north, south] = self.heights;
        let most = STEEPEST * depth.abs() * 2.5;
        let slope = |a: f32, b: f32| ((a - b) * (0.5 / PROBE)).clamp(-most, most);
        [(middle + east + west + north + south) * 0.2, slope(east, west), slope(north, south)]
    }
}

/// Places of the samples of a tile.
struct Tile {
    places: Vec<[[f32; TILE_COLUMNS]; 3]>,
    first: usize,
}

impl Tile {
    fn new(surface: &Surface, samples: usize, first_row: usize, first: usize, rows: usize) -> Self {
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
                        let lava = impact.lava_level(squares[k]);
                        if lava > *h {
                            if let Some(light) = brightness.get_mut(start + columns.start + k) {
                                let deep = smooth(0.0, 0.06, (lava - *h) / impact.shape.depth);
                                *light += deep * (-1.0 - *light);
                            }
                            *h = lava;
                        }
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

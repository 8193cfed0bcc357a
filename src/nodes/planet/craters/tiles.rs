//! Divides the samples into tiles, and lists for each tile the craters that can change its samples.

use rayon::prelude::*;

use super::impact::{Event, Impact};
use super::mare::FLOOD_REACH;
use super::surface::{CraterSurface, Rectangle};
use talweg_ground::field::{Cancelled, Control};

pub const TILE_ROWS: usize = 32;
pub const TILE_COLUMNS: usize = 64;

/// The tiles of a surface, row by row, each with its events in order of time.
pub struct CraterTiles {
    pub across: usize,
    pub lists: Vec<Vec<Entry>>,
}

/// An event in a tile, with the range of the tile's samples that the event can change.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub event: u32,
    pub rows: [u8; 2],
    pub columns: [u8; 2],
}

impl CraterTiles {
    /// Adds each event to the lists of the tiles that it can change.
    pub fn new(
        surface: &CraterSurface,
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
                        let reach =
                            if matches!(event, Event::Flood(_)) { impact.radius * FLOOD_REACH } else { impact.reach() };
                        let number = (b * block * 16 + c * block + k) as u32;
                        surface.rectangles(impact.centre, reach, |rectangle| found.push((number, rectangle)));
                    }
                    found
                })
                .collect();
            for &(event, rectangle) in found.iter().flatten() {
                add_event(&mut lists, across, event, rectangle);
            }
        }
        Ok(Self { across, lists })
    }

    /// Index of the tile that contains a position.
    pub fn index_at(&self, surface: &CraterSurface, place: [f32; 3]) -> usize {
        let [row, column] = surface.nearby_sample(place);
        row / TILE_ROWS * self.across + column / TILE_COLUMNS
    }
}

/// Adds an event to the lists of the tiles that its rectangle touches.
fn add_event(lists: &mut [Vec<Entry>], across: usize, event: u32, rectangle: Rectangle) {
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

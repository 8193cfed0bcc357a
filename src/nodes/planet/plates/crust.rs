//! Plates and their crust, and where each plate's crust lies in the world.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::cells::{NO_CELL, PlateAttitude, SphereCells, Turn, Vector, cross};
use talweg_ground::field::{Cancelled, Control};

/// Plates at the most: one bit each in the masks of [`PlateTables`].
pub const MOST_PLATES: usize = 64;
/// Radius of the Earth in km. Lengths and speeds are the Earth's; on other planets they scale with the radius.
pub const EARTH_KM: f64 = 6371.0;
/// Depth of the ridges, in km.
pub const RIDGE_KM: f32 = -2.5;
/// Age at which the ocean floor sinks no more, in Ma; it lies 6 km deep then.
pub const OLD_FLOOR: f32 = 100.0;
/// Crust that was never raised has risen so long ago, in Ma.
pub const NEVER: f32 = 1.0e4;

/// Height of ocean floor by its age in Ma, in km (Parsons & Sclater 1977).
pub fn floor_height(age: f32) -> f32 {
    RIDGE_KM - 0.35 * age.clamp(0.0, OLD_FLOOR).sqrt()
}

/// The crust of one cell of a plate.
#[derive(Clone, Copy, Debug)]
pub struct CrustCell {
    /// Which, in the frame of the plate.
    pub cell: u32,
    /// Whether it is continental.
    pub continental: bool,
    /// Height of continents over the sea, of ocean floor over what its age says, in km.
    pub relief: f32,
    /// Ma since it was formed.
    pub age: f32,
    /// Ma since a mountain or volcano rose here; [`NEVER`] at the most.
    pub orogeny: f32,
    /// Uplift over subduction, in km in a Ma.
    pub uplift: f32,
    /// What a collision has still to raise, in km.
    pub pending: f32,
}

impl CrustCell {
    /// New ocean floor.
    pub fn floor(cell: u32, age: f32) -> Self {
        Self { cell, continental: false, relief: 0.0, age, orogeny: NEVER, uplift: 0.0, pending: 0.0 }
    }

    /// Height over the sea in km.
    pub fn height(&self) -> f32 {
        if self.continental { self.relief } else { floor_height(self.age) + self.relief }
    }
}

/// A plate.
#[derive(Clone, Debug)]
pub struct Plate {
    /// A number that no other plate has or had.
    pub id: u32,
    /// How its frame lies in the world.
    pub attitude: PlateAttitude,
    /// Radians in a Ma about each axis of the world.
    pub spin: Vector,
    /// Its cells.
    pub crust: Vec<CrustCell>,
}

impl Plate {
    /// Velocity at a point of the world, in radians in a Ma.
    pub fn velocity(&self, at: Vector) -> Vector {
        cross(self.spin, at)
    }

    /// Steradians of its crust.
    pub fn area(&self, cells: &SphereCells) -> f64 {
        self.crust.iter().map(|crust| f64::from(cells.area(crust.cell))).sum()
    }
}

/// Continental crust by what became of it, in steradians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrustLedger {
    /// Arcs that rose above the sea, and floor that land enclosed.
    pub grown: f64,
    /// Pushed over other continents in collisions, what resampling won or lost counted.
    pub consumed: f64,
    /// With plates that became too small.
    pub dropped: f64,
}

/// All plates at a moment.
#[derive(Clone, Debug, Default)]
pub struct PlateState {
    /// Steps so far.
    pub steps: u32,
    /// Number of the next plate.
    pub next_id: u32,
    /// The plates.
    pub plates: Vec<Plate>,
    /// Of two plates, the lower number first, which goes under where both are ocean floor.
    pub sinking: BTreeMap<(u32, u32), u32>,
    /// What became of continental crust.
    pub ledger: CrustLedger,
}

impl PlateState {
    /// Of two plates which goes under where both are ocean floor, once that was decided.
    pub fn sinks(&self, a: u32, b: u32) -> Option<u32> {
        self.sinking.get(&(a.min(b), a.max(b))).copied()
    }

    /// Memory that it holds.
    pub fn bytes(&self) -> usize {
        self.plates.iter().map(|plate| size_of::<Plate>() + plate.crust.capacity() * size_of::<CrustCell>()).sum()
    }
}

/// One plate as it lies in the world.
#[derive(Debug)]
pub struct PlateTable {
    /// From its frame to the world.
    pub turn: Turn,
    /// Index of the crust of each cell.
    slots: Vec<u32>,
}

/// Where the crust of every plate lies.
#[derive(Debug)]
pub struct PlateTables {
    tables: Vec<PlateTable>,
    /// Wide cells of the world.
    tiles: SphereCells,
    /// For each of them the plates that have crust there or close by.
    masks: Vec<u64>,
}

/// Cells along the side of a tile.
const TILE: usize = 4;

impl PlateTables {
    /// Of plates as they lie now.
    pub fn new(cells: &SphereCells, plates: &[Plate], control: &Control) -> Result<Self, Cancelled> {
        let side = (cells.count() / 6).isqrt();
        let tiles = SphereCells::new(side.div_ceil(TILE), control)?;
        let mut tables = Self { tables: Vec::new(), tiles, masks: Vec::new() };
        tables.tables = plates
            .par_iter()
            .map(|plate| {
                control.check()?;
                let mut table = PlateTable { turn: plate.attitude.matrix(), slots: vec![NO_CELL; cells.count()] };
                table.fill(&plate.crust);
                Ok(table)
            })
            .collect::<Result<_, _>>()?;
        tables.find_tiles(cells, plates, control)?;
        Ok(tables)
    }

    /// Finds again where plates lie after they moved.
    pub fn move_to(&mut self, cells: &SphereCells, plates: &[Plate], control: &Control) -> Result<(), Cancelled> {
        for (table, plate) in self.tables.iter_mut().zip(plates) {
            table.turn = plate.attitude.matrix();
        }
        self.find_tiles(cells, plates, control)
    }

    fn find_tiles(&mut self, cells: &SphereCells, plates: &[Plate], control: &Control) -> Result<(), Cancelled> {
        let found: Vec<AtomicU64> = (0..self.tiles.count()).map(|_| AtomicU64::new(0)).collect();
        for (k, (plate, table)) in plates.iter().zip(&self.tables).enumerate() {
            plate.crust.par_chunks(4096).try_for_each(|crust| {
                control.check()?;
                for crust in crust {
                    let tile = self.tiles.cell(table.turn.outwards(cells.middle(crust.cell)));
                    // most cells find the mark of one before them
                    if found[tile].load(Ordering::Relaxed) & 1 << k == 0 {
                        found[tile].fetch_or(1 << k, Ordering::Relaxed);
                    }
                }
                Ok(())
            })?;
        }
        let found: Vec<u64> = found.into_iter().map(AtomicU64::into_inner).collect();
        let near = |tile: u32| {
            let around = self.tiles.neighbours(tile).iter().filter(|&&there| there != NO_CELL);
            around.fold(found[tile as usize], |mask, &there| mask | found[there as usize])
        };
        self.masks = (0..self.tiles.count() as u32).map(near).collect();
        Ok(())
    }

    /// The plates that may have crust at a place, one bit each.
    pub fn candidates(&self, at: Vector) -> PlateMask {
        PlateMask(self.masks[self.tiles.cell(at)])
    }

    /// How a plate lies.
    pub fn turn(&self, plate: usize) -> &Turn {
        &self.tables[plate].turn
    }

    /// Index of the crust of a cell of a plate; [`NO_CELL`] where it has none.
    #[inline]
    pub fn slot(&self, plate: usize, cell: u32) -> u32 {
        if cell == NO_CELL { NO_CELL } else { self.tables[plate].slots[cell as usize] }
    }

    /// Index of the crust that a plate has at a place of the world.
    pub fn find(&self, cells: &SphereCells, plate: usize, at: Vector) -> Option<usize> {
        let cell = cells.cell(self.tables[plate].turn.inwards(at)) as u32;
        Some(self.slot(plate, cell)).filter(|&slot| slot != NO_CELL).map(|slot| slot as usize)
    }

    /// The first of some plates that has crust at a place, with its index.
    pub fn find_any(&self, cells: &SphereCells, mut plates: PlateMask, at: Vector) -> Option<(usize, usize)> {
        plates.find_map(|plate| Some((plate, self.find(cells, plate, at)?)))
    }

    /// The crust of a plate changed from `before` to that of `plate`.
    pub fn change(&mut self, index: usize, before: &[CrustCell], plate: &Plate) {
        let table = &mut self.tables[index];
        before.iter().for_each(|crust| table.slots[crust.cell as usize] = NO_CELL);
        table.fill(&plate.crust);
    }

    /// A plate with the crust of `plate` came to the others.
    pub fn push(&mut self, cells: &SphereCells, plate: &Plate) {
        let mut table = PlateTable { turn: plate.attitude.matrix(), slots: vec![NO_CELL; cells.count()] };
        table.fill(&plate.crust);
        self.tables.push(table);
    }

    /// A plate is no more.
    pub fn remove(&mut self, index: usize) {
        self.tables.remove(index);
    }

    /// A cell was added to a plate as its last.
    pub fn add(&mut self, cells: &SphereCells, index: usize, plate: &Plate) {
        let slot = plate.crust.len() - 1;
        let cell = plate.crust[slot].cell;
        let table = &mut self.tables[index];
        table.slots[cell as usize] = slot as u32;
        let tile = self.tiles.cell(table.turn.outwards(cells.middle(cell)));
        self.masks[tile] |= 1 << index;
        for &there in self.tiles.neighbours(tile as u32).iter().filter(|&&there| there != NO_CELL) {
            self.masks[there as usize] |= 1 << index;
        }
    }
}

impl PlateTable {
    fn fill(&mut self, crust: &[CrustCell]) {
        for (slot, crust) in crust.iter().enumerate() {
            self.slots[crust.cell as usize] = slot as u32;
        }
    }
}

/// Some of the plates, from the lowest.
#[derive(Clone, Copy, Debug)]
pub struct PlateMask(pub u64);

impl PlateMask {
    /// All but one.
    pub fn without(self, plate: usize) -> Self {
        Self(self.0 & !(1 << plate))
    }
}

impl Iterator for PlateMask {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let plate = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(plate)
    }
}

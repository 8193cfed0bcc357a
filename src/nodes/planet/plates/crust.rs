//! Plates and their crust, and the position of each plate's crust in the world.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::cells::{NO_CELL, PlateAttitude, PlateRotation, SphereCells, Vector};
use talweg_ground::field::vector::cross;
use talweg_ground::field::{Cancelled, Control};

/// Maximum number of plates: each plate has a bit in the masks of [`PlateTables`].
pub const MOST_PLATES: usize = 64;
/// Radius of the Earth in km. Lengths and speeds are given for the Earth; on other planets they scale with the radius.
pub const EARTH_KM: f64 = 6371.0;
/// Height of the mid-ocean ridges, in km.
pub const RIDGE_KM: f32 = -2.5;
/// Age in Ma above which the ocean floor no longer sinks. Older ocean floor is at a depth of 6 km.
pub const OLD_FLOOR: f32 = 100.0;
/// Time since the last uplift, in Ma, that marks crust which was never raised.
pub const NEVER: f32 = 1.0e4;

/// Height of ocean floor in km, given its age in Ma (Parsons & Sclater 1977).
pub fn floor_height(age: f32) -> f32 {
    RIDGE_KM - 0.35 * age.clamp(0.0, OLD_FLOOR).sqrt()
}

/// The crust of one cell of a plate.
#[derive(Clone, Copy, Debug)]
pub struct CrustCell {
    /// Index of the cell, in the frame of the plate.
    pub cell: u32,
    /// Whether the crust is continental.
    pub continental: bool,
    /// Height in km. For continents it is the height above the sea, for ocean floor the height above normal floor of
    /// the same age.
    pub relief: f32,
    /// Time since the crust formed, in Ma.
    pub age: f32,
    /// Time since a mountain or volcano rose here, in Ma; at most [`NEVER`].
    pub orogeny: f32,
    /// Uplift above a subduction zone, in km per Ma.
    pub uplift: f32,
    /// Uplift from a collision that is still to come, in km.
    pub pending: f32,
}

impl CrustCell {
    /// Creates ocean floor of an age in Ma, without relief.
    pub fn floor(cell: u32, age: f32) -> Self {
        Self { cell, continental: false, relief: 0.0, age, orogeny: NEVER, uplift: 0.0, pending: 0.0 }
    }

    /// Height of the crust above the sea in km.
    pub fn height(&self) -> f32 {
        if self.continental { self.relief } else { floor_height(self.age) + self.relief }
    }
}

/// A rigid plate with its crust and its motion.
#[derive(Clone, Debug)]
pub struct Plate {
    /// A number that identifies the plate, unique over the whole run.
    pub id: u32,
    /// Rotation of the plate's frame in the world.
    pub attitude: PlateAttitude,
    /// Rotation rate of the plate about each axis of the world, in radians per Ma.
    pub spin: Vector,
    /// The crust of the plate's cells.
    pub crust: Vec<CrustCell>,
}

impl Plate {
    /// Velocity of the plate at a point of the world, in radians per Ma.
    pub fn velocity(&self, at: Vector) -> Vector {
        cross(self.spin, at)
    }

    /// Area of the plate's crust in steradians.
    pub fn area(&self, cells: &SphereCells) -> f64 {
        self.crust.iter().map(|crust| f64::from(cells.area(crust.cell))).sum()
    }
}

/// Gains and losses of continental crust, in steradians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrustLedger {
    /// Area of continental crust gained: island arcs that rose above the sea, and ocean floor enclosed by land.
    pub grown: f64,
    /// Area of continental crust lost in collisions, where one continent overlaps another. It includes the net change
    /// that resampling causes.
    pub consumed: f64,
    /// Area of continental crust lost with plates that became too small.
    pub dropped: f64,
}

/// All plates at one point in time.
#[derive(Clone, Debug, Default)]
pub struct PlateState {
    /// Number of steps so far.
    pub steps: u32,
    /// Id that the next new plate receives.
    pub next_id: u32,
    /// The plates.
    pub plates: Vec<Plate>,
    /// For two plates, the lower id first: the id of the plate that subducts where the ocean floors of both plates
    /// meet.
    pub sinking: BTreeMap<(u32, u32), u32>,
    /// Gains and losses of continental crust so far.
    pub ledger: CrustLedger,
}

impl PlateState {
    /// Returns the id of the plate that subducts where the ocean floors of the plates `a` and `b` meet; `None` until
    /// this is decided.
    pub fn subducting_plate(&self, a: u32, b: u32) -> Option<u32> {
        self.sinking.get(&(a.min(b), a.max(b))).copied()
    }

    /// Memory of the state in bytes.
    pub fn bytes(&self) -> usize {
        self.plates.iter().map(|plate| size_of::<Plate>() + plate.crust.capacity() * size_of::<CrustCell>()).sum()
    }
}

/// The position of one plate in the world.
#[derive(Debug)]
pub struct PlateTable {
    /// Rotation from the plate's frame to the world.
    pub rotation: PlateRotation,
    /// For each cell, the index of its crust in the plate's list; [`NO_CELL`] if the cell has no crust.
    slots: Vec<u32>,
}

/// The positions of all plates' crust.
#[derive(Debug)]
pub struct PlateTables {
    tables: Vec<PlateTable>,
    /// Larger cells of the world, which serve as tiles.
    tiles: SphereCells,
    /// For each tile, the plates that have crust in this tile or in a neighbouring tile.
    masks: Vec<u64>,
}

/// Cells along the side of a tile.
const TILE: usize = 4;

impl PlateTables {
    /// Creates the tables of all plates in their current positions.
    pub fn new(cells: &SphereCells, plates: &[Plate], control: &Control) -> Result<Self, Cancelled> {
        let side = (cells.count() / 6).isqrt();
        let tiles = SphereCells::new(side.div_ceil(TILE), control)?;
        let mut tables = Self { tables: Vec::new(), tiles, masks: Vec::new() };
        tables.tables = plates
            .par_iter()
            .map(|plate| {
                control.check()?;
                let mut table = PlateTable { rotation: plate.attitude.matrix(), slots: vec![NO_CELL; cells.count()] };
                table.fill(&plate.crust);
                Ok(table)
            })
            .collect::<Result<_, _>>()?;
        tables.find_tiles(cells, plates, control)?;
        Ok(tables)
    }

    /// Updates the tables after the plates have moved.
    pub fn move_to(&mut self, cells: &SphereCells, plates: &[Plate], control: &Control) -> Result<(), Cancelled> {
        for (table, plate) in self.tables.iter_mut().zip(plates) {
            table.rotation = plate.attitude.matrix();
        }
        self.find_tiles(cells, plates, control)
    }

    fn find_tiles(&mut self, cells: &SphereCells, plates: &[Plate], control: &Control) -> Result<(), Cancelled> {
        let found: Vec<AtomicU64> = (0..self.tiles.count()).map(|_| AtomicU64::new(0)).collect();
        for (k, (plate, table)) in plates.iter().zip(&self.tables).enumerate() {
            plate.crust.par_chunks(4096).try_for_each(|crust| {
                control.check()?;
                for crust in crust {
                    let tile = self.tiles.cell(table.rotation.outwards(cells.middle(crust.cell)));
                    // The bit is already set for most cells, and a plain load is cheaper than an atomic write.
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

    /// Returns the plates that can have crust at a position of the world.
    pub fn candidates(&self, at: Vector) -> PlateMask {
        PlateMask(self.masks[self.tiles.cell(at)])
    }

    /// The rotation of a plate.
    pub fn rotation(&self, plate: usize) -> &PlateRotation {
        &self.tables[plate].rotation
    }

    /// Index of the crust in a cell of a plate; [`NO_CELL`] if the cell has no crust.
    #[inline]
    pub fn slot(&self, plate: usize, cell: u32) -> u32 {
        if cell == NO_CELL { NO_CELL } else { self.tables[plate].slots[cell as usize] }
    }

    /// Index of the crust that a plate has at a position of the world; `None` if it has no crust there.
    pub fn find(&self, cells: &SphereCells, plate: usize, at: Vector) -> Option<usize> {
        let cell = cells.cell(self.tables[plate].rotation.inwards(at)) as u32;
        Some(self.slot(plate, cell)).filter(|&slot| slot != NO_CELL).map(|slot| slot as usize)
    }

    /// Returns the first of `plates` that has crust at a position, with the index of that crust.
    pub fn find_any(&self, cells: &SphereCells, mut plates: PlateMask, at: Vector) -> Option<(usize, usize)> {
        plates.find_map(|plate| Some((plate, self.find(cells, plate, at)?)))
    }

    /// Updates the table of a plate whose crust changed from `before` to the crust of `plate`.
    pub fn change(&mut self, index: usize, before: &[CrustCell], plate: &Plate) {
        let table = &mut self.tables[index];
        before.iter().for_each(|crust| table.slots[crust.cell as usize] = NO_CELL);
        table.fill(&plate.crust);
    }

    /// Adds a table for a new plate.
    pub fn push(&mut self, cells: &SphereCells, plate: &Plate) {
        let mut table = PlateTable { rotation: plate.attitude.matrix(), slots: vec![NO_CELL; cells.count()] };
        table.fill(&plate.crust);
        self.tables.push(table);
    }

    /// Removes the table of a plate.
    pub fn remove(&mut self, index: usize) {
        self.tables.remove(index);
    }

    /// Updates the table of a plate after a cell was appended to it.
    pub fn add(&mut self, cells: &SphereCells, index: usize, plate: &Plate) {
        let slot = plate.crust.len() - 1;
        let cell = plate.crust[slot].cell;
        let table = &mut self.tables[index];
        table.slots[cell as usize] = slot as u32;
        let tile = self.tiles.cell(table.rotation.outwards(cells.middle(cell)));
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

/// A set of plates, as an iterator in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct PlateMask(pub u64);

impl PlateMask {
    /// The set without `plate`.
    pub fn remove_plate(self, plate: usize) -> Self {
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

//! Thumbnails of what the scene could be, drawn beside the worker on a few threads of their own.
//!
//! ```text
//! panels ── Wants ──▶ Studio ── orders ────▶ Maker
//!        ◀─ Plates ──        ◀─ thumbnails ──
//! ```
//! The contact sheet waits while the worker computes, so that it never holds up an edit. The few ghosts beside a slider
//! do not wait, and leave with the pointer.

use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::Resource;

use crate::lab::{Made, Maker, Size, Thumbnail, Variant};
use crate::scene::Scene;

/// Of the contact sheet.
const SHEET: Size = Size { samples: 129, pixels: 160 };
/// Beside a slider.
const GHOST: Size = Size { samples: 129, pixels: 112 };

/// One thread in so many is lent to thumbnails.
const THREADS_SHARE: usize = 4;

/// What the panels would like to see.
#[derive(Clone, Debug, Default)]
pub struct Wants {
    /// The contact sheet; empty while it is closed.
    pub sheet: Arc<Vec<Variant>>,
    /// What lies beside the slider under the pointer.
    pub ghosts: Arc<Vec<Variant>>,
}

/// A place for a thumbnail.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Plate {
    #[default]
    Coming,
    Drawn(Arc<Thumbnail>),
    /// The evaluation broke.
    Broken,
}

/// The thumbnails of some variants, as far as they are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plates {
    pub of: Arc<Vec<Variant>>,
    plates: Vec<Plate>,
}

impl Plates {
    /// The plates of `wanted`; all are coming if these are of something else.
    pub fn for_these(&self, wanted: &Arc<Vec<Variant>>) -> Self {
        if Arc::ptr_eq(&self.of, wanted) {
            return self.clone();
        }
        Self { of: wanted.clone(), plates: Vec::new() }
    }

    /// The plate of a variant by its index.
    pub fn get(&self, index: usize) -> &Plate {
        self.plates.get(index).unwrap_or(&Plate::Coming)
    }

    /// How many are drawn or never will be.
    pub fn ready(&self) -> usize {
        self.plates.iter().filter(|plate| **plate != Plate::Coming).count()
    }

    pub fn is_complete(&self) -> bool {
        self.ready() == self.of.len()
    }

    fn missing(&self) -> Vec<usize> {
        (0..self.of.len()).filter(|&k| *self.get(k) == Plate::Coming).collect()
    }

    /// What is known about a scene already.
    fn known(&self, scene: &Scene) -> Plate {
        let found = self.of.iter().zip(&self.plates).find(|(variant, _)| variant.scene == *scene);
        found.map_or(Plate::Coming, |(_, plate)| plate.clone())
    }
}

/// What the panels are told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VariantsInfo {
    pub sheet: Plates,
    pub ghosts: Plates,
    /// The sheet waits for the worker.
    pub waits: bool,
}

/// An order that is under way.
struct Order {
    number: u64,
    /// The plate of each of its variants.
    plates: Vec<usize>,
}

/// Plates of one size.
struct Desk {
    size: Size,
    plates: Plates,
    order: Option<Order>,
}

impl Desk {
    fn new(size: Size) -> Self {
        Self { size, plates: Plates::default(), order: None }
    }

    /// Lays out what is wanted now; what is drawn already is kept. Returns whether that is something else than before.
    fn lay(&mut self, wanted: &Arc<Vec<Variant>>) -> bool {
        if Arc::ptr_eq(&self.plates.of, wanted) {
            return false;
        }
        let plates = wanted.iter().map(|variant| self.plates.known(&variant.scene)).collect();
        self.plates = Plates { of: wanted.clone(), plates };
        true
    }

    /// Takes a thumbnail of the present order; gives others back.
    fn take(&mut self, made: Made) -> Result<(), Made> {
        let Some(order) = self.order.as_ref().filter(|order| order.number == made.order) else { return Err(made) };
        let plate = order.plates.get(made.index).and_then(|&k| self.plates.plates.get_mut(k));
        if let Some(plate) = plate {
            *plate = Plate::Drawn(Arc::new(made.thumbnail));
        }
        if self.plates.is_complete() {
            self.order = None;
        }
        Ok(())
    }

    /// The maker has no more to do: what has not come by now never will.
    fn give_up(&mut self) {
        if self.order.take().is_some() {
            self.plates.plates.iter_mut().filter(|p| **p == Plate::Coming).for_each(|plate| *plate = Plate::Broken);
        }
    }
}

/// See the module.
#[derive(Resource)]
pub struct Studio {
    /// Without a thread there are no thumbnails, and everything else works.
    maker: Option<Mutex<Maker>>,
    sheet: Desk,
    ghosts: Desk,
    waits: bool,
    /// Number of the next order.
    next: u64,
}

impl Studio {
    /// A studio that calls `notify` whenever a thumbnail is there.
    pub fn new(notify: impl Fn() + Send + Sync + 'static) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let maker = Maker::new((processors / THREADS_SHARE).max(1), notify);
        Self {
            maker: maker.ok().map(Mutex::new),
            sheet: Desk::new(SHEET),
            ghosts: Desk::new(GHOST),
            waits: false,
            next: 0,
        }
    }

    fn maker(&mut self) -> Option<&mut Maker> {
        Some(self.maker.as_mut()?.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the thumbnails that are there.
    pub fn receive(&mut self) {
        let Some(maker) = self.maker() else { return };
        // asked first: a maker that is idle now has delivered everything
        let was_idle = !maker.is_busy();
        for made in maker.collect() {
            self.take(made);
        }
        if was_idle {
            self.sheet.give_up();
            self.ghosts.give_up();
        }
    }

    /// Waits until everything that was ordered is there.
    pub fn finish(&mut self) {
        while let Some(made) = self.maker().and_then(|maker| maker.wait()) {
            self.take(made);
        }
        self.receive();
    }

    fn take(&mut self, made: Made) {
        // what nobody wants any more is not kept
        let _ = self.sheet.take(made).or_else(|made| self.ghosts.take(made));
    }

    /// Draws what the panels want now and stops drawing what they no longer want. While the worker `is_busy` the sheet
    /// has to wait.
    pub fn want(&mut self, wants: &Wants, is_busy: bool) {
        let changed = self.sheet.lay(&wants.sheet);
        if changed || is_busy {
            let order = self.sheet.order.take();
            self.forget(order);
        }
        if self.ghosts.lay(&wants.ghosts) {
            let order = self.ghosts.order.take();
            self.forget(order);
        }
        self.waits = is_busy && !self.sheet.plates.is_complete();
        // the newest order is drawn first: the ghosts
        if !is_busy {
            let (size, plates) = (self.sheet.size, self.sheet.plates.clone());
            self.sheet.order = self.sheet.order.take().or_else(|| self.order(size, &plates));
        }
        let (size, plates) = (self.ghosts.size, self.ghosts.plates.clone());
        self.ghosts.order = self.ghosts.order.take().or_else(|| self.order(size, &plates));
    }

    fn forget(&mut self, order: Option<Order>) {
        if let (Some(order), Some(maker)) = (order, self.maker()) {
            maker.forget(order.number);
        }
    }

    /// Orders the plates that are missing.
    fn order(&mut self, size: Size, plates: &Plates) -> Option<Order> {
        let missing = plates.missing();
        if missing.is_empty() {
            return None;
        }
        let number = self.next;
        let variants = missing.iter().map(|&k| plates.of[k].clone()).collect();
        self.maker()?.order(number, variants, size);
        self.next += 1;
        Some(Order { number, plates: missing })
    }

    /// Whether something is being drawn, or waits for that.
    pub fn is_busy(&self) -> bool {
        self.waits || self.sheet.order.is_some() || self.ghosts.order.is_some()
    }

    pub fn info(&self) -> VariantsInfo {
        VariantsInfo { sheet: self.sheet.plates.clone(), ghosts: self.ghosts.plates.clone(), waits: self.waits }
    }
}

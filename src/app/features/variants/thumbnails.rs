//! Thumbnails of what the scene could be, drawn beside the worker on a few threads of their own.
//!
//! ```text
//! panels ── Wants ──▶ ThumbnailService ── orders ────▶ Maker
//!        ◀─ ThumbnailSet ──        ◀─ thumbnails ──
//! ```
//! The contact sheet waits while the worker computes, so that it never holds up an edit. The few ghosts beside a slider
//! do not wait, and leave with the pointer.

use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::Resource;

use talweg::scene::Scene;
use talweg::variants::{FinishedThumbnail, SceneVariant, Size, Thumbnail, ThumbnailService};

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
    pub sheet: Arc<Vec<SceneVariant>>,
    /// What lies beside the slider under the pointer.
    pub ghosts: Arc<Vec<SceneVariant>>,
}

/// A place for a thumbnail.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ThumbnailState {
    #[default]
    Coming,
    Drawn(Arc<Thumbnail>),
    /// The evaluation broke.
    Broken,
}

/// The thumbnails of some variants, as far as they are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThumbnailSet {
    pub of: Arc<Vec<SceneVariant>>,
    thumbnails: Vec<ThumbnailState>,
}

impl ThumbnailSet {
    /// The thumbnails of `wanted`; all are coming if these are of something else.
    pub fn for_these(&self, wanted: &Arc<Vec<SceneVariant>>) -> Self {
        if Arc::ptr_eq(&self.of, wanted) {
            return self.clone();
        }
        Self { of: wanted.clone(), thumbnails: Vec::new() }
    }

    /// The thumbnail of a variant by its index.
    pub fn get(&self, index: usize) -> &ThumbnailState {
        self.thumbnails.get(index).unwrap_or(&ThumbnailState::Coming)
    }

    /// How many are drawn or never will be.
    pub fn ready(&self) -> usize {
        self.thumbnails.iter().filter(|thumbnail| **thumbnail != ThumbnailState::Coming).count()
    }

    pub fn is_complete(&self) -> bool {
        self.ready() == self.of.len()
    }

    fn missing(&self) -> Vec<usize> {
        (0..self.of.len()).filter(|&k| *self.get(k) == ThumbnailState::Coming).collect()
    }

    /// What is known about a scene already.
    fn known(&self, scene: &Scene) -> ThumbnailState {
        let found = self.of.iter().zip(&self.thumbnails).find(|(variant, _)| variant.scene == *scene);
        found.map_or(ThumbnailState::Coming, |(_, thumbnail)| thumbnail.clone())
    }
}

/// What the panels are told.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct VariantsInfo {
    pub sheet: ThumbnailSet,
    pub ghosts: ThumbnailSet,
    /// The sheet waits for the worker.
    pub waits: bool,
}

/// An order that is under way.
struct PendingThumbnails {
    number: u64,
    /// The thumbnail of each of its variants.
    thumbnails: Vec<usize>,
}

/// ThumbnailSet of one size.
struct ThumbnailQueue {
    size: Size,
    thumbnails: ThumbnailSet,
    order: Option<PendingThumbnails>,
}

impl ThumbnailQueue {
    fn new(size: Size) -> Self {
        Self { size, thumbnails: ThumbnailSet::default(), order: None }
    }

    /// Lays out what is wanted now; what is drawn already is kept. Returns whether that is something else than before.
    fn lay(&mut self, wanted: &Arc<Vec<SceneVariant>>) -> bool {
        if Arc::ptr_eq(&self.thumbnails.of, wanted) {
            return false;
        }
        let thumbnails = wanted.iter().map(|variant| self.thumbnails.known(&variant.scene)).collect();
        self.thumbnails = ThumbnailSet { of: wanted.clone(), thumbnails };
        true
    }

    /// Takes a thumbnail of the present order; gives others back.
    fn take(&mut self, made: FinishedThumbnail) -> Result<(), FinishedThumbnail> {
        let Some(order) = self.order.as_ref().filter(|order| order.number == made.order) else { return Err(made) };
        let thumbnail = order.thumbnails.get(made.index).and_then(|&k| self.thumbnails.thumbnails.get_mut(k));
        if let Some(thumbnail) = thumbnail {
            *thumbnail = ThumbnailState::Drawn(Arc::new(made.thumbnail));
        }
        if self.thumbnails.is_complete() {
            self.order = None;
        }
        Ok(())
    }

    /// The maker has no more to do: what has not come by now never will.
    fn give_up(&mut self) {
        if self.order.take().is_some() {
            self.thumbnails
                .thumbnails
                .iter_mut()
                .filter(|p| **p == ThumbnailState::Coming)
                .for_each(|thumbnail| *thumbnail = ThumbnailState::Broken);
        }
    }
}

/// See the module.
#[derive(Resource)]
pub struct ThumbnailClient {
    /// Without a thread there are no thumbnails, and everything else works.
    service: Option<Mutex<ThumbnailService>>,
    sheet: ThumbnailQueue,
    ghosts: ThumbnailQueue,
    waits: bool,
    /// Number of the next order.
    next: u64,
}

impl ThumbnailClient {
    /// A thumbnails that calls `notify` whenever a thumbnail is there.
    pub fn new(notify: impl Fn() + Send + Sync + 'static) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let service = ThumbnailService::new((processors / THREADS_SHARE).max(1), notify);
        Self {
            service: service.ok().map(Mutex::new),
            sheet: ThumbnailQueue::new(SHEET),
            ghosts: ThumbnailQueue::new(GHOST),
            waits: false,
            next: 0,
        }
    }

    fn service(&mut self) -> Option<&mut ThumbnailService> {
        Some(self.service.as_mut()?.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the thumbnails that are there.
    pub fn receive(&mut self) {
        let Some(service) = self.service() else { return };
        // asked first: a maker that is idle now has delivered everything
        let was_idle = !service.is_busy();
        for made in service.collect() {
            self.take(made);
        }
        if was_idle {
            self.sheet.give_up();
            self.ghosts.give_up();
        }
    }

    /// Waits until everything that was ordered is there.
    pub fn finish(&mut self) {
        while let Some(made) = self.service().and_then(|service| service.wait()) {
            self.take(made);
        }
        self.receive();
    }

    fn take(&mut self, made: FinishedThumbnail) {
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
        self.waits = is_busy && !self.sheet.thumbnails.is_complete();
        // the newest order is drawn first: the ghosts
        if !is_busy {
            let (size, thumbnails) = (self.sheet.size, self.sheet.thumbnails.clone());
            self.sheet.order = self.sheet.order.take().or_else(|| self.order(size, &thumbnails));
        }
        let (size, thumbnails) = (self.ghosts.size, self.ghosts.thumbnails.clone());
        self.ghosts.order = self.ghosts.order.take().or_else(|| self.order(size, &thumbnails));
    }

    fn forget(&mut self, order: Option<PendingThumbnails>) {
        if let (Some(order), Some(service)) = (order, self.service()) {
            service.forget(order.number);
        }
    }

    /// Orders the thumbnails that are missing.
    fn order(&mut self, size: Size, thumbnails: &ThumbnailSet) -> Option<PendingThumbnails> {
        let missing = thumbnails.missing();
        if missing.is_empty() {
            return None;
        }
        let number = self.next;
        let variants = missing.iter().map(|&k| thumbnails.of[k].clone()).collect();
        self.service()?.order(number, variants, size);
        self.next += 1;
        Some(PendingThumbnails { number, thumbnails: missing })
    }

    /// Whether something is being drawn, or waits for that.
    pub fn is_busy(&self) -> bool {
        self.waits || self.sheet.order.is_some() || self.ghosts.order.is_some()
    }

    pub fn info(&self) -> VariantsInfo {
        VariantsInfo { sheet: self.sheet.thumbnails.clone(), ghosts: self.ghosts.thumbnails.clone(), waits: self.waits }
    }
}

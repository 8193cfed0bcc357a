//! Thumbnails of variants of the scene. A few threads of their own render them, in addition to the evaluation worker.
//!
//! ```text
//! panels ── Wants ──▶ ThumbnailService ── orders ────▶ Maker
//!        ◀─ ThumbnailSet ──        ◀─ thumbnails ──
//! ```
//! The contact sheet waits while the worker computes, so that it never delays an edit. *Ghosts* are a few thumbnails in
//! the tooltip of a slider; they do not wait. They are cancelled when the pointer leaves the slider.

use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::Resource;

use talweg::scene::Scene;
use talweg::variants::{FinishedThumbnail, SceneVariant, Size, Thumbnail, ThumbnailService};

/// Size of the thumbnails on the contact sheet.
const SHEET: Size = Size { samples: 129, pixels: 160 };
/// Size of the ghosts, the thumbnails in the tooltip of a slider.
const GHOST: Size = Size { samples: 129, pixels: 112 };

/// Number of processors per thread that renders thumbnails: a quarter of the processors is used.
const THREADS_SHARE: usize = 4;

/// The variants that the panels want to show.
#[derive(Clone, Debug, Default)]
pub struct Wants {
    /// The variants of the contact sheet; empty while the sheet is closed.
    pub sheet: Arc<Vec<SceneVariant>>,
    /// The variants that the tooltip of the slider under the pointer shows.
    pub ghosts: Arc<Vec<SceneVariant>>,
}

/// State of a thumbnail.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ThumbnailState {
    #[default]
    Coming,
    Drawn(Arc<Thumbnail>),
    /// The evaluation of the thumbnail crashed.
    Broken,
}

/// The thumbnails of a list of variants, with the state of each thumbnail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThumbnailSet {
    pub of: Arc<Vec<SceneVariant>>,
    thumbnails: Vec<ThumbnailState>,
}

impl ThumbnailSet {
    /// The thumbnails of the variants in `wanted`. If this set belongs to other variants, all thumbnails are pending.
    pub fn for_these(&self, wanted: &Arc<Vec<SceneVariant>>) -> Self {
        if Arc::ptr_eq(&self.of, wanted) {
            return self.clone();
        }
        Self { of: wanted.clone(), thumbnails: Vec::new() }
    }

    /// The state of the thumbnail of variant `index`.
    pub fn get(&self, index: usize) -> &ThumbnailState {
        self.thumbnails.get(index).unwrap_or(&ThumbnailState::Coming)
    }

    /// Number of thumbnails that are finished or have failed.
    pub fn ready(&self) -> usize {
        self.thumbnails.iter().filter(|thumbnail| **thumbnail != ThumbnailState::Coming).count()
    }

    pub fn is_complete(&self) -> bool {
        self.ready() == self.of.len()
    }

    fn missing(&self) -> Vec<usize> {
        (0..self.of.len()).filter(|&k| *self.get(k) == ThumbnailState::Coming).collect()
    }

    /// The known state of a scene's thumbnail.
    fn known(&self, scene: &Scene) -> ThumbnailState {
        let found = self.of.iter().zip(&self.thumbnails).find(|(variant, _)| variant.scene == *scene);
        found.map_or(ThumbnailState::Coming, |(_, thumbnail)| thumbnail.clone())
    }
}

/// The thumbnails that the panels show, and the progress of the contact sheet.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct VariantsInfo {
    pub sheet: ThumbnailSet,
    pub ghosts: ThumbnailSet,
    /// Whether the contact sheet waits for the evaluation worker.
    pub waits: bool,
}

/// An order that the thumbnail service is executing.
struct PendingThumbnails {
    number: u64,
    /// For each ordered variant, the index of its thumbnail.
    thumbnails: Vec<usize>,
}

/// All thumbnails of one size, and the order that renders them.
struct ThumbnailQueue {
    size: Size,
    thumbnails: ThumbnailSet,
    order: Option<PendingThumbnails>,
}

impl ThumbnailQueue {
    fn new(size: Size) -> Self {
        Self { size, thumbnails: ThumbnailSet::default(), order: None }
    }

    /// Sets the wanted variants and keeps finished thumbnails. Returns whether the variants differ from before.
    fn set_wanted(&mut self, wanted: &Arc<Vec<SceneVariant>>) -> bool {
        if Arc::ptr_eq(&self.thumbnails.of, wanted) {
            return false;
        }
        let thumbnails = wanted.iter().map(|variant| self.thumbnails.known(&variant.scene)).collect();
        self.thumbnails = ThumbnailSet { of: wanted.clone(), thumbnails };
        true
    }

    /// Stores a thumbnail that belongs to the current order. A thumbnail of another order is returned as the error.
    fn store(&mut self, made: FinishedThumbnail) -> Result<(), FinishedThumbnail> {
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

    /// Marks the thumbnails that are still pending as failed. Called after the maker of thumbnails has finished.
    fn mark_failed(&mut self) {
        if self.order.take().is_some() {
            self.thumbnails
                .thumbnails
                .iter_mut()
                .filter(|p| **p == ThumbnailState::Coming)
                .for_each(|thumbnail| *thumbnail = ThumbnailState::Broken);
        }
    }
}

/// The client of the thumbnail service.
#[derive(Resource)]
pub struct ThumbnailClient {
    /// The thumbnail service. If no thread could be started, it is `None` and there are no thumbnails.
    service: Option<Mutex<ThumbnailService>>,
    sheet: ThumbnailQueue,
    ghosts: ThumbnailQueue,
    waits: bool,
    /// Number of the next order.
    next: u64,
}

impl ThumbnailClient {
    /// Creates a client; `notify` is called for each finished thumbnail.
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

    /// Takes finished thumbnails.
    pub fn receive(&mut self) {
        let Some(service) = self.service() else { return };
        // read this before the thumbnails: if the maker is idle now, it has already delivered all thumbnails
        let was_idle = !service.is_busy();
        for made in service.collect() {
            self.store(made);
        }
        if was_idle {
            self.sheet.mark_failed();
            self.ghosts.mark_failed();
        }
    }

    /// Waits until all ordered thumbnails are finished or have failed.
    pub fn finish(&mut self) {
        while let Some(made) = self.service().and_then(|service| service.wait()) {
            self.store(made);
        }
        self.receive();
    }

    fn store(&mut self, made: FinishedThumbnail) {
        // discard thumbnails that are no longer wanted
        let _ = self.sheet.store(made).or_else(|made| self.ghosts.store(made));
    }

    /// Orders the thumbnails that the panels need and cancels the others. If `is_busy`, the contact sheet waits for the
    /// worker.
    pub fn want(&mut self, wants: &Wants, is_busy: bool) {
        let changed = self.sheet.set_wanted(&wants.sheet);
        if changed || is_busy {
            let order = self.sheet.order.take();
            self.forget(order);
        }
        if self.ghosts.set_wanted(&wants.ghosts) {
            let order = self.ghosts.order.take();
            self.forget(order);
        }
        self.waits = is_busy && !self.sheet.thumbnails.is_complete();
        // order the ghosts after the sheet, because the newest order is rendered first
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

    /// Orders the thumbnails that are still missing. Returns `None` if nothing was ordered.
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

    /// Whether thumbnails are being rendered or wait to be rendered.
    pub fn is_busy(&self) -> bool {
        self.waits || self.sheet.order.is_some() || self.ghosts.order.is_some()
    }

    pub fn info(&self) -> VariantsInfo {
        VariantsInfo { sheet: self.sheet.thumbnails.clone(), ghosts: self.ghosts.thumbnails.clone(), waits: self.waits }
    }
}

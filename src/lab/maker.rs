//! Draws thumbnails in the background, the newest order first.
//!
//! An order that comes while another is being drawn stops it at once; the older one goes on afterwards, without what it has
//! already delivered. So the ghosts beside a slider come before the contact sheet that is still under way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::variants::{Size, Thumbnail, Variant, draw_all};
use crate::eval::thread_pool;
use crate::field::Control;

/// A thumbnail of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// Of the order that it belongs to.
    pub order: u64,
    /// Of the variant in the order.
    pub index: usize,
    /// The picture with its numbers.
    pub thumbnail: Thumbnail,
}

#[derive(Clone)]
struct Order {
    /// Its own, also when it takes the place of another of the same number.
    serial: u64,
    number: u64,
    size: Size,
    left: Vec<(usize, Variant)>,
}

#[derive(Default)]
struct Desk {
    /// The newest last.
    orders: Vec<Order>,
    running: Option<Running>,
    /// Serial of the next order.
    next: u64,
    quit: bool,
}

/// What is being drawn.
struct Running {
    number: u64,
    control: Arc<Control>,
}

#[derive(Default)]
struct Shared {
    desk: Mutex<Desk>,
    bell: Condvar,
}

impl Shared {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See the module. Dropping it stops it.
pub struct Maker {
    shared: Arc<Shared>,
    made: Receiver<Made>,
    thread: Option<JoinHandle<()>>,
}

impl Maker {
    /// A maker with `threads` threads (0: one for each processor) that calls `notify` after each thumbnail.
    ///
    /// # Errors
    /// When the system has no threads left.
    pub fn new(threads: usize, notify: impl Fn() + Send + Sync + 'static) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = thread_pool(threads)?;
        let shared = Arc::new(Shared::default());
        let (sender, made) = channel();
        let own = shared.clone();
        let thread = std::thread::spawn(move || pool.install(|| work(&own, &sender, &notify)));
        Ok(Self { shared, made, thread: Some(thread) })
    }

    /// Orders thumbnails of `variants`. An order of the same number that is still under way is forgotten.
    pub fn order(&self, number: u64, variants: Vec<Variant>, size: Size) {
        let mut desk = self.shared.desk();
        desk.orders.retain(|order| order.number != number);
        let serial = desk.next;
        desk.next += 1;
        desk.orders.push(Order { serial, number, size, left: variants.into_iter().enumerate().collect() });
        if let Some(running) = &desk.running {
            running.control.cancel();
        }
        self.shared.bell.notify_all();
    }

    /// Forgets an order; some of its thumbnails may still come.
    pub fn forget(&self, number: u64) {
        let mut desk = self.shared.desk();
        desk.orders.retain(|order| order.number != number);
        if let Some(running) = desk.running.as_ref().filter(|running| running.number == number) {
            running.control.cancel();
        }
    }

    /// Whether anything is still to be drawn.
    pub fn is_busy(&self) -> bool {
        let desk = self.shared.desk();
        desk.running.is_some() || !desk.orders.is_empty()
    }

    /// What has been drawn since the last call.
    pub fn collect(&self) -> Vec<Made> {
        self.made.try_iter().collect()
    }

    /// The next thumbnail, as soon as it is there; `None` once everything is drawn.
    pub fn wait(&self) -> Option<Made> {
        loop {
            if let Ok(made) = self.made.try_recv() {
                return Some(made);
            }
            let desk = self.shared.desk();
            if desk.running.is_none() && desk.orders.is_empty() {
                drop(desk);
                return self.made.try_recv().ok();
            }
            // rung for every thumbnail and at the end of every order
            drop(self.shared.bell.wait_timeout(desk, std::time::Duration::from_millis(20)));
        }
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        let mut desk = self.shared.desk();
        desk.quit = true;
        if let Some(running) = &desk.running {
            running.control.cancel();
        }
        self.shared.bell.notify_all();
        drop(desk);
        if let Some(thread) = self.thread.take() {
            // it catches what its drawings throw
            let _ = thread.join();
        }
    }
}

/// The newest order, once there is one; `None` when the maker is dropped.
fn next(shared: &Shared) -> Option<(Order, Arc<Control>)> {
    let mut desk = shared.desk();
    loop {
        if desk.quit {
            return None;
        }
        if let Some(order) = desk.orders.last().cloned() {
            let control = Arc::new(Control::default());
            desk.running = Some(Running { number: order.number, control: control.clone() });
            return Some((order, control));
        }
        desk = shared.bell.wait(desk).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Draws order after order until the maker is dropped.
fn work(shared: &Shared, sender: &Sender<Made>, notify: &(dyn Fn() + Sync)) {
    while let Some((order, control)) = next(shared) {
        let deliver = |index: usize, thumbnail: Thumbnail| {
            let mut desk = shared.desk();
            // nobody waits for an order that was forgotten or replaced meanwhile
            let Some(wanted) = desk.orders.iter_mut().find(|o| o.serial == order.serial) else { return };
            wanted.left.retain(|(k, _)| *k != index);
            // the receiver is gone when the maker is
            let _ = sender.send(Made { order: order.number, index, thumbnail });
            drop(desk);
            shared.bell.notify_all();
            notify();
        };
        // a scene whose evaluation breaks ends its order and no other
        let drawn = catch_unwind(AssertUnwindSafe(|| draw_all(&order.left, order.size, &control, &deliver)));
        let mut desk = shared.desk();
        desk.running = None;
        if !matches!(drawn, Ok(Err(_))) {
            desk.orders.retain(|o| o.serial != order.serial);
        }
        drop(desk);
        shared.bell.notify_all();
    }
}

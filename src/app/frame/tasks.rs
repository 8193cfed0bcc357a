//! Something that is worked out on a thread of its own, with a stop flag.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::app::view::Waker;
use crate::nodes::Control;

/// Stops when it is dropped.
pub struct Job<T> {
    control: Arc<Control>,
    done: Mutex<Receiver<T>>,
}

/// What became of a [`Job`].
pub enum Outcome<T> {
    Running,
    Done(T),
    /// Its thread died.
    Broke,
}

impl<T: Send + 'static> Job<T> {
    /// Begins `work` on a thread called after `name`.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(
        name: &str,
        waker: &Waker,
        work: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> std::io::Result<Self> {
        let control = Arc::new(Control::default());
        let (sender, done) = channel();
        let (stop, waker) = (control.clone(), waker.clone());
        std::thread::Builder::new().name(format!("talweg-{name}")).spawn(move || {
            // a thread that dies has something to tell, too
            let _bell = Bell(waker);
            // the owner may have lost interest
            let _ = sender.send(work(&stop));
        })?;
        Ok(Self { control, done: Mutex::new(done) })
    }

    pub fn control(&self) -> &Control {
        &self.control
    }

    pub fn outcome(&mut self) -> Outcome<T> {
        match self.done.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv() {
            Ok(done) => Outcome::Done(done),
            Err(TryRecvError::Empty) => Outcome::Running,
            Err(TryRecvError::Disconnected) => Outcome::Broke,
        }
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.control.cancel();
    }
}

/// Wakes the window when it is dropped.
struct Bell(Waker);

impl Drop for Bell {
    fn drop(&mut self) {
        self.0.wake();
    }
}

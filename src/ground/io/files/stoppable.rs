//! Writing that can be cancelled.

use std::io::{Error, Seek, SeekFrom, Write};

use crate::field::{Cancelled, Control};

/// Writes data to `out` until `control` is cancelled. After that, every write fails with [`Cancelled`] as the cause.
/// Code that writes in chunks therefore stops between two chunks.
pub struct StoppableWriter<'a, W> {
    out: W,
    control: &'a Control,
}

impl<'a, W> StoppableWriter<'a, W> {
    /// A cancellable writer that writes to `out`.
    pub fn new(out: W, control: &'a Control) -> Self {
        Self { out, control }
    }

    fn check(&self) -> std::io::Result<()> {
        self.control.check().map_err(Error::other)
    }
}

impl<W: Write> Write for StoppableWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.check()?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.check()?;
        self.out.flush()
    }
}

impl<W: Seek> Seek for StoppableWriter<'_, W> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.out.seek(to)
    }
}

/// Whether an error was caused by cancellation; libraries wrap such errors in their own types.
pub(super) fn is_cancelled(error: &Error) -> bool {
    let mut cause = error.get_ref().map(|error| error as &(dyn std::error::Error + 'static));
    while let Some(error) = cause {
        if error.is::<Cancelled>() {
            return true;
        }
        cause = match error.downcast_ref::<Error>() {
            Some(inner) => inner.get_ref().map(|error| error as &(dyn std::error::Error + 'static)),
            None => error.source(),
        };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_is_recognised_inside_other_errors() {
        let control = Control::default();
        let mut bytes = Vec::new();
        let mut out = StoppableWriter::new(&mut bytes, &control);
        out.write_all(b"before").unwrap();
        control.cancel();
        let error = out.write_all(b"after").unwrap_err();
        assert!(is_cancelled(&error) && is_cancelled(&Error::other(error)));
        assert!(!is_cancelled(&Error::other("full")) && !is_cancelled(&Error::from(std::io::ErrorKind::Other)));
        assert_eq!(bytes, b"before");
    }
}

//! Writing that somebody can stop.

use std::io::{Error, Seek, SeekFrom, Write};

use crate::field::{Cancelled, Control};

/// Hands on what is written until `control` says that it should stop; from then on it fails with [`Cancelled`] as the
/// cause. What writes thousands of values at a time is so stopped between two of its parts.
pub struct StoppableWriter<'a, W> {
    out: W,
    control: &'a Control,
}

impl<'a, W> StoppableWriter<'a, W> {
    /// Writes to `out`.
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

/// Whether that is why something was not written: packages hand errors on inside their own.
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
    fn what_is_stopped_says_so_through_the_errors_of_others() {
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

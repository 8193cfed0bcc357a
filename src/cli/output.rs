//! What the commands that write have in common.

use std::path::Path;

use clap::Args;

use crate::io::SaveTarget;

/// What becomes of a file that is write-protected.
#[derive(Args)]
pub struct ForceArgs {
    /// Replace the file even if it is write-protected
    #[arg(long)]
    force: bool,
}

impl ForceArgs {
    /// The file, to be written as the command line says.
    pub fn target(&self, path: &Path) -> SaveTarget {
        SaveTarget::new(path).over_read_only(self.force)
    }
}

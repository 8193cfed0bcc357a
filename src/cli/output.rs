//! What the commands that write have in common.

use std::path::Path;

use clap::Args;

use talweg::io::SaveTarget;

/// What becomes of a file that is write-protected, or has other names.
#[derive(Args)]
pub struct ForceArgs {
    /// Replace the file even if it is write-protected, or one of several hard links
    #[arg(long)]
    force: bool,
}

impl ForceArgs {
    /// Whether protected files are replaced.
    pub fn is_forced(&self) -> bool {
        self.force
    }

    /// The file, to be written as the command line says.
    pub fn target(&self, path: &Path) -> SaveTarget {
        SaveTarget::new(path).over_read_only(self.force).over_links(self.force)
    }
}

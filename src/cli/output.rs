//! Common parts of the commands that write files.

use std::path::Path;

use clap::Args;

use talweg::io::SaveTarget;

/// The option to replace write-protected files, and files with several hard links.
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

    /// The target for a file, with the protection chosen on the command line.
    pub fn target(&self, path: &Path) -> SaveTarget {
        SaveTarget::new(path).over_read_only(self.force).over_links(self.force)
    }
}

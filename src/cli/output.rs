//! Common parts of the commands that write files.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Failure, usage};
use talweg::io::SaveTarget;
use talweg::scene::with_scene_ending;

/// The option to replace write-protected files, and files with several hard links.
#[derive(Args)]
pub struct ForceArgs {
    /// Replace the file even if it is write-protected, or one of several hard links
    #[arg(long)]
    force: bool,
}

/// The path of a scene to write: a name without an ending gets `.ron`, and other endings are refused.
///
/// # Errors
/// When the name has the ending of another kind of file.
pub fn scene_output(path: &Path) -> Result<PathBuf, Failure> {
    let named = with_scene_ending(path);
    if named.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ron")) {
        return Ok(named);
    }
    Err(usage(anyhow::anyhow!("cannot write {}: scenes are .ron files", path.display())))
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

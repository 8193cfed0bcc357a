//! Full disks: a small file system in memory with less and less free space.

use std::path::Path;
use std::process::Command;

use crate::kills::{child_command, findings_after_kill};
use crate::parts::{Amounts, OPERATIONS};
use crate::table::{Finding, Table};
use crate::writers::{Found, Operation, left_over};

/// Bytes of a page, the unit in which a file in memory takes space.
const PAGE: usize = 4096;
/// More pages than any operation needs.
const SIZE_PAGES: usize = 160;

/// A file system in memory, unmounted when dropped.
struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// Mounts a file system with this capacity; `None` if this process may not mount file systems.
    fn new(pages: usize, files: usize) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = format!("size={},nr_inodes={files}", pages * PAGE);
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder.path()).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self { folder })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.path()).status();
        assert!(unmounted.is_ok_and(|status| status.success()), "{} stays mounted", self.path().display());
    }
}

pub fn run(amounts: &Amounts, table: &mut Table) {
    let step = if amounts.exhaustive { 1 } else { 12 };
    for (operation, wanted) in
        OPERATIONS.map(|operation| (operation, None)).into_iter().chain([(Operation::Silent, Some(Finding::Torn))])
    {
        let kind = if wanted.is_some() { "control, full disk" } else { "full disk" };
        let row = table.control_row(format!("{kind}: {}", operation.name()), wanted);
        let rooms = (0..SIZE_PAGES).step_by(step).map(|pages| (pages, 1000));
        // space for bytes, but no space for more files
        let rooms = rooms.chain((2..12).map(|files| (SIZE_PAGES, files)));
        for (pages, files) in rooms {
            let Some(disk) = SmallDisk::new(pages.max(1), files) else {
                row.skip("only root can mount a disk");
                break;
            };
            let words = child_command(operation, disk.path(), 4);
            let output = Command::new(&words[0]).args(&words[1..]).output().expect("the campaign starts itself");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let numbers = String::from_utf8_lossy(&output.stdout).into_owned();
            let acknowledged = numbers.lines().last().map_or(0, |line| line.parse().expect("a number"));
            let found = operation.found(disk.path());
            let when = format!("{pages} pages and {files} files");
            let mut findings = findings_after_kill(&found, acknowledged, &when);
            let is_told = said.starts_with("talweg: ") && said.contains("os error 28") && !said.contains("panicked");
            if !output.status.success() && !is_told {
                findings.push((Finding::WrongSentence, format!("{when}: {said}")));
            }
            let is_old = found == if acknowledged == 0 { Found::Nothing } else { Found::State(acknowledged) };
            if !output.status.success() && said.contains("untouched") && !is_old {
                findings.push((Finding::WrongSentence, format!("{when}: {said}")));
            }
            if !left_over(disk.path()).is_empty() {
                findings.push((Finding::LeftOver, when));
            }
            row.count(&findings);
        }
    }
}

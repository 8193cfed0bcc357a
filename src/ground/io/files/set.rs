//! Files that are replaced together, such as the faces of a cube map, or a map and its legend.

use std::path::{Path, PathBuf};

use super::place::WriteLocation;
use super::temporary::{TemporaryFile, TemporaryFolder, TemporaryName};
use super::{FileError, FolderLock, SaveTarget, StagedFile};

/// New files that replace the old files together, or not at all. Until the replacement, the new files are closed and in
/// a temporary folder inside the target folder. The limit on open files therefore does not limit their number.
///
/// File systems replace one file at a time: a kill during the renames leaves some old and some new files, each one
/// complete. No other work happens between the renames, and an error restores the old files. A folder that does not
/// exist yet can appear with all of its files at once: [`write_folder_atomically`](super::write_folder_atomically).
#[derive(Debug, Default)]
pub struct StagedSet {
    files: Vec<SetFile>,
    /// One temporary folder per target folder, with the path of the target folder.
    waiting: Vec<(PathBuf, TemporaryFolder)>,
}

/// One file of a set: the location of the old file and the new file.
#[derive(Debug)]
struct SetFile {
    target: SaveTarget,
    place: WriteLocation,
    new: NewFile,
}

/// State of a new file that waits to replace the old one.
#[derive(Debug)]
enum NewFile {
    /// The new file is in a temporary folder.
    Waiting(TemporaryName),
    /// The new file is in the folder of the old file, where it is open and locked. This happens if no temporary folder
    /// could be created.
    Open(TemporaryFile),
}

impl NewFile {
    fn rename(self, to: &Path) -> std::io::Result<()> {
        match self {
            Self::Waiting(name) => name.rename(to),
            Self::Open(file) => file.rename(to),
        }
    }
}

/// A file of a set that has replaced its old file.
struct ReplacedFile {
    path: PathBuf,
    place: WriteLocation,
    /// The old file, kept under a temporary name.
    old: Option<TemporaryName>,
}

impl StagedSet {
    /// Adds a file to the set.
    pub fn push(&mut self, file: StagedFile) {
        let StagedFile { target, place, temporary } = file;
        if self.folder(&place.folder).is_none()
            && let Ok(folder) = TemporaryFolder::new(&place.folder)
        {
            self.waiting.push((place.folder.clone(), folder));
        }
        let new = match self.folder(&place.folder) {
            Some(folder) => folder.move_in(temporary).map_or_else(NewFile::Open, NewFile::Waiting),
            None => NewFile::Open(temporary),
        };
        self.files.push(SetFile { target, place, new });
    }

    /// The temporary folder of the set inside `folder`, if any.
    fn folder(&self, folder: &Path) -> Option<&TemporaryFolder> {
        self.waiting.iter().find(|(around, _)| around == folder).map(|(_, folder)| folder)
    }

    /// Replaces all old files of the set by the new files.
    ///
    /// # Errors
    /// When an old file has changed or cannot be replaced. The old files are then restored, or the error names the
    /// files that stay replaced. This function also fails when it has replaced all files but cannot sync a folder.
    pub fn commit(self) -> Result<(), FileError> {
        let folders = self.folders();
        let _locks: Vec<_> = folders.iter().map(|folder| FolderLock::new(folder)).collect::<Result<_, _>>()?;
        self.replace(&folders)
    }

    /// Does the same as [`commit`](Self::commit), for files in a folder that the caller has already locked.
    ///
    /// # Errors
    /// The errors of [`commit`](Self::commit).
    pub fn commit_in_locked_folder(self) -> Result<(), FileError> {
        let folders = self.folders();
        self.replace(&folders)
    }

    /// The target folders in sorted order, so that two programs lock them in the same order and cannot deadlock.
    fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<_> = self.files.iter().map(|file| file.place.folder.clone()).collect();
        folders.sort();
        folders.dedup();
        folders
    }

    fn replace(self, folders: &[PathBuf]) -> Result<(), FileError> {
        self.files.iter().try_for_each(|file| file.target.check_expected(&file.place))?;
        // A set of a single file needs no backup of the old file.
        let is_alone = self.files.len() == 1;
        let second_name = |file: &SetFile| {
            let is_there = file.place.existing.is_some() && !is_alone;
            self.folder(&file.place.folder).filter(|_| is_there)?.second_name(&file.place.file).ok()
        };
        let old: Vec<_> = self.files.iter().map(second_name).collect();
        let mut replaced = Vec::new();
        for (SetFile { target, place, new }, old) in self.files.into_iter().zip(old) {
            let path = target.path().to_path_buf();
            match new.rename(&place.file) {
                Ok(()) => replaced.push(ReplacedFile { path, place, old }),
                Err(source) => return Err(restore_files(replaced, path, source)),
            }
        }
        let of_folder = |folder: &PathBuf| replaced.iter().find(|file| file.place.folder == *folder);
        let mut synced = folders.iter().filter_map(of_folder);
        let failed = synced.find_map(|file| Some((file, file.place.sync_folder().err()?)));
        failed.map_or(Ok(()), |(file, source)| Err(FileError::Unsynced { path: file.path.clone(), source }))
    }
}

/// Restores the old files, the most recently replaced first, after `path` could not be replaced because of `source`.
fn restore_files(replaced: Vec<ReplacedFile>, path: PathBuf, source: std::io::Error) -> FileError {
    let mut new = Vec::new();
    for ReplacedFile { path, place, old } in replaced.into_iter().rev() {
        let back = match old {
            Some(old) => old.rename(&place.file).is_ok(),
            None => place.existing.is_none() && std::fs::remove_file(&place.file).is_ok(),
        };
        if !back {
            new.push(path.display().to_string());
        }
    }
    if new.is_empty() {
        return FileError::Write { path, source };
    }
    new.reverse();
    FileError::PartlyReplaced { path, new: new.join(", "), source }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn files_that_cannot_be_restored_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["one", "two", "three"].map(|name| folder.path().join(name));
        let waiting = TemporaryFolder::new(folder.path()).unwrap();
        let replaced = names[..2].iter().map(|path| {
            std::fs::write(path, "old").unwrap();
            let StagedFile { place, temporary, .. } = StagedFile::new(path, |file| file.write_all(b"new")).unwrap();
            let old = waiting.second_name(path).unwrap();
            temporary.rename(path).unwrap();
            ReplacedFile { path: path.clone(), place, old: Some(old) }
        });
        let mut replaced: Vec<_> = replaced.collect();
        // The test removes the backup of the second file.
        replaced[1].old = None;
        let error = restore_files(replaced, names[2].clone(), std::io::Error::other("the disk is gone"));
        let said = error.to_string();
        assert!(error.is_replaced() && said.contains("the disk is gone") && said.contains("three"), "{said}");
        assert!(said.contains(&format!("these were replaced: {};", names[1].display())), "{said}");
        assert_eq!(std::fs::read_to_string(&names[0]).unwrap(), "old");
        assert_eq!(std::fs::read_to_string(&names[1]).unwrap(), "new");
        drop(waiting);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside them");
    }
}

//! Files that belong together, such as the faces of a cube, or a map and its legend.

use std::path::PathBuf;

use super::place::WritePlace;
use super::temporary::TemporaryFile;
use super::{FileError, FolderLock, StagedFile};

/// New files that take the places of the old ones together, or not at all. File systems replace one file at a time, so
/// what is killed in between leaves some of each; what fails in between is taken back.
#[derive(Debug, Default)]
pub struct StagedSet(Vec<StagedFile>);

/// A file of a set that has been replaced.
struct ReplacedFile {
    path: PathBuf,
    place: WritePlace,
    /// The old file under another name.
    old: Option<TemporaryFile>,
}

impl StagedSet {
    /// Adds a file.
    pub fn push(&mut self, file: StagedFile) {
        self.0.push(file);
    }

    /// Lets all of them take the places of the old ones.
    ///
    /// # Errors
    /// When one of the old files has changed or cannot be replaced; the others are then the old ones again, or the
    /// error names those that are new. Or when all are replaced and a folder cannot be synced.
    pub fn commit(mut self) -> Result<(), FileError> {
        if self.0.len() == 1
            && let Some(only) = self.0.pop()
        {
            return only.commit();
        }
        let mut folders: Vec<_> = self.0.iter().map(|file| file.place.folder.clone()).collect();
        // in one order, so that two programs do not wait for each other
        folders.sort();
        folders.dedup();
        let _locks: Vec<_> = folders.iter().map(|folder| FolderLock::new(folder)).collect();
        self.0.iter().try_for_each(StagedFile::check_expected)?;
        let mut replaced = Vec::new();
        for StagedFile { target, place, temporary } in self.0 {
            let path = target.path().to_path_buf();
            let old = place.existing.as_ref().and_then(|_| TemporaryFile::second_name(&place.file, &place.folder).ok());
            match temporary.rename(&place.file) {
                Ok(()) => replaced.push(ReplacedFile { path, place, old }),
                Err(source) => return Err(take_back(replaced, path, source)),
            }
        }
        let synced = replaced.iter().find_map(|file| Some((file, file.place.sync_folder().err()?)));
        synced.map_or(Ok(()), |(file, source)| Err(FileError::Unsynced { path: file.path.clone(), source }))
    }
}

/// Puts the old files back, the newest first; `path` could not be replaced because of `source`.
fn take_back(replaced: Vec<ReplacedFile>, path: PathBuf, source: std::io::Error) -> FileError {
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
    fn files_that_cannot_be_put_back_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["one", "two", "three"].map(|name| folder.path().join(name));
        let replaced = names[..2].iter().map(|path| {
            std::fs::write(path, "old").unwrap();
            let StagedFile { place, temporary, .. } = StagedFile::new(path, |file| file.write_all(b"new")).unwrap();
            let old = TemporaryFile::second_name(path, folder.path()).unwrap();
            temporary.rename(path).unwrap();
            ReplacedFile { path: path.clone(), place, old: Some(old) }
        });
        let mut replaced: Vec<_> = replaced.collect();
        // the old file of the second is gone
        replaced[1].old = None;
        let error = take_back(replaced, names[2].clone(), std::io::Error::other("the disk is gone"));
        let said = error.to_string();
        assert!(error.is_replaced() && said.contains("the disk is gone") && said.contains("three"), "{said}");
        assert!(said.contains(&format!("these are new: {};", names[1].display())), "{said}");
        assert_eq!(std::fs::read_to_string(&names[0]).unwrap(), "old");
        assert_eq!(std::fs::read_to_string(&names[1]).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside them");
    }
}

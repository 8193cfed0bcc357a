//! Small RON files in the configuration folder: what people like, and what they opened last. What goes wrong here costs
//! the list or the settings, never a scene.

use std::io::{ErrorKind, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::io::SaveTarget;

/// Reads a file of at most `most_bytes`; what it would hold by default where it is missing. One that cannot be
/// understood is copied aside, as it will be replaced.
///
/// # Errors
/// Why it cannot be understood, and where the copy is.
pub fn read<T: DeserializeOwned + Default>(path: &Path, most_bytes: u64) -> Result<T, String> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(T::default()),
        Err(error) => return Err(error.to_string()),
        // a pipe or a device could keep us waiting for ever
        Ok(data) if !data.is_file() => return Err("it is not a file".into()),
        Ok(data) if data.len() > most_bytes => return Err("it is too large".into()),
        Ok(_) => {}
    }
    let read = std::fs::read_to_string(path).map_err(|e| e.to_string());
    read.and_then(|text| ron::from_str(&text).map_err(|e| e.to_string())).map_err(|message| {
        let aside = path.with_extension("ron.unreadable");
        match std::fs::copy(path, &aside) {
            Ok(_) => format!("{message}. A copy is kept as {}", aside.display()),
            Err(_) => message,
        }
    })
}

/// Replaces the file in one step; makes its folder.
///
/// # Errors
/// When it cannot be written; the old one stays.
pub fn write(path: &Path, value: &impl Serialize) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let text = ron::to_string(value).map_err(std::io::Error::other)?;
    // whoever keeps settings under several names wants the program to go on keeping them
    crate::io::write_atomically(SaveTarget::new(path).over_links(true), |file| file.write_all(text.as_bytes()))
        .map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_is_copied_aside_and_what_is_no_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config/list.ron");
        assert_eq!(read::<Vec<u8>>(&path, 100), Ok(Vec::new()));
        write(&path, &vec![1_u8, 2]).unwrap();
        assert_eq!(read::<Vec<u8>>(&path, 100), Ok(vec![1, 2]));
        std::fs::write(&path, "[1, oops").unwrap();
        let said = read::<Vec<u8>>(&path, 100).unwrap_err();
        let aside = path.with_extension("ron.unreadable");
        assert!(said.contains(&aside.display().to_string()), "{said}");
        assert_eq!(std::fs::read_to_string(aside).unwrap(), "[1, oops");
        assert_eq!(read::<Vec<u8>>(&path, 3), Err("it is too large".into()));
        assert!(read::<Vec<u8>>(folder.path(), 100).unwrap_err().contains("not a file"));
    }
}

//! Unsaved work survives a crash of the engine: the newest scene is kept aside and written when all else is lost.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::Resource;

use crate::app::frame::document::Document;
use crate::app::frame::launch::AppError;
use crate::app::frame::recent::Recent;
use crate::scene::Scene;

/// The newest unsaved scene; shared with the code that outlives the engine.
#[derive(Resource, Clone, Default)]
pub struct CrashRecovery(Arc<Mutex<Option<Scene>>>);

impl CrashRecovery {
    /// Keeps the unsaved scene, or lets it go once it is saved.
    pub fn keep(&self, document: &Document) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !document.is_dirty() {
            *kept = None;
        } else if kept.as_ref() != Some(document.scene()) {
            *kept = Some(document.scene().clone());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Writes what is kept to the configuration folder, or to the folder for temporary files, and says where.
    pub fn write(&self, message: String) -> AppError {
        let scene = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(scene) = scene else {
            return AppError::Crashed { message, recovery: "Nothing unsaved was open".into() };
        };
        let folders =
            [Recent::default_file().and_then(|f| Some(f.parent()?.to_path_buf())), Some(std::env::temp_dir())];
        let mut failed = String::new();
        for folder in folders.into_iter().flatten() {
            let path = free_name(folder);
            let saved = path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(|e| e.to_string());
            match saved.and_then(|()| scene.save(&path).map_err(|e| e.to_string())) {
                Ok(()) => {
                    let recovery = format!("Unsaved changes were put into {}; open that file to go on", path.display());
                    return AppError::Crashed { message, recovery };
                }
                Err(error) => failed = error,
            }
        }
        let recovery = format!("Unsaved changes could not be kept ({failed}). Here they are:\n{}", scene.to_ron());
        AppError::Crashed { message, recovery }
    }
}

/// `recovered.ron` in `folder`, numbered if that is there already.
fn free_name(folder: PathBuf) -> PathBuf {
    let named = |k: u32| folder.join(if k == 0 { "recovered.ron".into() } else { format!("recovered-{k}.ron") });
    (0..1000).map(named).find(|path| !path.exists()).unwrap_or_else(|| named(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsaved_work_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(free_name(folder.path().into()), folder.path().join("recovered.ron"));
        std::fs::write(folder.path().join("recovered.ron"), "old").unwrap();
        assert_eq!(free_name(folder.path().into()), folder.path().join("recovered-1.ron"));

        let recovery = CrashRecovery::default();
        let mut document = Document::default();
        recovery.keep(&document);
        assert!(recovery.write("x".into()).to_string().contains("Nothing unsaved"));
        document.edit("Rename", None, |scene| scene.name = "Unsaved".into());
        recovery.keep(&document);
        assert_eq!(recovery.0.lock().unwrap().as_ref().unwrap().name, "Unsaved");
    }
}

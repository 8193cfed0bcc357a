//! How people like their planets drawn and how many versions they keep, kept between runs beside the list of recent
//! scenes. What goes wrong here costs these settings, never a scene.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::config_file;
use crate::app::view::globe::{GlobeView, PlanetProjection};
use crate::param::Params;

/// A few numbers; what is larger is not ours.
const MAX_BYTES: u64 = 64 * 1024;

/// Of a scene file.
pub const MOST_VERSIONS: usize = 100;

/// Why the settings could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum PreferencesError {
    #[error("The settings of the globe view could not be read from {path}: {message}. They begin anew")]
    Read { path: PathBuf, message: String },
    #[error(
        "The settings of the globe view could not be written to {path}: {source}. They will be forgotten on quitting"
    )]
    Write { path: PathBuf, source: std::io::Error },
}

/// What is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kept {
    pub globe: GlobeView,
    #[serde(rename = "way")]
    pub projection: PlanetProjection,
    /// So many earlier versions of a scene file.
    pub versions: usize,
}

impl Default for Kept {
    fn default() -> Self {
        Self { globe: GlobeView::default(), projection: PlanetProjection::default(), versions: 10 }
    }
}

impl Kept {
    /// Where the clouds have drifted to is not a liking.
    fn new(globe: &GlobeView, projection: PlanetProjection, versions: usize) -> Self {
        Self { globe: GlobeView { cloud_drift: 0.0, ..globe.clone() }, projection, versions }
    }

    /// What is out of range in a file comes into range: a number that is none would make planets invisible.
    fn sanitised(mut self) -> Self {
        self.globe.sanitise();
        self.versions = self.versions.min(MOST_VERSIONS);
        self
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct Preferences {
    file: Option<PathBuf>,
    kept: Kept,
    /// A file that cannot be written is not tried again and again.
    given_up: bool,
}

impl Preferences {
    /// Reads them from a file beside the list of recent scenes; without one nothing is kept beyond this run.
    pub fn load(recent: Option<&Path>) -> (Self, Option<PreferencesError>) {
        let Some(path) = recent.map(|recent| recent.with_file_name("view.ron")) else { return (Self::default(), None) };
        match config_file::read(&path, MAX_BYTES).map(Kept::sanitised) {
            Ok(kept) => (Self { file: Some(path), kept, given_up: false }, None),
            Err(message) => {
                let error = PreferencesError::Read { path: path.clone(), message };
                (Self { file: Some(path), ..Self::default() }, Some(error))
            }
        }
    }

    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Writes what has changed.
    ///
    /// # Errors
    /// When the file cannot be written, once.
    pub fn keep(
        &mut self,
        globe: &GlobeView,
        projection: PlanetProjection,
        versions: usize,
    ) -> Result<(), PreferencesError> {
        let kept = Kept::new(globe, projection, versions);
        if kept == self.kept {
            return Ok(());
        }
        self.kept = kept;
        let Some(path) = self.file.as_ref().filter(|_| !self.given_up) else { return Ok(()) };
        let written = config_file::write(path, &self.kept);
        written.map_err(|source| {
            self.given_up = true;
            PreferencesError::Write { path: path.clone(), source }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likings_are_kept_and_the_drift_of_clouds_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let recent = folder.path().join("config/recent.ron");
        let (mut first, problem) = Preferences::load(Some(&recent));
        assert!(problem.is_none() && *first.kept() == Kept::default());
        let liked = GlobeView { exaggeration: 5.0, stars: false, cloud_drift: 77.0, ..GlobeView::default() };
        first.keep(&liked, PlanetProjection::Map, 3).unwrap();
        let (again, problem) = Preferences::load(Some(&recent));
        assert!(problem.is_none());
        assert_eq!(again.kept().globe, GlobeView { cloud_drift: 0.0, ..liked });
        assert_eq!((again.kept().projection, again.kept().versions), (PlanetProjection::Map, 3));
    }

    #[test]
    fn numbers_that_are_none_become_numbers() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("view.ron"), "(globe: (exaggeration: NaN), versions: 100000)").unwrap();
        let (preferences, problem) = Preferences::load(Some(&folder.path().join("recent.ron")));
        assert!(problem.is_none(), "{problem:?}");
        let kept = preferences.kept();
        assert!((1.0..=500.0).contains(&kept.globe.exaggeration), "{}", kept.globe.exaggeration);
        assert_eq!(kept.versions, MOST_VERSIONS);
    }

    #[test]
    fn a_broken_file_begins_anew_and_a_place_that_cannot_be_written_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("view.ron"), "nonsense").unwrap();
        let (broken, problem) = Preferences::load(Some(&folder.path().join("recent.ron")));
        assert!(problem.unwrap().to_string().contains("begin anew") && *broken.kept() == Kept::default());
        // a folder that is a file
        let (mut lost, _) = Preferences::load(Some(&folder.path().join("view.ron/recent.ron")));
        let liked = |times| GlobeView { exaggeration: times, ..GlobeView::default() };
        assert!(lost.keep(&liked(3.0), PlanetProjection::Globe, 10).is_err());
        assert!(lost.keep(&liked(4.0), PlanetProjection::Globe, 10).is_ok());
    }
}

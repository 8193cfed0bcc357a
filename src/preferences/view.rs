//! User preferences: look of the window, display of planets, number of kept versions.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::config_file::{ConfigError, ConfigFile};
use super::{GlobeView, InterfacePreferences, PanelLayout, PlanetProjection};
use crate::param::Params;

/// Maximum number of kept versions of a scene file.
pub const MOST_VERSIONS: usize = 100;

/// User-defined shortcuts such as `Ctrl+Shift+S`, by command name.
pub type ChosenKeys = BTreeMap<String, Vec<String>>;

/// All user preferences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Preferences {
    /// Look and behaviour of the window.
    pub interface: InterfacePreferences,
    /// Display settings of planets.
    pub globe: GlobeView,
    /// View mode of a planet.
    #[serde(rename = "way")]
    pub projection: PlanetProjection,
    /// Number of earlier versions that are kept of a scene file, at most [`MOST_VERSIONS`].
    pub versions: usize,
    /// User-defined shortcuts that differ from the defaults.
    pub keys: ChosenKeys,
    /// Layout of the panels; `None` until the user moves a panel.
    pub panels: Option<PanelLayout>,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            interface: InterfacePreferences::default(),
            globe: GlobeView::default(),
            projection: PlanetProjection::default(),
            versions: 10,
            keys: ChosenKeys::new(),
            panels: None,
        }
    }
}

impl Preferences {
    /// Clamps values from a file to their ranges. NaN, for example, would make planets invisible. Resets the drift of
    /// the clouds, which is not a preference.
    fn sanitised(mut self) -> Self {
        self.interface.sanitise();
        self.globe.sanitise();
        self.globe.cloud_drift = 0.0;
        self.versions = self.versions.min(MOST_VERSIONS);
        self.panels = self.panels.and_then(PanelLayout::sanitised);
        self
    }
}

/// The preferences and the file that stores them.
#[derive(Debug, Default)]
pub struct PreferencesFile {
    file: ConfigFile,
    kept: Preferences,
}

impl PreferencesFile {
    /// Reads the file `view.ron` in a folder. Without a folder, the preferences last only for this run.
    pub fn load(folder: Option<&Path>) -> (Self, Option<ConfigError>) {
        let (file, kept, error) = ConfigFile::open(folder, "view.ron", "The preferences");
        (Self { file, kept: Preferences::sanitised(kept) }, error)
    }

    /// The preferences that were last read or stored.
    pub fn kept(&self) -> &Preferences {
        &self.kept
    }

    /// Stores `preferences` and writes them to the file.
    ///
    /// # Errors
    /// When the file cannot be written. Only the first failure is an error, and the preferences still apply for this
    /// run.
    pub fn keep(&mut self, preferences: Preferences) -> Result<(), ConfigError> {
        let preferences = preferences.sanitised();
        if preferences == self.kept {
            return Ok(());
        }
        self.kept = preferences;
        self.file.write(&self.kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn view_preferences_are_saved_and_cloud_drift_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config");
        let (mut first, problem) = PreferencesFile::load(Some(&config));
        assert!(problem.is_none() && *first.kept() == Preferences::default());
        let globe = GlobeView { exaggeration: 5.0, stars: false, cloud_drift: 77.0, ..GlobeView::default() };
        let interface = InterfacePreferences { scale: 150.0, ..InterfacePreferences::default() };
        let keys = ChosenKeys::from([("EditAction.Undo".into(), vec!["F7".into()])]);
        let projection = PlanetProjection::Map;
        let panels = Some(PanelLayout::Row(vec![
            (PanelLayout::Panel("view".into()), 900.0),
            (PanelLayout::Panel("layers".into()), 300.0),
        ]));
        let liked = Preferences { interface, globe: globe.clone(), projection, versions: 3, keys, panels };
        first.keep(liked.clone()).unwrap();
        let (again, problem) = PreferencesFile::load(Some(&config));
        assert!(problem.is_none());
        assert_eq!(*again.kept(), Preferences { globe: GlobeView { cloud_drift: 0.0, ..globe }, ..liked });
    }

    #[test]
    fn invalid_numbers_become_valid_ones() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("view.ron"),
            "(interface: (scale: 9000.0), globe: (exaggeration: NaN), versions: 100000)",
        )
        .unwrap();
        let (preferences, problem) = PreferencesFile::load(Some(folder.path()));
        assert!(problem.is_none(), "{problem:?}");
        let kept = preferences.kept();
        assert!((1.0..=500.0).contains(&kept.globe.exaggeration), "{}", kept.globe.exaggeration);
        assert_eq!((kept.versions, kept.interface.scale), (MOST_VERSIONS, 200.0));
    }

    #[test]
    fn a_broken_file_is_reset_to_defaults() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("view.ron"), "nonsense").unwrap();
        let (broken, problem) = PreferencesFile::load(Some(folder.path()));
        assert!(problem.unwrap().to_string().contains("Defaults are used") && *broken.kept() == Preferences::default());
    }
}

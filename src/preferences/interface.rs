//! Preferences for the look and behaviour of the window.

use super::MouseStyle;

crate::choices! {
    /// The colours of the panels.
    ThemeChoice {
        Dark "Dark": "Light text on dark panels.",
        Light "Light": "Dark text on light panels.",
    }
}

crate::choices! {
    /// Level of detail of the ground materials in the 3D view.
    GroundDetail {
        Automatic "Automatic": "Full with a graphics card, plain without one.",
        Full "Full": "Rock, scree, grass, sand and snow up close. Slow without a graphics card.",
        Plain "Plain": "Palette colours only: the fastest setting.",
    }
}

crate::choices! {
    /// The dialogs in which the user chooses files: those of the desktop, or Talweg's own ones.
    FileDialogChoice {
        Desktop "Desktop": "The desktop's own dialogs, if it has any. They know your favourite folders.",
        Talweg "Talweg": "Talweg's own dialogs, with pictures of heightmaps and scenes.",
    }
}

crate::choices! {
    /// The units of lengths, heights, areas and volumes.
    UnitSystem {
        Metric "Metric": "Metres and kilometres.",
        Imperial "Imperial": "Feet and miles. Scenes, exports and the command line stay in metres.",
    }
}

crate::params! {
    /// Look and behaviour of the window. These settings affect neither the scene nor its exports.
    InterfacePreferences "Interface" in "Preferences" {
        /// Colours of the panels.
        theme: ThemeChoice = ThemeChoice::Dark;
        /// Size of panels, text and handles in the view.
        scale: f32 ["%"] = 100.0, 75.0..=200.0;
        /// Units that the window displays and accepts. Scenes and exported files stay in metres.
        units: UnitSystem = UnitSystem::Metric;
        /// Mouse buttons and keys that move the camera.
        mouse_style: MouseStyle = MouseStyle::Talweg;
        /// Dialogs in which you choose files.
        file_dialogs: FileDialogChoice = FileDialogChoice::Desktop;
        /// Level of detail of the ground materials in the 3D view.
        ground_detail: GroundDetail = GroundDetail::Automatic;
        /// Whether the camera jumps instead of gliding, menus open at once, and clouds stand still.
        reduced_motion: bool = false;
        /// Whether the start window opens when Talweg starts without a scene.
        start_window: bool = true;
        /// Minutes after which unsaved edits are saved to the scene's own file automatically. The previous contents of
        /// the file are kept as an earlier version.
        autosave: u32 ["min"] = 0, 0..=240, slider 0..=30, zero "Off";
        /// Maximum memory for Talweg; *Automatic* allows all free memory. Larger operations are refused, and the
        /// message gives the size that would fit.
        memory_limit: f32 ["GiB"] = 0.0, 0.0..=4096.0, slider 0.0..=64.0, zero "Automatic";
    }
}

/// Interface sizes in percent. The commands for a larger and a smaller interface step through these sizes.
const STEPS: [f32; 9] = [75.0, 80.0, 90.0, 100.0, 110.0, 125.0, 150.0, 175.0, 200.0];

impl InterfacePreferences {
    /// The next larger or smaller interface size in percent. The largest and the smallest size have no next size and
    /// are returned unchanged.
    pub fn next_scale(&self, is_larger: bool) -> f32 {
        let mut steps = STEPS.into_iter();
        let next = if is_larger {
            steps.find(|step| *step > self.scale + 0.5)
        } else {
            steps.rfind(|step| *step < self.scale - 0.5)
        };
        next.unwrap_or(self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interface_grows_and_shrinks_in_steps_within_its_range() {
        let mut preferred = InterfacePreferences { scale: 104.0, ..InterfacePreferences::default() };
        assert_eq!((preferred.next_scale(true), preferred.next_scale(false)), (110.0, 100.0));
        for (is_larger, end) in [(true, 200.0), (false, 75.0)] {
            for _ in 0..20 {
                preferred.scale = preferred.next_scale(is_larger);
            }
            assert_eq!(preferred.scale, end);
        }
    }
}

//! How the window looks and moves, beside what is in it.

use super::MouseStyle;

crate::choices! {
    /// The colours of the panels.
    ThemeChoice {
        Dark "Dark": "Light text on dark panels.",
        Light "Light": "Dark text on light panels.",
    }
}

crate::choices! {
    /// How much of the ground's materials the 3D view shows.
    GroundDetail {
        Automatic "Automatic": "Full with a graphics card, plain where the processor draws.",
        Full "Full": "Rock, scree, grass, sand and snow up close. Slow without a graphics card.",
        Plain "Plain": "The colours of the palette alone: the quickest picture.",
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
    /// How the window looks and moves. This changes neither the scene nor what is exported.
    InterfacePreferences "Interface" in "Preferences" {
        /// Colours of the panels.
        theme: ThemeChoice = ThemeChoice::Dark;
        /// Size of panels, text and the marks in the view.
        scale: f32 ["%"] = 100.0, 75.0..=200.0;
        /// Units that the window shows and takes. Scenes and exported files stay in metres.
        units: UnitSystem = UnitSystem::Metric;
        /// How the mouse moves the camera.
        mouse_style: MouseStyle = MouseStyle::Talweg;
        /// How much of the materials of the ground is seen.
        ground_detail: GroundDetail = GroundDetail::Automatic;
        /// Whether the camera jumps where it would glide, menus open at once, and clouds stay where they are.
        reduced_motion: bool = false;
        /// Whether the start window opens when Talweg starts without a scene.
        start_window: bool = true;
        /// Minutes after which unsaved edits go into the scene's own file by themselves; 0 leaves that to you. What was
        /// in the file before is kept as an earlier version.
        autosave: u32 ["min"] = 0, 0..=240, slider 0..=30;
        /// Memory that Talweg may take; 0 is all that is free. What does not fit is refused, with the size that does.
        memory_limit: f32 ["GiB"] = 0.0, 0.0..=4096.0, slider 0.0..=64.0;
    }
}

/// The sizes that larger and smaller step through, in percent.
const STEPS: [f32; 9] = [75.0, 80.0, 90.0, 100.0, 110.0, 125.0, 150.0, 175.0, 200.0];

impl InterfacePreferences {
    /// The next larger (or smaller) size of the interface, in percent; the last one stays.
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

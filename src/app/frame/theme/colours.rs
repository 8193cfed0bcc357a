//! The colours of the two themes. The active theme is stored per thread: it applies to the thread that draws.

use std::cell::Cell;

use talweg::preferences::ThemeChoice;

macro_rules! themes {
    (
        dark $dark:ident, light $light:ident;
        $( $(#[doc = $doc:literal])+ $name:ident: $($of_dark:literal),+ => $($of_light:literal),+; )+
    ) => {
        /// The colours of one theme.
        struct ThemeColours {
            $( $name: Color32, )+
        }

        const $dark: ThemeColours = ThemeColours { $( $name: Color32::from_rgb($($of_dark),+), )+ };
        const $light: ThemeColours = ThemeColours { $( $name: Color32::from_rgb($($of_light),+), )+ };

        $(
            $(#[doc = $doc])+
            pub fn $name() -> Color32 {
                match super::current() {
                    talweg::preferences::ThemeChoice::Dark => $dark.$name,
                    talweg::preferences::ThemeChoice::Light => $light.$name,
                }
            }
        )+
    };
}

thread_local! {
    static CURRENT: Cell<ThemeChoice> = const { Cell::new(ThemeChoice::Dark) };
}

/// The active theme of this thread.
fn current() -> ThemeChoice {
    CURRENT.get()
}

/// Sets the theme of this thread.
pub(super) fn set_current(theme: ThemeChoice) {
    CURRENT.set(theme);
}

/// Colours of panels and text.
pub mod colour {
    use bevy_egui::egui::Color32;

    themes! {
        dark DARK, light LIGHT;
        /// Background of menu bar, status bar and fields.
        deep: 20, 22, 25 => 250, 251, 252;
        /// Background of panels.
        panel: 29, 31, 35 => 240, 242, 244;
        /// Background of every other table row.
        faint: 33, 36, 40 => 232, 235, 238;
        /// Background of windows and menus above the panels.
        raised: 38, 41, 46 => 255, 255, 255;
        /// Background of buttons and slider rails.
        control: 51, 55, 62 => 219, 223, 228;
        /// Background of buttons under the pointer.
        control_hovered: 60, 65, 73 => 206, 212, 219;
        /// Lines between areas of the window.
        line: 54, 58, 65 => 200, 205, 211;
        /// Normal text.
        text: 206, 210, 216 => 45, 49, 56;
        /// Emphasised text.
        text_strong: 240, 243, 247 => 14, 17, 21;
        /// Secondary text.
        text_weak: 170, 176, 186 => 77, 83, 93;
        /// Headings, links and active items.
        accent: 96, 178, 222 => 0, 88, 130;
        /// Background of selected rows and buttons.
        accent_deep: 30, 66, 88 => 176, 214, 234;
        /// The filled part of a slider rail.
        accent_middle: 58, 118, 152 => 70, 140, 180;
        /// Warnings.
        warning: 230, 178, 84 => 120, 72, 0;
        /// Errors.
        error: 242, 130, 120 => 168, 28, 24;
    }
}

/// Colours of plots. They can be told apart with red-green colour blindness (Okabe & Ito 2008). The light theme uses
/// darker shades of them.
pub mod ink {
    use bevy_egui::egui::Color32;

    themes! {
        dark DARK, light LIGHT;
        /// First colour of a plot.
        blue: 86, 180, 233 => 0, 104, 164;
        /// Second colour of a plot.
        orange: 230, 159, 0 => 158, 96, 0;
        /// Third colour of a plot.
        green: 0, 158, 115 => 0, 120, 87;
        /// Fourth colour of a plot.
        rose: 204, 121, 167 => 165, 60, 118;
        /// Fifth colour of a plot.
        yellow: 240, 228, 66 => 112, 102, 0;
        /// Sixth colour of a plot.
        vermilion: 213, 94, 0 => 190, 66, 0;
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Color32;

    use super::*;

    /// Relative luminance of a colour, from 0 to 1 (WCAG 2.2).
    fn luminance(colour: Color32) -> f64 {
        let linear = |byte: u8| {
            let value = f64::from(byte) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(colour.r()) + 0.7152 * linear(colour.g()) + 0.0722 * linear(colour.b())
    }

    /// Contrast of two colours, from 1 to 21 (WCAG 2.2).
    fn contrast(a: Color32, b: Color32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn contrast_meets_the_guidelines() {
        assert!((contrast(Color32::WHITE, Color32::BLACK) - 21.0).abs() < 1e-9);
        assert!((contrast(Color32::from_rgb(119, 119, 119), Color32::WHITE) - 4.478).abs() < 1e-3);
    }

    #[test]
    fn widgets_are_readable_in_every_state() {
        for theme in ThemeChoice::ALL {
            set_current(*theme);
            let visuals = super::super::visuals(*theme);
            let widgets = &visuals.widgets;
            let mut pairs = vec![
                ("selected", visuals.selection.stroke.color, visuals.selection.bg_fill),
                ("main button", colour::text_strong(), colour::accent_deep()),
                ("menu bar", widgets.inactive.text_color(), colour::deep()),
                ("tab", colour::text(), colour::deep()),
                ("open tab", colour::text_strong(), colour::panel()),
                ("hint in a field", visuals.weak_text_color(), visuals.text_edit_bg_color()),
                ("code", widgets.noninteractive.text_color(), visuals.code_bg_color),
            ];
            let states = [
                ("label", &widgets.noninteractive),
                ("button", &widgets.inactive),
                ("button under the pointer", &widgets.hovered),
                ("pressed button", &widgets.active),
                ("open list", &widgets.open),
            ];
            for (name, state) in states {
                pairs.extend([state.bg_fill, state.weak_bg_fill].map(|fill| (name, state.text_color(), fill)));
                // frameless buttons, ticks and the handles of sliders are on a panel, a window or a field
                let grounds =
                    [visuals.panel_fill, visuals.window_fill, visuals.extreme_bg_color, visuals.faint_bg_color];
                pairs.extend(grounds.map(|fill| (name, state.text_color(), fill)));
            }
            for fill in [visuals.panel_fill, visuals.window_fill, visuals.extreme_bg_color] {
                pairs.push(("weak text", visuals.weak_text_color(), fill));
                pairs.push(("link", visuals.hyperlink_color, fill));
                pairs.push(("warning", visuals.warn_fg_color, fill));
                pairs.push(("error", visuals.error_fg_color, fill));
            }
            for (name, tint, fill) in pairs {
                let found = contrast(tint, fill);
                assert!(found >= 4.5, "{theme:?}: {name} has a contrast of {found:.2}");
            }
            // the frame of the keyboard focus and of the tour
            for fill in [visuals.panel_fill, visuals.window_fill, visuals.extreme_bg_color, widgets.inactive.bg_fill] {
                let found = contrast(colour::accent(), fill);
                assert!(found >= 3.0, "{theme:?}: a frame has a contrast of {found:.2}");
            }
        }
    }

    #[test]
    fn text_is_readable_in_both_themes() {
        for theme in ThemeChoice::ALL {
            set_current(*theme);
            let grounds = [
                ("deep", colour::deep()),
                ("panel", colour::panel()),
                ("faint", colour::faint()),
                ("raised", colour::raised()),
                ("control", colour::control()),
                ("control under the pointer", colour::control_hovered()),
                ("selected", colour::accent_deep()),
            ];
            let texts = [
                ("text", colour::text(), 7),
                ("strong text", colour::text_strong(), 7),
                ("weak text", colour::text_weak(), 7),
                // the accent colour is used on panels and buttons only
                ("accent", colour::accent(), 5),
                ("warning", colour::warning(), 5),
                ("error", colour::error(), 5),
            ];
            for (text, tint, on) in texts {
                for (ground, fill) in &grounds[..on] {
                    let found = contrast(tint, *fill);
                    assert!(found >= 4.5, "{theme:?}: {text} on {ground} has a contrast of {found:.2}");
                }
            }
            let inks = [ink::blue(), ink::orange(), ink::green(), ink::rose(), ink::yellow(), ink::vermilion()];
            for tint in inks {
                let found = contrast(tint, colour::panel()).min(contrast(tint, colour::deep()));
                assert!(found >= 3.0, "{theme:?}: {tint:?} in a plot has a contrast of {found:.2}");
            }
            let filled = contrast(colour::accent_middle(), colour::panel());
            assert!(filled >= 3.0, "{theme:?}: the filled part of a slider has a contrast of {filled:.2}");
        }
    }
}

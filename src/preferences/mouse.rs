//! Mouse buttons that move the camera, in one table for all mouse styles.

crate::choices! {
    /// The program whose mouse controls are used in the 3D view.
    MouseStyle {
        Talweg "Talweg": "The left button orbits, and pans with Shift; on a planet it pans, and the right button orbits.",
        Blender "Blender": "The middle button orbits; it pans with Shift and zooms with Ctrl.",
        Maya "Maya": "With Alt, the left button orbits, the middle button pans and the right button zooms.",
        Unreal "Unreal": "The right button looks around, and the middle button pans; with Alt as in Maya.",
        Houdini "Houdini": "The left button orbits, the middle button pans and the right button zooms, with or without Alt.",
    }
}

/// A mouse button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DragButton {
    /// The left button.
    Left,
    /// The middle button.
    Middle,
    /// The right button.
    Right,
}

/// Modifier keys held during a drag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldKeys {
    /// Whether Shift is held.
    pub shift: bool,
    /// Whether Ctrl is held; on a Mac also Cmd.
    pub ctrl: bool,
    /// Whether Alt is held; on a Mac Option.
    pub alt: bool,
}

/// The camera movement that a drag causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CameraGesture {
    /// Orbits around the point under the cursor.
    Orbit,
    /// Pans the view; the point under the cursor stays under the cursor.
    Pan,
    /// Zooms in and out.
    Zoom,
    /// Looks around from the current position.
    Look,
}

/// The kind of scene, a square terrain or a planet, to which a table row applies.
#[derive(Clone, Copy, PartialEq)]
enum On {
    Both,
    Square,
    Planet,
}

const PLAIN: HeldKeys = HeldKeys { shift: false, ctrl: false, alt: false };
const SHIFT: HeldKeys = HeldKeys { shift: true, ..PLAIN };
const CTRL: HeldKeys = HeldKeys { ctrl: true, ..PLAIN };
const ALT: HeldKeys = HeldKeys { alt: true, ..PLAIN };

/// The camera gesture for each style, button and combination of modifier keys. Other combinations do not move the
/// camera.
const TABLE: &[(MouseStyle, On, DragButton, HeldKeys, CameraGesture)] = {
    use CameraGesture::{Look, Orbit, Pan, Zoom};
    use DragButton::{Left, Middle, Right};
    use MouseStyle::{Blender, Houdini, Maya, Talweg, Unreal};
    use On::{Both, Planet, Square};
    &[
        (Talweg, Square, Left, PLAIN, Orbit),
        (Talweg, Square, Left, SHIFT, Pan),
        (Talweg, Square, Middle, PLAIN, Pan),
        (Talweg, Square, Right, PLAIN, Pan),
        (Talweg, Planet, Left, PLAIN, Pan),
        (Talweg, Planet, Left, SHIFT, Orbit),
        (Talweg, Planet, Middle, PLAIN, Pan),
        (Talweg, Planet, Right, PLAIN, Orbit),
        (Blender, Both, Middle, PLAIN, Orbit),
        (Blender, Both, Middle, SHIFT, Pan),
        (Blender, Both, Middle, CTRL, Zoom),
        (Maya, Both, Left, ALT, Orbit),
        (Maya, Both, Middle, ALT, Pan),
        (Maya, Both, Right, ALT, Zoom),
        (Unreal, Both, Right, PLAIN, Look),
        (Unreal, Both, Middle, PLAIN, Pan),
        (Unreal, Both, Left, ALT, Orbit),
        (Unreal, Both, Middle, ALT, Pan),
        (Unreal, Both, Right, ALT, Zoom),
        (Houdini, Both, Left, PLAIN, Orbit),
        (Houdini, Both, Middle, PLAIN, Pan),
        (Houdini, Both, Right, PLAIN, Zoom),
        (Houdini, Both, Left, ALT, Orbit),
        (Houdini, Both, Middle, ALT, Pan),
        (Houdini, Both, Right, ALT, Zoom),
    ]
};

impl MouseStyle {
    /// The camera gesture of a drag with this button and these keys, over a square terrain or a planet. `None` if the
    /// camera does not move. In the mouse style of Talweg, modifier keys without a meaning are ignored.
    pub fn gesture(self, is_planet: bool, button: DragButton, held: HeldKeys) -> Option<CameraGesture> {
        let place = if is_planet { On::Planet } else { On::Square };
        let find = |held: HeldKeys| {
            let fits = |row: &&(Self, On, DragButton, HeldKeys, CameraGesture)| {
                row.0 == self && (row.1 == On::Both || row.1 == place) && row.2 == button && row.3 == held
            };
            TABLE.iter().find(fits).map(|row| row.4)
        };
        find(held).or_else(|| match self {
            Self::Talweg if button == DragButton::Left => find(HeldKeys { shift: held.shift, ..PLAIN }),
            Self::Talweg => find(PLAIN),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mouse_style_orbits_pans_and_zooms() {
        for &style in MouseStyle::ALL {
            for is_planet in [false, true] {
                let mut found = Vec::new();
                for button in [DragButton::Left, DragButton::Middle, DragButton::Right] {
                    for held in [PLAIN, SHIFT, CTRL, ALT] {
                        found.extend(style.gesture(is_planet, button, held));
                    }
                }
                let has = |gesture| found.contains(&gesture);
                assert!(has(CameraGesture::Orbit) && has(CameraGesture::Pan), "{style:?}");
                assert_eq!(has(CameraGesture::Zoom), style != MouseStyle::Talweg, "{style:?}");
            }
        }
    }

    #[test]
    fn mouse_styles_match_those_of_the_programs() {
        use CameraGesture::{Look, Orbit, Pan, Zoom};
        use DragButton::{Left, Middle, Right};
        let rows = [
            (MouseStyle::Talweg, Left, PLAIN, Some(Orbit)),
            (MouseStyle::Talweg, Left, SHIFT, Some(Pan)),
            (MouseStyle::Talweg, Right, PLAIN, Some(Pan)),
            (MouseStyle::Talweg, Left, ALT, Some(Orbit)),
            (MouseStyle::Blender, Left, PLAIN, None),
            (MouseStyle::Blender, Middle, PLAIN, Some(Orbit)),
            (MouseStyle::Blender, Middle, SHIFT, Some(Pan)),
            (MouseStyle::Blender, Middle, CTRL, Some(Zoom)),
            (MouseStyle::Maya, Left, PLAIN, None),
            (MouseStyle::Maya, Left, ALT, Some(Orbit)),
            (MouseStyle::Maya, Middle, ALT, Some(Pan)),
            (MouseStyle::Maya, Right, ALT, Some(Zoom)),
            (MouseStyle::Unreal, Right, PLAIN, Some(Look)),
            (MouseStyle::Unreal, Left, ALT, Some(Orbit)),
            (MouseStyle::Houdini, Left, PLAIN, Some(Orbit)),
            (MouseStyle::Houdini, Right, ALT, Some(Zoom)),
        ];
        for (style, button, held, expected) in rows {
            assert_eq!(style.gesture(false, button, held), expected, "{style:?} {button:?} {held:?}");
        }
        assert_eq!(MouseStyle::Talweg.gesture(true, Left, PLAIN), Some(Pan));
        assert_eq!(MouseStyle::Talweg.gesture(true, Right, PLAIN), Some(Orbit));
        assert_eq!(MouseStyle::Talweg.gesture(true, Left, SHIFT), Some(Orbit));
    }

    #[test]
    fn nothing_is_bound_twice() {
        for (k, a) in TABLE.iter().enumerate() {
            for b in &TABLE[..k] {
                let meet = a.1 == b.1 || a.1 == On::Both || b.1 == On::Both;
                assert!(!(a.0 == b.0 && meet && a.2 == b.2 && a.3 == b.3), "{:?} {:?}", a.0, a.2);
            }
        }
    }
}

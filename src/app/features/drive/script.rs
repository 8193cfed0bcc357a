//! The steps of a script, and the single events that each step consists of.

use std::path::{Path, PathBuf};

use bevy::input::mouse::MouseButton;
use bevy::math::Vec2;
use serde::Deserialize;

use crate::view::ViewCommand;
use talweg::io::without_byte_order_mark;

/// One user action, wait or recording. A widget is given by its accessible name, or by its role and name, such as
/// `Slider:Frequency`. Positions in the 3D view are fractions of its size, measured from its upper left corner.
#[derive(Clone, Debug, Deserialize)]
pub enum Step {
    Click(String),
    DoubleClick(String),
    RightClick(String),
    /// Clicks a widget at (x, y), given as fractions of its size.
    ClickAt(String, f32, f32),
    /// Drags from the centre of a widget by (x, y) points.
    Drag(String, f32, f32),
    /// Drags by a distance in points from the position (x, y) in a widget and keeps the button down. The step `Release`
    /// ends the drag.
    DragHold(String, f32, f32, f32, f32),
    Release,
    /// Drags from the centre of a widget to a position in the 3D view.
    DragToView(String, f32, f32),
    /// Types text into the focused widget.
    Type(String),
    /// Presses a key with modifiers, such as `Ctrl+Z` or `F`.
    Key(String),
    ViewDrag {
        from: (f32, f32),
        to: (f32, f32),
        button: Button,
        shift: bool,
    },
    ViewScroll {
        at: (f32, f32),
        lines: f32,
    },
    /// Moves the pointer over the 3D view.
    ViewHover(f32, f32),
    /// Moves the camera above a terrain. Three numbers are metres: from the west edge, from the north edge, and above
    /// the terrain. The others are degrees: heading (0 is north, 90 is east) and tilt (-90 is down).
    Camera(f32, f32, f32, f32, f32),
    /// Moves the pointer by (x, y) points without pressing or releasing a button.
    MoveBy(f32, f32),
    /// Clicks a position in the 3D view.
    ViewClick(f32, f32),
    /// Right-clicks a position in the 3D view.
    ViewRightClick(f32, f32),
    /// Moves the camera above a point of a planet. The numbers are latitude and longitude in degrees, metres above the
    /// terrain, heading (0 is north) and inclination (-90 is down) in degrees.
    Over(f64, f64, f64, f64, f64),
    /// Turns the mouse wheel over a widget.
    Scroll(String, f32),
    Hover(String),
    /// Waits until no computation, animation or upload runs.
    Settle,
    /// Waits until the playhead has reached an iteration.
    Iteration(u32),
    /// Waits until a widget whose name contains this text is on screen.
    See(String),
    /// Waits until no widget whose name contains this text is on screen.
    Gone(String),
    /// Saves a screenshot of the window.
    Picture(PathBuf),
    /// Presses a key, and then saves a screenshot of each of the given number of frames. The file names end in -0, -1
    /// and so on.
    KeyPictures(String, PathBuf, u32),
    /// Writes the editor state and the longest frame times since the previous `State`, as JSON.
    State(PathBuf),
    /// Simulates a graphics card that stops responding, as when its driver restarts.
    LoseCard,
    /// Resizes the window to this size in pixels, as if the screen had that size.
    Resize(u32, u32),
    /// Ends all input. The window then draws frames only on events, and only a signal ends the program.
    Rest,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub enum Button {
    Left,
    Middle,
    Right,
}

/// Why a script could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path}: {source}")]
    Syntax { path: PathBuf, source: Box<ron::error::SpannedError> },
}

/// Reads a script: a RON list of [`Step`]s.
pub fn read(path: &Path) -> Result<Vec<Step>, ScriptError> {
    let text = std::fs::read_to_string(path).map_err(|source| ScriptError::Read { path: path.into(), source })?;
    ron::from_str(without_byte_order_mark(&text))
        .map_err(|source| ScriptError::Syntax { path: path.into(), source: Box::new(source) })
}

/// One event that happens in a frame, or one wait.
#[derive(Clone, Debug)]
pub enum Atom {
    Move(PointerTarget),
    MoveBy(Vec2),
    Button(MouseButton, bool),
    Scroll(f32),
    Key(String, bool),
    Frame,
    Camera([f32; 5]),
    Settle,
    Iteration(u32),
    Present(String, bool),
    View(ViewCommand),
    Picture(PathBuf),
    /// Starts to save the given number of screenshots, one per frame.
    Pictures(PathBuf, u32),
    /// Waits until the screenshots of `Pictures` are saved.
    PicturesSaved,
    State(PathBuf),
    LoseCard,
    Resize(u32, u32),
    Rest,
}

/// Target of a pointer movement.
#[derive(Clone, Debug)]
pub enum PointerTarget {
    Widget { name: String, x: f32, y: f32 },
    View(f32, f32),
}

/// Number of pointer movements in a drag. Widgets need several movements to recognise a drag.
const DRAG_MOVES: usize = 8;

impl Step {
    pub fn atoms(self) -> Vec<Atom> {
        let middle = |name: String| Atom::Move(PointerTarget::Widget { name, x: 0.5, y: 0.5 });
        let press = |button| vec![Atom::Button(button, true), Atom::Frame, Atom::Button(button, false), Atom::Frame];
        let drag = |by: Vec2| vec![Atom::MoveBy(by / DRAG_MOVES as f32); DRAG_MOVES];
        let left = MouseButton::Left;
        match self {
            Self::Click(name) => [vec![middle(name), Atom::Frame], press(left)].concat(),
            Self::DoubleClick(name) => [vec![middle(name), Atom::Frame], press(left), press(left)].concat(),
            Self::RightClick(name) => [vec![middle(name), Atom::Frame], press(MouseButton::Right)].concat(),
            Self::ClickAt(name, x, y) => {
                [vec![Atom::Move(PointerTarget::Widget { name, x, y }), Atom::Frame], press(left)].concat()
            }
            Self::Drag(name, x, y) => [
                vec![middle(name), Atom::Frame, Atom::Button(left, true), Atom::Frame],
                drag(Vec2::new(x, y)),
                vec![Atom::Frame, Atom::Button(left, false), Atom::Frame],
            ]
            .concat(),
            Self::DragHold(name, x, y, dx, dy) => [
                vec![
                    Atom::Move(PointerTarget::Widget { name, x, y }),
                    Atom::Frame,
                    Atom::Button(left, true),
                    Atom::Frame,
                ],
                drag(Vec2::new(dx, dy)),
            ]
            .concat(),
            Self::DragToView(name, x, y) => {
                let near = |k: usize| Atom::Move(PointerTarget::View(x, y - 0.01 * (DRAG_MOVES - k) as f32));
                [
                    vec![middle(name), Atom::Frame, Atom::Button(left, true), Atom::Frame],
                    (1..=DRAG_MOVES).map(near).collect(),
                    vec![Atom::Frame, Atom::Frame, Atom::Button(left, false), Atom::Frame],
                ]
                .concat()
            }
            Self::Release => vec![Atom::Button(left, false), Atom::Frame],
            Self::Type(text) => {
                text.chars().flat_map(|c| [Atom::Key(c.into(), true), Atom::Key(c.into(), false)]).collect()
            }
            Self::KeyPictures(chord, path, count) => {
                let pictures = vec![Atom::Pictures(path, count)];
                [pictures, Self::Key(chord).atoms(), vec![Atom::PicturesSaved]].concat()
            }
            Self::Key(chord) => {
                let keys: Vec<String> = chord.split('+').map(str::to_string).collect();
                let down = keys.iter().cloned().map(|k| Atom::Key(k, true));
                let up = keys.iter().rev().cloned().map(|k| Atom::Key(k, false));
                down.chain([Atom::Frame]).chain(up).chain([Atom::Frame]).collect()
            }
            Self::ViewDrag { from, to, button, shift } => {
                let button = match button {
                    Button::Left => left,
                    Button::Middle => MouseButton::Middle,
                    Button::Right => MouseButton::Right,
                };
                let key = |pressed| if shift { vec![Atom::Key("Shift".into(), pressed)] } else { vec![] };
                let step = |k: usize| {
                    let t = k as f32 / DRAG_MOVES as f32;
                    Atom::Move(PointerTarget::View(from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t))
                };
                [
                    vec![step(0), Atom::Frame],
                    key(true),
                    vec![Atom::Button(button, true), Atom::Frame],
                    (1..=DRAG_MOVES).map(step).collect(),
                    vec![Atom::Frame, Atom::Button(button, false)],
                    key(false),
                    vec![Atom::Frame],
                ]
                .concat()
            }
            Self::ViewScroll { at, lines } => {
                vec![Atom::Move(PointerTarget::View(at.0, at.1)), Atom::Frame, Atom::Scroll(lines), Atom::Frame]
            }
            Self::ViewHover(x, y) => vec![Atom::Move(PointerTarget::View(x, y)), Atom::Frame],
            Self::ViewClick(x, y) => view_click(x, y, left),
            Self::ViewRightClick(x, y) => view_click(x, y, MouseButton::Right),
            Self::Over(latitude, longitude, height_metres, heading, pitch) => {
                let place = [latitude, longitude, height_metres, heading, pitch];
                vec![Atom::View(ViewCommand::Over { place }), Atom::Frame, Atom::Frame]
            }
            Self::Scroll(name, lines) => vec![middle(name), Atom::Frame, Atom::Scroll(lines), Atom::Frame],
            Self::Camera(east, south, above, heading, tilt) => {
                vec![Atom::Camera([east, south, above, heading, tilt]), Atom::Frame]
            }
            Self::MoveBy(x, y) => [drag(Vec2::new(x, y)), vec![Atom::Frame]].concat(),
            Self::Hover(name) => vec![middle(name), Atom::Frame],
            Self::Settle => vec![Atom::Frame, Atom::Frame, Atom::Settle],
            Self::Iteration(least) => vec![Atom::Iteration(least)],
            Self::See(name) => vec![Atom::Present(name, true)],
            Self::Gone(name) => vec![Atom::Present(name, false)],
            Self::Picture(path) => vec![Atom::Picture(path)],
            Self::State(path) => vec![Atom::State(path)],
            Self::LoseCard => vec![Atom::LoseCard, Atom::Frame],
            Self::Resize(width, height) => vec![Atom::Resize(width, height), Atom::Frame, Atom::Frame],
            Self::Rest => vec![Atom::Rest],
        }
    }
}

/// Clicks in the view. Two frames pass between the movement and the click, because the editor knows the point under the
/// pointer only one frame later.
fn view_click(x: f32, y: f32, button: MouseButton) -> Vec<Atom> {
    let press = [Atom::Button(button, true), Atom::Frame, Atom::Button(button, false), Atom::Frame];
    [vec![Atom::Move(PointerTarget::View(x, y)), Atom::Frame, Atom::Frame], press.into()].concat()
}

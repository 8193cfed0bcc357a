//! Tests of the real editor in a real window, on a virtual screen (Xvfb) with any Vulkan driver, software renderers
//! included. A script operates mouse and keyboard (`--drive`); each wait ends when the editor reaches a state, never
//! after a fixed time.

mod construction;
mod editing;
mod erosion;
mod first_hour;
#[path = "../http_kit/mod.rs"]
mod http_kit;
mod kit;
mod live_link;
mod opening;
mod painting;
mod planets;
#[cfg(unix)]
mod recovery;
#[path = "../screen_kit/mod.rs"]
mod screen_kit;
mod view;

//! The text of the shaders: files of `assets/shaders`, joined.

use bevy::prelude::*;

/// The shaders of everything in the view; in both worlds. What shows a tree has a shader of its own, which is
/// translated when it is used.
#[derive(Resource, Clone)]
pub struct ViewShader {
    pub(super) grid: Handle<Shader>,
    pub(super) patches: Handle<Shader>,
    pub(super) rays: Handle<Shader>,
    pub(super) march: Handle<Shader>,
    pub(super) globe: Handle<Shader>,
}

/// Files of the folder of shaders, joined; every view begins with the same two.
macro_rules! joined {
    ($($file:literal),*) => {
        concat!(
            include_str!("../../../assets/shaders/screen.wgsl"),
            include_str!("../../../assets/shaders/colours.wgsl"),
            $(include_str!(concat!("../../../assets/shaders/", $file, ".wgsl"))),*
        )
    };
}

/// What all shaders of a square have, and more.
macro_rules! square {
    ($($file:literal),*) => {
        joined!("common", "sky", "materials", "ground", "scatter", "plants", "sides", "water", "surface_water" $(, $file)*)
    };
}

pub(super) const GRID: &str = square!();
pub(super) const PATCHES: &str = square!("adaptive");
pub(super) const RAYS: &str = square!("traced");
pub(super) const MARCH: &str = include_str!("../../../assets/shaders/trace.wgsl");
pub(super) const GLOBE: &str = joined!(
    "globe",
    "materials",
    "globe_air",
    "globe_shadows",
    "globe_clouds",
    "globe_ground",
    "globe_sky",
    "globe_map"
);

impl ViewShader {
    pub fn load(shaders: &mut Assets<Shader>) -> Self {
        let mut add = |source: &'static str, name: &str| shaders.add(Shader::from_wgsl(source, name.to_string()));
        Self {
            grid: add(GRID, "talweg/view.wgsl"),
            patches: add(PATCHES, "talweg/adaptive.wgsl"),
            rays: add(RAYS, "talweg/traced.wgsl"),
            march: add(MARCH, "talweg/trace.wgsl"),
            globe: add(GLOBE, "talweg/globe.wgsl"),
        }
    }
}

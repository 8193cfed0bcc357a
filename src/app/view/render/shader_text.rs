//! The shader text, joined from files of `assets/shaders`.

use bevy::prelude::*;

use super::rules_text::rules_text;
use talweg::planet::clouds::CLOUD_CONSTANTS;

/// The shaders of the whole view, in the main world and in the render world. Each method of drawing a construction tree
/// has its own shader, which is compiled on first use.
#[derive(Resource, Clone)]
pub struct ViewShader {
    pub(in crate::view) grid: Handle<Shader>,
    pub(in crate::view) patches: Handle<Shader>,
    pub(in crate::view) rays: Handle<Shader>,
    pub(in crate::view) march: Handle<Shader>,
    pub(in crate::view) globe: Handle<Shader>,
}

/// Joins files of the shader folder. All shaders of the view start with the same two files.
macro_rules! joined {
    ($($file:literal),*) => {
        concat!(
            include_str!("../../assets/shaders/screen.wgsl"),
            include_str!("../../assets/shaders/colours.wgsl"),
            $(include_str!(concat!("../../assets/shaders/", $file, ".wgsl"))),*
        )
    };
}

/// Joins the files that all shaders of a square need, followed by the given files.
macro_rules! square {
    ($($file:literal),*) => {
        joined!("common", "sky", "materials", "ground", "scatter", "plants", "sides", "water", "surface_water" $(, $file)*)
    };
}

pub(in crate::view) const GRID: &str = square!();
pub(in crate::view) const PATCHES: &str = square!("adaptive");
pub(in crate::view) const RAYS: &str = square!("traced");
pub(in crate::view) const MARCH: &str = include_str!("../../assets/shaders/trace.wgsl");
pub(in crate::view) const GLOBE: &str = joined!(
    "globe",
    "materials",
    "globe_air",
    "globe_shadows",
    "globe_clouds",
    "plants",
    "globe_ground",
    "globe_scatter",
    "globe_sky",
    "globe_map"
);

impl ViewShader {
    pub fn load(shaders: &mut Assets<Shader>) -> Self {
        let mut add = |source: &str, name: &str| shaders.add(Shader::from_wgsl(source.to_owned(), name.to_owned()));
        let rules = rules_text();
        let with_rules = |source: &str| rules.clone() + source;
        Self {
            grid: add(&with_rules(GRID), "talweg/view.wgsl"),
            patches: add(&with_rules(PATCHES), "talweg/adaptive.wgsl"),
            rays: add(&with_rules(RAYS), "talweg/traced.wgsl"),
            march: add(MARCH, "talweg/trace.wgsl"),
            globe: add(&(cloud_text() + &with_rules(GLOBE)), "talweg/globe.wgsl"),
        }
    }
}

/// Shader text that defines the constants of the cloud model.
fn cloud_text() -> String {
    CLOUD_CONSTANTS.iter().map(|(name, value)| format!("const {name}: f32 = {value:?};\n")).collect()
}

/// Whether a shader has a vertex stage and a fragment stage with these names.
#[cfg(test)]
pub fn has_stages(source: &str, (vertex, fragment): (&str, &str)) -> bool {
    [("@vertex", vertex), ("@fragment", fragment)]
        .iter()
        .all(|(stage, name)| source.contains(&format!("{stage}\nfn {name}(")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A constant that is named only in the shader or only in the Rust code would break the shader.
    #[test]
    fn the_shader_of_clouds_names_every_constant_that_it_gets() {
        let text = cloud_text();
        assert!(text.contains("const CLOUD_HUMPS: f32 = 3.1;\n"), "{text}");
        for (name, _) in CLOUD_CONSTANTS {
            assert!(GLOBE.contains(name), "{name}");
        }
        let is_part = |c: char| c.is_ascii_uppercase() || c == '_';
        for (at, _) in GLOBE.match_indices("CLOUD_") {
            let name: String = GLOBE[at..].chars().take_while(|&c| is_part(c)).collect();
            assert!(CLOUD_CONSTANTS.iter().any(|(known, _)| *known == name), "{name}");
        }
    }
}

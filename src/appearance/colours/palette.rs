//! A palette applied to the height range of a scene.

use std::sync::Arc;

use crate::appearance::biomes::Biomes;
use crate::appearance_files::{MaterialRules, Palette, PaletteColours, ScatterRules, Stop};
use crate::field::smooth_step;
use crate::scene::{Scene, Settings};

/// A palette as a lookup table, for the processor and the graphics card.
#[derive(Clone, Debug, PartialEq)]
pub struct PaletteTable {
    /// If set, biomes colour the terrain. The colours by height are then only used for rivers and lakes.
    pub biomes: Option<Arc<Biomes>>,
    /// 512 sRGB colours by height. Entries 0..256 are water, from the deepest (one relief below the sea) to the shore.
    /// Entries 256..512 are land, from the shore to the top of the relief.
    pub lut: Vec<[u8; 4]>,
    /// Colour of steep terrain (sRGB); its alpha is the maximum opacity of rock.
    pub rock: [u8; 4],
    /// Slopes in degrees at which rock starts to show and at which its opacity reaches the maximum.
    pub rock_degrees: (f32, f32),
    /// Rules for plants and stones.
    pub scatter: Arc<ScatterRules>,
    /// Rules for the ground materials.
    pub materials: Arc<MaterialRules>,
}

/// The scatter rules with that name; names are checked when palettes are read.
pub(in crate::appearance) fn scatter_of(name: &str) -> Arc<ScatterRules> {
    ScatterRules::named(name).cloned().unwrap_or_else(|| panic!("`{name}` was checked when the palette was read"))
}

/// The material rules with that name; names are checked when palettes are read.
pub(in crate::appearance) fn materials_of(name: &str) -> Arc<MaterialRules> {
    MaterialRules::named(name).cloned().unwrap_or_else(|| panic!("`{name}` was checked when the palette was read"))
}

impl PaletteTable {
    /// The colours of a scene, with its own rules for materials, plants and stones if it has any. An unknown palette is
    /// replaced by the default palette, as when a scene is loaded.
    pub fn for_scene(scene: &Scene) -> Self {
        let table = match Biomes::for_scene(scene) {
            Some(biomes) => biomes.palette(&scene.settings),
            None => Self::new(scene.effective_palette(), &scene.settings),
        };
        Self { materials: scene.material_rules(), scatter: scene.scatter_rules(), ..table }
    }

    /// Prepares a palette for the height range of a scene.
    pub fn new(palette: &Palette, settings: &Settings) -> Self {
        let sea = settings.sea_level / settings.relief_metres;
        let lut = (0..512)
            .map(|k| {
                let along = (k % 256) as f32 / 255.0;
                let [r, g, b] = match &palette.colours {
                    PaletteColours::Sea { water, .. } if k < 256 => colour_at(water, 1.0 - along),
                    PaletteColours::Sea { land, .. } => colour_at(land, along),
                    PaletteColours::Relief(all) if k < 256 => colour_at(all, sea - (1.0 - along)),
                    PaletteColours::Relief(all) => colour_at(all, sea + (1.0 - sea) * along),
                };
                [r, g, b, 255]
            })
            .collect();
        let (scatter, materials) = (scatter_of(&palette.scatter), materials_of(&palette.materials));
        Self { biomes: None, lut, rock: palette.rock, rock_degrees: palette.rock_degrees, scatter, materials }
    }

    /// Whether both palettes have the same terrain colours and the same plants and stones; materials can differ.
    pub fn has_same_vegetation(&self, other: &Self) -> bool {
        let Self { biomes, lut, rock, rock_degrees, scatter, materials: _ } = self;
        (biomes, lut, rock, rock_degrees) == (&other.biomes, &other.lut, &other.rock, &other.rock_degrees)
            && scatter == &other.scatter
    }

    /// Index into [`lut`](Self::lut) of a height. The index is not rounded, so that neighbouring entries can be mixed.
    pub fn lut_index(settings: &Settings, height_metres: f32) -> f32 {
        let (sea, relief) = (settings.sea_level, settings.relief_metres);
        let above = height_metres - sea;
        if above < 0.0 {
            255.0 * (1.0 + above / relief).clamp(0.0, 1.0)
        } else {
            let land = (relief - sea).max(f32::MIN_POSITIVE);
            256.0 + 255.0 * (above / land).clamp(0.0, 1.0)
        }
    }

    /// Opacity of rock on a slope, from 0 to its maximum.
    pub fn rock_opacity(&self, slope_degrees: f32) -> f32 {
        let (from, to) = self.rock_degrees;
        let t = ((slope_degrees - from) / (to - from)).clamp(0.0, 1.0);
        smooth_step(t) * f32::from(self.rock[3]) / 255.0
    }
}

/// The colour at position `x`, interpolated between stops. Outside all stops, the colour of the first or last stop.
fn colour_at(stops: &[Stop], x: f32) -> [u8; 3] {
    let after = stops.partition_point(|s| s.0 <= x);
    let (Some(&(x0, a)), Some(&(x1, b))) = (stops.get(after.wrapping_sub(1)), stops.get(after)) else {
        return stops[after.clamp(1, stops.len()) - 1].1;
    };
    let t = (x - x0) / (x1 - x0);
    std::array::from_fn(|k| (f32::from(a[k]) + (f32::from(b[k]) - f32::from(a[k])) * t + 0.5) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appearance_files::palette_names;

    #[test]
    fn the_own_palette_of_a_scene_replaces_the_named_one() {
        let text = r##"(version: 1, palette: "desert", own_palette: (label: "Two greys", materials: "bare",
            colours: Relief([(0, "#404040"), (1, "#c0c0c0")])), layers: [])"##;
        let (scene, warnings) = Scene::from_ron(text).unwrap();
        assert!(warnings.is_empty());
        let table = PaletteTable::for_scene(&scene);
        assert_eq!(table.lut[511], [0xc0, 0xc0, 0xc0, 255]);
        assert_eq!(table.materials, *MaterialRules::named("bare").unwrap());
        assert_eq!(Scene::from_ron(&scene.to_ron().unwrap()).unwrap().0, scene);
        let biomes = Scene { palette: "biome:earth".into(), ..scene.clone() };
        assert!(PaletteTable::for_scene(&biomes).biomes.is_some());
        let wrong = text.replace("#c0c0c0", "white");
        let said = Scene::from_ron(&wrong).unwrap_err().to_string();
        assert!(said.contains("`white` is not a colour"), "{said}");
    }

    #[test]
    fn every_shipped_palette_has_512_colours() {
        for name in palette_names() {
            let palette = Palette::named(&name).unwrap();
            assert_eq!(PaletteTable::new(palette, &Settings::default()).lut.len(), 512, "{name}");
        }
    }

    #[test]
    fn document_001_palettes_are_linear_at_any_sea_level() {
        for sea_level in [0.0, 300.0] {
            let settings = Settings { sea_level, relief_metres: 1000.0, ..Settings::default() };
            let table = PaletteTable::new(Palette::named("document-001").unwrap(), &settings);
            for (height, colour) in [(0.2, [0, 0, 255]), (0.4, [0, 128, 0]), (0.7, [64, 192, 0]), (1.0, [255; 3])] {
                let got = table.lut[PaletteTable::lut_index(&settings, height * 1000.0).round() as usize];
                let near = (0..3).all(|k| (i32::from(got[k]) - colour[k]).abs() <= 4);
                assert!(near, "sea {sea_level}, height {height}: {got:?}, not {colour:?}");
            }
        }
    }
}

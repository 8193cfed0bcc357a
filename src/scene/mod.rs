//! The user's work: a scene of settings and layers, the scene file, and the undo history.

mod bookmark;
mod build;
mod changes;
mod disabled;
mod examples;
mod figures;
mod file;
mod file_form;
mod groups;
mod history;
pub mod import;
mod layer;
mod light;
mod links;
mod old_defaults;
mod patch;
mod references;
mod repairs;
pub mod saved_files;
mod settings;
mod terrain_attribute;
mod text_edit;
mod works;

pub use crate::nodes::Reads;
pub use bookmark::{CameraBookmark, MAX_BOOKMARKS};
pub use build::{
    BuildMesh, BuildPlacement, BuildPlanet, BuildPreset, BuildProduct, BuildTiles, DEFAULT_FILE_NAMES,
    MAX_EXPORT_SAMPLES,
};
pub use changes::{ChangeKind, SceneChange, scene_changes};
pub use disabled::DisabledValue;
pub use examples::{ExampleHash, HASHED_SAMPLES, ShippedScene, example, example_for, example_hashes, examples};
pub use figures::{DocumentClaim, DocumentFigure, figures};
pub(crate) use file::folder_of;
pub use file::{SceneError, VERSION, Warning, with_scene_ending};
pub use history::{EditHistory, Gesture};
pub use layer::{Blend, Layer, Mask, Mix, ParamEpoch, ProcessSegment};
pub use light::LightPreset;
pub(crate) use links::absolute_name;
pub use links::{Problem, Severity, load_material_rules, relative_path, save_material_rules};
pub use patch::{LONGEST_TERRAIN_METRES, PatchError, PatchFiles, PatchOrigin, put_patch_back, take_patch};
pub use references::{LayerReader, ReferenceSource, SourceId, WholeScene};
pub use settings::{LOWEST_SUN, LightSource, Settings, SkyCondition, SunPlacement, Surroundings, direction_to_sun};
pub use terrain_attribute::{AttributeReach, TerrainAttribute};
pub use text_edit::{text_with_build, text_with_paths};
pub use works::SourceWork;

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use crate::appearance_files::{BIOME_PREFIX, BiomeTable, DEFAULT_PALETTE, MaterialRules, Palette, ScatterRules};
use crate::field::{Cancelled, Control, Grid, MIN_SAMPLES, MapKind, Stream, Terrain};
use crate::io::suggestion;
use crate::nodes::Node;
use crate::nodes::generators::construction::Construction;
use crate::param::{ParamError, Params};
use crate::planet::climate::{Climate, ClimateFields, ClimateTerrain, climate_fields};
use crate::planet::{Planet, World};
use crate::planet_detail::{DetailSource, PlanetDetail};

/// A terrain as the user edits it: plain data, cheap to clone. Evaluation is a pure function of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Name of the scene in titles; independent of the file name.
    pub name: String,
    /// Size, relief, sea, sun and other scene-wide settings.
    pub settings: Settings,
    /// Settings that apply if the world is a planet.
    pub planet: Planet,
    /// Name of a [palette](crate::appearance_files), or `biome:` and the name of a biome table.
    pub palette: String,
    /// The scene's own palette; `None` uses the palette that `palette` names.
    pub own_palette: Option<Arc<Palette>>,
    /// The scene's own climate for the biomes; `None` uses the climate of the biome table.
    pub climate: Option<Climate>,
    /// The scene's own biome table; `None` uses the table that the palette names.
    pub biomes: Option<Arc<BiomeTable>>,
    /// The scene's own material rules; `None` uses the rules that the palette names.
    pub materials: Option<Arc<MaterialRules>>,
    /// The scene's own rules for plants and stones; `None` uses the rules that the palette names.
    pub scatter: Option<Arc<ScatterRules>>,
    /// The planet from which the scene was taken as a patch, if any.
    pub patch: Option<PatchOrigin>,
    /// Build presets; the preset built most recently is first.
    pub builds: Vec<BuildPreset>,
    /// Saved camera positions.
    pub bookmarks: Vec<CameraBookmark>,
    /// Layers of the scene, from the lowest to the highest.
    pub layers: Vec<Layer>,
    /// The scene with all its layers shown as the user shows them, if an evaluation has hidden some. References of
    /// layers are looked up there. It is not saved.
    pub whole: Option<Arc<WholeScene>>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: "Untitled".into(),
            settings: Settings::default(),
            planet: Planet::default(),
            palette: DEFAULT_PALETTE.into(),
            own_palette: None,
            climate: None,
            biomes: None,
            materials: None,
            scatter: None,
            patch: None,
            builds: Vec::new(),
            bookmarks: Vec::new(),
            layers: Vec::new(),
            whole: None,
        }
    }
}

/// The reason why an assignment `LAYER.PARAM=VALUE` was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SetError {
    /// The text is not of the form LAYER.PARAM=VALUE.
    #[error("`{0}` is not of the form LAYER.PARAM=VALUE, for example Peaks.octaves=6 or scene.seed=3")]
    Form(String),
    /// No layer has this name; the second string lists the existing names.
    #[error("no layer is called `{0}`; the layers are {1}")]
    NoLayer(String, String),
    /// Several layers have this name.
    #[error("{count} layers are called `{name}`; use the layer's number, 1 is the lowest")]
    Ambiguous {
        /// The layer name in the assignment.
        name: String,
        /// Number of layers with this name.
        count: usize,
    },
    /// The layer's node has no such parameter.
    #[error("`{owner}` has no parameter `{param}`; {suggestion}")]
    NoParam {
        /// Owner of the parameters: a layer or a group of settings.
        owner: String,
        /// The parameter name in the assignment.
        param: String,
        /// The most similar name, or all names.
        suggestion: String,
    },
    /// The value does not fit the parameter.
    #[error(transparent)]
    Value(#[from] ParamError),
}

/// The reason why a terrain does not come from a single construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotSoleConstruction {
    /// No shown layer is a construction.
    NoConstruction,
    /// Other layers, a mix or a mask change the result of this layer.
    Modified(usize),
}

impl Scene {
    /// A new planet: continents in the colours of Earth.
    pub fn new_planet() -> Self {
        let settings =
            Settings { world: World::Planet, resolution: 257, relief_metres: 20_000.0, ..Settings::default() };
        let layers = Node::named("Continents").map(|node| Layer::new(node, 1)).into_iter().collect();
        Self { settings, palette: format!("{BIOME_PREFIX}earth"), layers, ..Self::default() }
    }

    /// The grid of the scene with `samples` per side.
    pub fn grid(&self, samples: usize) -> Grid {
        if self.is_planet() {
            Grid::globe(samples)
        } else {
            Grid::working(samples.max(MIN_SAMPLES), self.settings.edges)
        }
    }

    /// Whether the scene is a planet.
    pub fn is_planet(&self) -> bool {
        self.settings.is_planet()
    }

    /// The planet's settings if the scene is a planet, otherwise `None`.
    pub fn as_planet(&self) -> Option<&Planet> {
        self.is_planet().then_some(&self.planet)
    }

    /// Side length of the terrain, or of a planet's face, in metres.
    pub fn side_metres(&self) -> f32 {
        self.as_planet().map_or(self.settings.size_metres, Planet::side_metres)
    }

    /// Number of samples per side at the scene's own resolution.
    pub fn samples(&self) -> usize {
        self.settings.resolution as usize
    }

    /// Total number of iterations of a layer's process over all its stages and grids.
    pub fn iterations(&self, index: usize) -> Option<u32> {
        self.layers.get(index)?.iterations(self.samples())
    }

    /// The last position of a layer on the timeline: the iterations of its process, or the steps of its generator.
    /// `None` if the layer cannot be played.
    pub fn timeline_end(&self, index: usize) -> Option<u32> {
        let steps = || self.layers.get(index)?.generator_steps(self.samples(), self.side_metres());
        self.iterations(index).or_else(steps)
    }

    /// The random stream of a layer.
    pub fn random(&self, layer: &Layer) -> Stream {
        Stream::new(self.settings.seed, layer.seed)
    }

    /// The index and node of the construction layer that makes the whole terrain without any other layer.
    ///
    /// # Errors
    /// When no construction is shown, or when another layer, a mix or a mask changes the terrain. The second error
    /// contains the index of the construction.
    pub fn only_construction(&self) -> Result<(usize, &Construction), NotSoleConstruction> {
        // A group with default mix and mask changes nothing itself, so it does not count as another layer.
        let is_opened = |index: usize| self.group(index).is_some() && self.layers[index].is_plain();
        let mut shown =
            (self.layers.iter().enumerate()).filter(|&(index, _)| self.is_shown(index) && !is_opened(index));
        let found = shown.clone().find_map(|(index, layer)| match &layer.node {
            Node::Construction(construction) => Some((index, construction)),
            _ => None,
        });
        let (index, construction) = found.ok_or(NotSoleConstruction::NoConstruction)?;
        let alone = shown.all(|(other, _)| other == index);
        if self.layers[index].is_whole() && alone {
            Ok((index, construction))
        } else {
            Err(NotSoleConstruction::Modified(index))
        }
    }

    /// The index and node of the construction layer whose terrain all other layers modify. The construction is the only
    /// generator, and the other layers are filters or erosion processes.
    ///
    /// # Errors
    /// When no construction is shown, or when there is another generator. The second error contains the index of the
    /// construction.
    pub fn construction_below(&self) -> Result<(usize, &Construction), NotSoleConstruction> {
        let makes_ground = |layer: &Layer| layer.node.makes_heights();
        let mut makers =
            self.layers.iter().enumerate().filter(|(index, layer)| self.is_shown(*index) && makes_ground(layer));
        let found = makers.clone().find_map(|(index, layer)| match &layer.node {
            Node::Construction(construction) => Some((index, construction)),
            _ => None,
        });
        let (index, construction) = found.ok_or(NotSoleConstruction::NoConstruction)?;
        let alone = makers.all(|(other, _)| other == index)
            && self.groups_around(index).iter().all(|&group| self.layers[group].is_plain());
        if self.layers[index].is_whole() && alone {
            Ok((index, construction))
        } else {
            Err(NotSoleConstruction::Modified(index))
        }
    }

    /// The biome table that colours the scene, if its palette names a biome table.
    pub fn biome_table(&self) -> Option<Arc<BiomeTable>> {
        let name = self.palette.strip_prefix(BIOME_PREFIX)?;
        self.biomes.clone().or_else(|| BiomeTable::named(name).cloned())
    }

    /// The palette that colours the scene by height: the scene's own palette, or the palette that it names. It has no
    /// effect if the scene names a biome table.
    pub fn effective_palette(&self) -> &Palette {
        self.own_palette.as_deref().unwrap_or_else(|| Palette::named_or_default(&self.palette))
    }

    /// The material rules that the palette names.
    pub fn palette_materials(&self) -> Arc<MaterialRules> {
        let table = self.biome_table();
        let name = table.as_ref().map_or_else(|| &self.effective_palette().materials, |table| &table.materials);
        MaterialRules::named(name).expect("names are checked when palettes are read").clone()
    }

    /// The rules for plants and stones that the palette names.
    pub fn palette_scatter(&self) -> Arc<ScatterRules> {
        let table = self.biome_table();
        let name = table.as_ref().map_or_else(|| &self.effective_palette().scatter, |table| &table.scatter);
        ScatterRules::named(name).expect("names are checked when palettes are read").clone()
    }

    /// The material rules in effect: the scene's own rules, or the rules that the palette names.
    pub fn material_rules(&self) -> Arc<MaterialRules> {
        self.materials.clone().unwrap_or_else(|| self.palette_materials())
    }

    /// The rules for plants and stones in effect: the scene's own rules, or the rules that the palette names.
    pub fn scatter_rules(&self) -> Arc<ScatterRules> {
        self.scatter.clone().unwrap_or_else(|| self.palette_scatter())
    }

    /// The climate in effect: the scene's own climate, or the climate of its biome table.
    pub fn effective_climate(&self) -> &Climate {
        static USUAL: LazyLock<Climate> = LazyLock::new(Climate::default);
        let named = || BiomeTable::named(self.palette.strip_prefix(BIOME_PREFIX)?).map(|table| &**table);
        let own = self.biomes.as_deref().filter(|_| self.palette.starts_with(BIOME_PREFIX));
        let of_table = || own.or_else(named).map(|table| &table.climate);
        self.climate.as_ref().or_else(of_table).unwrap_or(&USUAL)
    }

    /// Whether a shown layer writes the data map `kind`.
    pub fn writes_map(&self, kind: MapKind) -> bool {
        let writes = |layer: &Layer| layer.node.traits().writes.contains(&kind);
        self.layers.iter().enumerate().any(|(index, layer)| self.is_shown(index) && writes(layer))
    }

    /// A copy of the climate in effect.
    pub fn climate(&self) -> Climate {
        self.effective_climate().clone()
    }

    /// The climate in effect. On a planet, it has the tilt and season of the planet.
    pub fn seasonal_climate(&self) -> Climate {
        let mut climate = self.climate();
        if let Some(planet) = self.as_planet() {
            (climate.axial_tilt, climate.season) = (planet.axial_tilt, planet.season);
        }
        climate
    }

    /// `terrain` with the metres that its climate depends on: relief, sea level and side length.
    pub fn climate_terrain<'a>(&self, terrain: &'a Terrain) -> ClimateTerrain<'a> {
        ClimateTerrain {
            terrain,
            relief_metres: self.settings.relief_metres,
            sea_metres: self.settings.sea_level,
            side_metres: self.side_metres(),
        }
    }

    /// Temperature and moisture at every sample of `terrain`.
    ///
    /// # Errors
    /// When the computation was cancelled.
    pub fn climate_fields(&self, terrain: &Terrain, control: &Control) -> Result<ClimateFields, Cancelled> {
        climate_fields(&self.seasonal_climate(), &self.climate_terrain(terrain), control)
    }

    /// The inputs from which the fine detail of this planet is computed.
    pub fn detail_source(&self) -> DetailSource {
        let fallen = |layer: &'_ Layer| layer.enabled && layer.mix.opacity > 0.0;
        let craters = self.layers.iter().filter(|layer| fallen(layer)).filter_map(|layer| match &layer.node {
            Node::Craters(craters) => Some(craters.clone()),
            _ => None,
        });
        DetailSource {
            planet: self.planet.clone(),
            relief_metres: self.settings.relief_metres,
            sea_metres: self.settings.sea_level,
            climate: self.seasonal_climate(),
            craters: craters.collect(),
            seed: self.settings.seed,
        }
    }

    /// Prepares the surface of this planet for computation at any resolution. `terrain` is the evaluated planet; it may
    /// be a reference or an [`Arc`].
    ///
    /// # Errors
    /// When the computation was cancelled.
    pub fn detail<T: Deref<Target = Terrain> + Sync>(
        &self,
        terrain: T,
        control: &Control,
    ) -> Result<PlanetDetail<T>, Cancelled> {
        PlanetDetail::new(&self.detail_source(), terrain, control)
    }

    /// A seed that no other layer has.
    pub fn unused_seed(&self) -> u32 {
        self.layers.iter().map(|l| l.seed).max().map_or(1, |s| s.wrapping_add(1))
    }

    /// `name`, with a number appended if another layer already has that name.
    pub fn unused_name(&self, name: &str) -> String {
        let taken = |name: &str| self.layers.iter().any(|layer| layer.name == name);
        let numbered = (2..).map(|k| format!("{name} {k}"));
        std::iter::once(name.to_string()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
    }

    /// Shows a layer and hides the other branches of its process.
    pub fn show_layer(&mut self, index: usize) {
        let branch = self.layers[index].branch;
        if branch != 0 {
            self.layers.iter_mut().filter(|layer| layer.branch == branch).for_each(|layer| layer.enabled = false);
        }
        self.layers[index].enabled = true;
    }

    /// Returns the index of the layer called `key`. `key` can also be a layer's number, where 1 is the lowest layer.
    pub fn find_layer(&self, key: &str) -> Result<usize, SetError> {
        let named: Vec<usize> = (0..self.layers.len()).filter(|&i| self.layers[i].name == key).collect();
        match (named.as_slice(), key.parse::<usize>()) {
            ([one], _) => Ok(*one),
            ([], Ok(number)) if (1..=self.layers.len()).contains(&number) => Ok(number - 1),
            ([], _) => {
                let names: Vec<String> =
                    self.layers.iter().enumerate().map(|(i, l)| format!("{} `{}`", i + 1, l.name)).collect();
                Err(SetError::NoLayer(key.into(), names.join(", ")))
            }
            (many, _) => Err(SetError::Ambiguous { name: key.into(), count: many.len() }),
        }
    }

    /// Applies an assignment of the form `LAYER.PARAM=VALUE`. LAYER is a layer's name, a layer's number from 1, `scene`
    /// for the scene's settings, `climate` for the scene's climate, or `planet` for the planet's settings. PARAM is a
    /// parameter of the node, `seed`, `enabled`, `preset`, or a parameter of the mix or mask (`opacity`, `by_slope`,
    /// …).
    pub fn set(&mut self, text: &str) -> Result<(), SetError> {
        let form = || SetError::Form(text.to_string());
        let (path, value) = text.split_once('=').ok_or_else(form)?;
        let (owner, param) = path.trim().rsplit_once('.').ok_or_else(form)?;
        if owner == "scene" {
            return set_in(&mut [&mut self.settings], owner, param, value);
        }
        if owner == "climate" {
            let mut climate = self.climate();
            set_in(&mut [&mut climate], owner, param, value)?;
            self.climate = Some(climate);
            return Ok(());
        }
        if owner == "planet" {
            return set_in(&mut [&mut self.planet], owner, param, value);
        }
        let index = self.find_layer(owner)?;
        let layer = &mut self.layers[index];
        let bad = |expected: &str| {
            SetError::Value(ParamError::Parse { param: param.into(), text: value.into(), expected: expected.into() })
        };
        match param {
            "seed" => layer.seed = value.trim().parse().map_err(|_| bad("give a whole number from 0 to 4294967295"))?,
            "enabled" => {
                let enabled = value.trim().parse().map_err(|_| bad("give true or false"))?;
                if enabled { self.show_layer(index) } else { layer.enabled = false }
            }
            "preset" => {
                let about = layer.node.about();
                let names: Vec<&str> = about.presets.iter().map(|p| p.name).collect();
                let preset = about.preset(value.trim()).ok_or_else(|| match names.as_slice() {
                    [] => bad("this node has no presets"),
                    _ => bad(&format!("give one of {}", names.join(", "))),
                })?;
                layer.node.adopt(preset);
            }
            _ => set_in(&mut [layer.node.params_mut(), &mut layer.mix, &mut layer.mask], owner, param, value)?,
        }
        Ok(())
    }
}

fn set_in(groups: &mut [&mut dyn Params], owner: &str, param: &str, value: &str) -> Result<(), SetError> {
    for group in groups.iter_mut() {
        if let Some(index) = group.about().find(param) {
            let value = group.about().params[index].parse(value)?;
            return Ok(group.set(index, &value)?);
        }
    }
    let known: Vec<&str> = groups.iter().flat_map(|g| g.about().params.iter().map(|p| p.name)).collect();
    Err(SetError::NoParam { owner: owner.into(), param: param.into(), suggestion: suggestion(param, &known) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene() -> Scene {
        let layer = |name: &str| Layer { name: name.into(), ..Layer::new(Node::named("Perlin").unwrap(), 1) };
        Scene { layers: vec![layer("Hills"), layer("Twin"), layer("Twin")], ..Scene::default() }
    }

    #[test]
    fn set_reaches_nodes_mix_mask_seed_and_settings() {
        let mut scene = scene();
        for text in ["Hills.octaves=3", "1.opacity=0.25", "2.by_slope=true", "Hills.seed=77", "scene.relief_metres=900"]
        {
            scene.set(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        }
        assert_eq!((scene.layers[0].mix.opacity, scene.layers[0].seed), (0.25, 77));
        assert!(scene.layers[1].mask.by_slope);
        assert_eq!(scene.settings.relief_metres, 900.0);
    }

    #[test]
    fn set_explains_invalid_values() {
        let mut scene = scene();
        let mut message = |text: &str| scene.set(text).unwrap_err().to_string();
        assert!(message("Hills").contains("LAYER.PARAM=VALUE"));
        assert!(message("Nope.octaves=1").contains("`Hills`"));
        assert!(message("Twin.octaves=1").contains("number"));
        assert!(message("Hills.nope=1").contains("octaves"));
        assert!(message("Hills.opacity=7").contains("0 to 1"));
    }
}

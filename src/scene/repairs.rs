//! Makes a scene from the contents of its file. It replaces invalid or outdated values, each with a warning.

use std::sync::Arc;

use super::file_form::{EpochV1, LayerV1, SceneV1};
use super::old_defaults::WrittenParams;
use super::{BuildPreset, CameraBookmark, Layer, MAX_BOOKMARKS, ParamEpoch, PatchOrigin, Scene, Warning};
use crate::appearance_files::{DEFAULT_PALETTE, all_palette_names, is_palette};
use crate::nodes::Node;
use crate::param::Params;
use crate::planet::World;

const MAX_BUILDS: usize = 100;
/// Maximum number of iterations that a process can have.
const MAX_EPOCH_ITERATIONS: u32 = 1_000_000;
const MAX_EPOCHS: usize = 64;

/// The warnings about the values that were replaced.
#[derive(Default)]
pub(super) struct Repairs {
    /// Warnings about parameters that were out of range. They precede all other warnings.
    clamped: Vec<Warning>,
    others: Vec<Warning>,
}

/// Properties of a scene file that the repair of each layer needs.
struct FileFacts<'a> {
    written: WrittenParams<'a>,
    world: World,
    /// Whether Talweg wrote the file before it [marked](SceneV1::saved) its files. It then left out the first version
    /// of an algorithm.
    omits_first_version: bool,
}

impl Repairs {
    /// All warnings, in the order in which they are shown.
    pub fn warnings(self) -> Vec<Warning> {
        let mut warnings = self.clamped;
        warnings.extend(self.others);
        warnings
    }

    fn warn(&mut self, text: impl Into<String>) {
        self.others.push(Warning(text.into()));
    }

    /// Clamps parameters to their ranges and records a warning for each change.
    fn clamp(&mut self, owner: &str, group: &mut dyn Params) {
        self.clamped.extend(group.sanitise().into_iter().map(|moved| Warning(format!("{owner}: {moved}"))));
    }

    /// Makes the scene from the contents of a file. `text` is the text of the file.
    pub fn scene(&mut self, file: SceneV1, text: &str) -> Scene {
        // Layers that Talweg saved have a past: they were computed by the algorithm that the file names. Layers that a
        // person wrote mean the current algorithms. Before it marked its files, Talweg wrote a name and the settings,
        // and started with the version on a line of its own. It left out an algorithm of version 1. Without any
        // algorithm, such a file cannot be told from one written by hand, and is read as current.
        let starts_as_written = text.trim_start().strip_prefix('(').is_some_and(|rest| rest.starts_with(['\n', '\r']));
        let names_algorithms = file.layers.iter().any(|layer| layer.algorithm.is_some());
        let omits_first_version =
            !file.saved && names_algorithms && starts_as_written && file.name.is_some() && file.settings.is_some();
        let mut settings = file.settings.unwrap_or_default();
        self.clamp("scene", &mut settings);
        let mut climate = file.climate;
        if let Some(climate) = &mut climate {
            self.clamp("climate", climate);
        }
        let mut biomes = file.biomes;
        if let Some(table) = &mut biomes {
            self.clamp("biomes", &mut Arc::make_mut(table).climate);
        }
        let mut planet = file.planet;
        self.clamp("planet", &mut planet);
        let facts = FileFacts { written: WrittenParams::new(text), world: settings.world, omits_first_version };
        let layers = file.layers.into_iter().enumerate();
        let mut scene = Scene {
            layers: layers.map(|(place, layer)| self.layer(layer, place, &facts)).collect(),
            name: file.name.unwrap_or_else(|| Scene::default().name),
            settings,
            planet,
            palette: self.palette(file.palette),
            own_palette: file.own_palette,
            climate,
            biomes,
            materials: file.materials,
            scatter: file.scatter,
            patch: self.patch(file.patch),
            builds: self.builds(file.builds),
            bookmarks: self.bookmarks(file.bookmarks),
            whole: None,
        };
        scene.name_biomes();
        self.depths(&mut scene);
        scene
    }

    /// Makes the layer with the index `place` in the file.
    fn layer(&mut self, layer: LayerV1, place: usize, file: &FileFacts) -> Layer {
        let mut made = Layer {
            enabled: layer.enabled,
            branch: layer.branch,
            mix: layer.mix,
            mask: layer.mask,
            note: layer.note,
            locked: layer.locked,
            depth: layer.depth,
            ..Layer::new(layer.node, layer.seed.unwrap_or_default())
        };
        // Talweg writes the name and the seed of every layer.
        let is_first = file.omits_first_version && layer.name.is_some() && layer.seed.is_some();
        made.name = layer.name.unwrap_or(made.name);
        let owner = format!("layer `{}`", made.name);
        self.clamp(&owner, made.node.params_mut());
        self.epochs(&owner, layer.epochs, &mut made);
        self.clamp(&owner, &mut made.mix);
        self.clamp(&owner, &mut made.mask);
        let now = made.node.traits().version_in(file.world);
        let then = layer.algorithm.unwrap_or(if is_first { 1 } else { now });
        file.written.restore(place, &mut made, then);
        let is_restored = match &mut made.node {
            Node::Construction(construction) => construction.restore_from(then),
            _ => false,
        };
        if !is_restored && !made.node.traits().has_law_of(then, now) {
            self.warn(format!(
                "{owner}: {} has changed since this scene was saved (algorithm {then}, now {now}); its heights differ",
                made.node.about().label,
            ));
        }
        made
    }

    /// Adds the earlier stages of a process, with their parameters, to its layer.
    fn epochs(&mut self, owner: &str, epochs: Vec<EpochV1>, made: &mut Layer) {
        if epochs.len() > MAX_EPOCHS {
            self.warn(format!(
                "{owner}: its parameters changed {} times while it ran; only the first {MAX_EPOCHS} changes were kept",
                epochs.len()
            ));
        }
        for (k, mut epoch) in epochs.into_iter().take(MAX_EPOCHS).enumerate() {
            self.clamp(&format!("{owner}, earlier parameters {}", k + 1), epoch.node.params_mut());
            if made.node.as_process().is_none() || epoch.node.as_process().is_none() {
                self.warn(format!(
                    "{owner}: only processes can have earlier parameters; those of {} were ignored",
                    epoch.node.about().label
                ));
                continue;
            }
            let iterations = epoch.iterations.clamp(1, MAX_EPOCH_ITERATIONS);
            if iterations != epoch.iterations {
                self.warn(format!(
                    "{owner}, earlier parameters {}: they were used for {} iterations; now limited to {iterations}",
                    k + 1,
                    epoch.iterations
                ));
            }
            made.epochs.push(ParamEpoch { node: epoch.node, iterations });
        }
    }

    fn palette(&mut self, palette: String) -> String {
        if is_palette(&palette) {
            return palette;
        }
        self.warn(format!(
            "scene: there is no palette `{palette}`; `{DEFAULT_PALETTE}` is used instead. Palettes: {}",
            all_palette_names().join(", ")
        ));
        DEFAULT_PALETTE.into()
    }

    fn patch(&mut self, patch: Option<PatchOrigin>) -> Option<PatchOrigin> {
        patch.filter(|origin| {
            if !origin.is_valid() {
                self.warn(
                    "scene: the longitude or latitude of the region is invalid; the link to its planet was removed",
                );
            }
            origin.is_valid()
        })
    }

    fn builds(&mut self, mut builds: Vec<BuildPreset>) -> Vec<BuildPreset> {
        builds.truncate(MAX_BUILDS);
        builds.retain(|build| {
            if build.wrong_number().is_some() {
                self.warn(format!("scene: the build preset `{}` has invalid numbers and was removed", build.name));
            }
            build.wrong_number().is_none()
        });
        builds
    }

    fn bookmarks(&mut self, mut bookmarks: Vec<CameraBookmark>) -> Vec<CameraBookmark> {
        let count = bookmarks.len();
        bookmarks.retain(CameraBookmark::is_valid);
        bookmarks.truncate(MAX_BOOKMARKS);
        if bookmarks.len() < count {
            let removed = count - bookmarks.len();
            self.warn(format!("scene: {removed} camera bookmarks were invalid or too many and were removed"));
        }
        bookmarks
    }

    /// Moves layers out of groups if the layers are nested deeper than the groups allow, and records a warning.
    fn depths(&mut self, scene: &mut Scene) {
        let depths = |scene: &Scene| scene.layers.iter().map(|layer| layer.depth).collect::<Vec<_>>();
        let written = depths(scene);
        scene.clamp_depths();
        if depths(scene) != written {
            self.warn("scene: some layers were nested deeper than their groups allow; they were moved out");
        }
    }
}

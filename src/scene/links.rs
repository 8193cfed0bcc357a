//! References of layers to files and to other layers.
//!
//! In memory, the paths of files are absolute. If a file is in the folder of the scene file or in a subfolder, the
//! scene file stores a path relative to its folder. The folder can therefore be moved as a whole.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::file::folder_of;
use super::{Layer, LayerReader, Reads, Scene};
use crate::appearance_files::{MaterialRules, RuleList, RuleListError};
use crate::brush::{Brush, Strokes};
use crate::construction::{Program, Tree};
use crate::field::MapKind;
use crate::io::formats::ReadOptions;
use crate::io::system_names::{is_rooted, last_name, portable_text};
use crate::io::{FileError, Raster, RasterError, SaveTarget, is_built_in, raster};
use crate::mesh::raster_or_mesh;
use crate::nodes::Node;
use crate::param::{ImageFile, ParamKind, Params, StructuredValue, Value};
use crate::planet::World;
use crate::user_state::{PathUse, check_paths, permit_paths, resolved};

/// A problem of a layer that cannot read a file or another layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Index of the layer.
    pub layer: usize,
    /// How serious the problem is.
    pub severity: Severity,
    /// A sentence that says what is wrong and what to do.
    pub message: String,
}

/// Effect of a problem on the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The named file or layer cannot be used. A heightmap then becomes flat; a picture or a mask condition is ignored.
    Broken,
    /// A mask condition has nothing to read yet and therefore has no effect, or the size of a file differs from the
    /// size of the scene.
    Idle,
}

/// Maximum number of problems of another scene that are reported.
const MOST_TOLD: usize = 3;

/// Kinds of notes that matter only for heights. An image of a mask or a stamp may have colours and several channels.
const NOTES_ON_HEIGHTS: [&str; 4] = ["colours", "palette", "encoded-heights", "further-channels"];

/// The notes about a file of a layer, with the name of the file.
fn raster_notes(layer: &Layer, read: &Result<Arc<Raster>, RasterError>, name: &str) -> Vec<String> {
    let is_height = matches!(layer.node, Node::Import(_) | Node::PlanetImport(_));
    let Ok(raster) = read else { return Vec::new() };
    let told = raster.notes.iter().filter(|note| is_height || !NOTES_ON_HEIGHTS.contains(&note.kind));
    let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    told.map(|note| format!("{file}: {note}")).collect()
}

impl Scene {
    /// Problems with the files and layers to which shown layers refer. The list also covers hidden layers that a shown
    /// layer reads. The function reads the files from the disk.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = self.own_problems();
        for (index, layer) in self.layers.iter().enumerate().filter(|(index, _)| self.is_shown(*index)) {
            for source in layer.readers(index).filter_map(|reader| self.source(reader).ok().flatten()) {
                let scene = source.name();
                let told = source.problems().into_iter().take(MOST_TOLD);
                let message = |text: String| format!("the layer reads {scene}, where {text}");
                problems.extend(told.map(|text| Problem {
                    layer: index,
                    severity: Severity::Broken,
                    message: message(text),
                }));
            }
        }
        problems
    }

    /// Like [`problems`](Self::problems), without those of other scenes.
    pub(super) fn own_problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let shown_readers =
            (0..self.layers.len()).filter(|&k| self.is_shown(k)).flat_map(|k| self.layers[k].readers(k));
        let sources = shown_readers.filter_map(|reader| self.source(reader).ok().flatten());
        let read: Vec<usize> = sources.filter_map(|source| source.own_layer()).collect();
        let used = |index: usize| self.is_shown(index) || read.contains(&index);
        for (index, layer) in self.layers.iter().enumerate().filter(|(index, _)| used(*index)) {
            let mask = if layer.mask.by_image { image_names(&layer.mask) } else { Vec::new() };
            let names = mask.into_iter().chain(layer.node.file_dependencies());
            let names = names.map(|name| (raster_or_mesh(&name, ReadOptions::default()), name));
            let own = image_names(layer.node.params()).into_iter();
            let own = own.map(|name| (raster_or_mesh(&name, layer.node.read_options()), name));
            let read: Vec<_> = own.chain(names).collect();
            let notes: Vec<String> = read.iter().flat_map(|(read, name)| raster_notes(layer, read, name)).collect();
            let files = read.into_iter().filter_map(|(read, _)| read.err().map(|e| e.to_string()));
            let files = files.chain(layer.node.files_error());
            let trees = structured::<Tree>(layer.node.params());
            let unusable = trees.iter().flat_map(|(_, tree)| Program::new(tree, 0).problems);
            let roads: Vec<String> = trees.iter().flat_map(|(_, tree)| tree.road_notes()).collect();
            let files = files.chain(unusable).chain(stroke_problems(layer));
            let sources = layer.readers(index).filter_map(|reader| self.source(reader).err());
            let problem = |severity: Severity| move |message: String| Problem { layer: index, severity, message };
            problems.extend(self.unsupported_reason(index).map(problem(Severity::Broken)));
            problems.extend(files.chain(sources).map(problem(Severity::Broken)));
            let idle = self.idle_conditions(index).into_iter().chain(layer.node.files_note(self.side_metres()));
            let idle = idle.chain(notes).chain(roads).chain(layer.node.runaway_note());
            problems.extend(idle.map(problem(Severity::Idle)));
        }
        problems
    }

    /// The reason why a layer cannot run in this kind of world (terrain or planet), if it cannot.
    fn unsupported_reason(&self, index: usize) -> Option<String> {
        let node = &self.layers[index].node;
        let label = node.about().label;
        match self.settings.world {
            world if node.fits(world) => None,
            World::Planet => Some(format!("{label} works on a square terrain only, so a planet ignores it; hide it")),
            World::Terrain => {
                Some(format!("{label} works on a whole planet only, so it is ignored; hide it, or set world to Planet"))
            }
        }
    }

    /// Messages about the active mask conditions of layer `index` that have no effect because they have nothing to
    /// read.
    fn idle_conditions(&self, index: usize) -> Vec<String> {
        let mask = &self.layers[index].mask;
        let mut idle = Vec::new();
        if mask.by_image && mask.image.0.is_empty() {
            idle.push("the mask has no image yet, so this condition has no effect; choose an image".into());
        }
        if mask.by_layer && !mask.reference().is_set() {
            idle.push("the mask has no layer to read yet, so this condition has no effect; choose a layer".into());
        }
        if self.layers[index].node.reference().is_some_and(|reference| !reference.is_set()) {
            idle.push(
                "no layer to read is chosen yet, so the layer has no effect; choose a layer or a scene file".into(),
            );
        }
        if mask.by_paint && self.is_planet() {
            idle.push("brush strokes work on square terrain only, so a planet ignores the painted mask".into());
        } else if mask.by_paint && mask.painted.visible().next().is_none() && mask.unpainted == 0.0 {
            idle.push(
                "the mask is not painted yet, so the layer acts nowhere; paint the area where it should act".into(),
            );
        }
        // A map whose neutral value is not 0, such as rain, exists everywhere.
        let missing = |kind: MapKind, scene: &Self, below: usize| {
            let shown = (0..below).filter(|&k| scene.is_shown(k)).map(|k| &scene.layers[k].node);
            let made = kind.neutral() != 0.0 || shown.flat_map(|node| node.traits().writes).any(|&made| made == kind);
            (!made).then(|| kind.label().to_lowercase())
        };
        if let Some(attribute) = mask.attribute_read().filter(|attribute| !attribute.fits(self.settings.world)) {
            idle.push(format!(
                "the mask reads the attribute {}, which only a square terrain has, so this condition has no effect on a \
                 planet; choose another attribute",
                attribute.label().to_lowercase()
            ));
        }
        // Every terrain has a flow.
        if mask.by_data
            && mask.data != MapKind::Flow
            && let Some(map) = missing(mask.data, self, index)
        {
            idle.push(format!(
                "the mask reads the {map} map, which no layer below makes, so this condition has no effect"
            ));
        }
        for reader in self.layers[index].readers(index) {
            let (Some(reference), Ok(Some(source))) = (self.reference(reader), self.source(reader)) else { continue };
            let (who, name) = (if matches!(reader, LayerReader::Mask(_)) { "mask" } else { "layer" }, source.name());
            let map = missing(reference.data, &source.scene, source.scene.layers.len());
            if let Some(map) = map.filter(|_| reference.reads == Reads::Data) {
                idle.push(format!("the {who} reads the {map} map of {name}, which has no such map"));
            }
            if source.mask().is_some_and(|layer| !source.scene.layers[layer].mask.is_active()) {
                idle.push(format!(
                    "the {who} reads the mask of {name}, which has no mask, so the value is 1 everywhere"
                ));
            }
        }
        idle
    }

    /// The files to which the scene refers, each once, in layer order. They are heightmaps and pictures of nodes, masks
    /// and constructions, faces of planets, other scenes that layers read, textures of ground materials, and the planet
    /// of which the scene is a patch. Built-in stamps are not listed.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut names: Vec<String> = Vec::new();
        if let Some(origin) = self.patch.as_ref().filter(|origin| origin.names_a_file()) {
            names.push(origin.planet.clone());
        }
        for layer in &self.layers {
            let epochs = layer.epochs.iter().map(|epoch| epoch.node.params());
            for group in [layer.node.params(), &layer.mask].into_iter().chain(epochs) {
                names.extend(named_files(group, is_file));
                for (_, tree) in structured::<Tree>(group) {
                    names.extend(tree.image_files().into_iter().map(|file| file.0.clone()));
                }
                for (_, strokes) in structured::<Strokes>(group) {
                    names.extend(strokes.image_files().map(|file| file.0.clone()).filter(|name| !name.is_empty()));
                }
            }
            names.extend(layer.node.file_dependencies());
        }
        names.extend(self.materials.iter().flat_map(|rules| rules.files()).map(String::from));
        let mut files: Vec<PathBuf> = Vec::new();
        for name in names.into_iter().filter(|name| !is_built_in(name)) {
            let path = PathBuf::from(name);
            if !files.contains(&path) {
                files.push(path);
            }
        }
        files
    }

    /// Makes relative paths absolute, starting from `folder`.
    pub(crate) fn resolve_files(&mut self, folder: &Path) {
        self.each_file(|path| (!is_rooted(path)).then(|| absolute_name(folder, path)));
    }

    /// Makes absolute paths relative to `folder`. Paths that share too few folders with `folder` stay absolute.
    pub(super) fn shorten_files(&mut self, folder: &Path) {
        self.each_file(|path| relative_path(folder, path));
    }

    /// Makes absolute paths relative to `folder`, or cuts them to the name of the file. No absolute path stays, because
    /// it would tell others the user's name and folders.
    pub(crate) fn without_absolute_paths(mut self, folder: &Path) -> Self {
        self.each_file(
            |path| {
                if is_rooted(path) { relative_path(folder, path).or_else(|| last_name(path)) } else { None }
            },
        );
        self
    }

    /// Changes the paths of the files to which the scene refers. The function returns `None` for paths that stay.
    pub(super) fn each_file(&mut self, change: impl Fn(&Path) -> Option<PathBuf>) {
        if let Some(origin) = self.patch.as_mut().filter(|origin| origin.names_a_file())
            && let Some(text) = rewritten_name(&origin.planet, &change)
        {
            origin.planet = text;
        }
        if let Some(rules) = self.materials.as_mut().filter(|rules| rules.files().next().is_some()) {
            Arc::make_mut(rules).each_file(|name| rewritten_name(name, &change));
        }
        for layer in &mut self.layers {
            let epochs = layer.epochs.iter_mut().map(|epoch| epoch.node.params_mut());
            for group in [layer.node.params_mut(), &mut layer.mask].into_iter().chain(epochs) {
                for index in params_of(group, is_file) {
                    let Value::Text(name) = group.get(index) else { continue };
                    if let Some(text) = rewritten_name(&name, &change) {
                        let _ = group.set(index, &Value::Text(text));
                    }
                }
                for (index, tree) in structured::<Tree>(group) {
                    let mut made = Tree::clone(&tree);
                    for (_, root) in made.roots_mut() {
                        root.visit_mut(&mut |piece| {
                            for file in piece.image_files_mut() {
                                if let Some(text) = rewritten_name(&file.0, &change) {
                                    file.0 = text;
                                }
                            }
                        });
                    }
                    if made != *tree {
                        let _ = group.set(index, &Value::Structured(Arc::new(made)));
                    }
                }
                for (index, strokes) in structured::<Strokes>(group) {
                    let mut made = Strokes::clone(&strokes);
                    for stroke in made.list_mut() {
                        if let Some(text) = rewritten_name(&stroke.brush.image.0, &change) {
                            let image = ImageFile(text);
                            *stroke = Arc::new(stroke.with_brush(Brush { image, ..stroke.brush.clone() }));
                        }
                    }
                    if made != *strokes {
                        let _ = group.set(index, &Value::Structured(Arc::new(made)));
                    }
                }
            }
        }
    }
}

/// Reads a list of material rules from a file. Relative names of textures start at the folder of the file.
///
/// # Errors
/// When the file cannot be read, or names textures outside its folder that the user has not permitted.
pub fn load_material_rules(path: &Path) -> Result<MaterialRules, RuleListError> {
    let mut rules = MaterialRules::load(path)?;
    let folder = folder_of(path);
    let absolute = |name: &Path| (!is_rooted(name)).then(|| absolute_name(&folder, name));
    rules.each_file(|name| rewritten_name(name, &absolute));
    let files: Vec<PathBuf> = rules.files().map(PathBuf::from).collect();
    check_paths(path, &files, PathUse::Read).map_err(|error| RuleListError::Read {
        list: MaterialRules::TITLE,
        name: path.display().to_string(),
        message: error.to_string(),
    })?;
    Ok(rules)
}

/// Writes a list of material rules to a file. Textures below the folder of the file get relative names, so that the
/// folder can be moved.
///
/// # Errors
/// When the file cannot be written.
pub fn save_material_rules(rules: &MaterialRules, to: &SaveTarget) -> Result<(), FileError> {
    let mut portable = rules.clone();
    let folder = folder_of(to.path());
    portable.each_file(|name| rewritten_name(name, &|path| relative_path(&folder, path)));
    portable.save(to)?;
    let files: Vec<PathBuf> = rules.files().map(PathBuf::from).collect();
    permit_paths(to.path(), &files, PathUse::Read);
    Ok(())
}

/// The absolute path of a file with the absolute or relative `name` in a scene of `folder`, without `..`.
pub(crate) fn absolute_name(folder: &Path, name: &Path) -> PathBuf {
    let path = folder.join(name);
    if path.components().any(|part| part == Component::ParentDir) { resolved(&path) } else { path }
}

/// Number of folders that a file outside a folder must share with it to get a relative path. A path up to `/home` and
/// down again would contain the name of a user.
const LEAST_SHARED: usize = 2;

/// The relative path from `folder` to `file`, which are both absolute. `None` if the file is relative, or the two paths
/// share too few folders.
pub fn relative_path(folder: &Path, file: &Path) -> Option<PathBuf> {
    if let Ok(inside) = file.strip_prefix(folder) {
        let inside = PathBuf::from(inside);
        return Some(if inside.as_os_str().is_empty() { ".".into() } else { inside });
    }
    let shared: Vec<_> =
        folder.components().zip(file.components()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    if shared.iter().filter(|part| matches!(part, Component::Normal(_))).count() < LEAST_SHARED {
        return None;
    }
    let up = folder.components().skip(shared.len()).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(file.components().skip(shared.len())).collect();
    // If the folder is a symbolic link, `..` leads to the parent of the folder that the link names.
    (resolved(&folder.join(&way)) == resolved(file)).then_some(way)
}

/// The file name after `change`, if it differs from `name`.
fn rewritten_name(name: &str, change: &impl Fn(&Path) -> Option<PathBuf>) -> Option<String> {
    if name.is_empty() || is_built_in(name) {
        return None;
    }
    Some(portable_text(&change(Path::new(name))?))
}

/// The construction trees or the brush strokes of a parameter group, with the indices of their parameters.
fn structured<T: StructuredValue>(group: &dyn Params) -> Vec<(usize, Arc<T>)> {
    (0..group.about().params.len()).filter_map(|k| Some((k, group.get(k).structured()?))).collect()
}

/// Messages about unreadable stamp pictures in the strokes of a layer, each once.
fn stroke_problems(layer: &Layer) -> Vec<String> {
    let painted: &[&dyn Params] = if layer.mask.by_paint { &[&layer.mask] } else { &[] };
    let groups = painted.iter().copied().chain([layer.node.params()]);
    let strokes = groups.flat_map(structured::<Strokes>);
    let mut problems = Vec::new();
    for (_, strokes) in strokes {
        let unread = strokes.image_files().filter_map(|file| raster(&file.0).err());
        problems.extend(unread.map(|error| error.to_string()));
    }
    problems.sort();
    problems.dedup();
    problems
}

/// Names of the images to which a parameter group refers.
fn image_names(group: &dyn Params) -> Vec<String> {
    named_files(group, |kind| *kind == ParamKind::Image)
}

/// Names of the files to which the parameters of a group with an accepted kind refer.
fn named_files(group: &dyn Params, is_accepted: fn(&ParamKind) -> bool) -> Vec<String> {
    let text = |index| match group.get(index) {
        Value::Text(name) if !name.is_empty() => Some(name),
        _ => None,
    };
    params_of(group, is_accepted).into_iter().filter_map(text).collect()
}

/// Indices of the parameters of an accepted kind.
fn params_of(group: &dyn Params, is_accepted: fn(&ParamKind) -> bool) -> Vec<usize> {
    let params = &group.about().params;
    (0..params.len()).filter(|&k| is_accepted(&params[k].kind)).collect()
}

/// Whether parameters of this kind name a file.
fn is_file(kind: &ParamKind) -> bool {
    matches!(kind, ParamKind::Image | ParamKind::Scene)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::Node;
    use crate::scene::{Layer, PatchOrigin, SceneError};

    #[test]
    fn files_move_with_the_folder_of_the_scene() {
        let folder = tempfile::tempdir().unwrap();
        let name = |scene: &Scene| scene.layers[0].node.params().get(0);
        let mut scene = Scene { layers: vec![Layer::new(Node::named("Import").unwrap(), 1)], ..Scene::default() };
        let inside = folder.path().join("maps/dem.png");
        scene.set(&format!("1.file={}", inside.display())).unwrap();
        let path = folder.path().join("a.ron");
        scene.save(&path).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().contains("\"maps/dem.png\""));
        let (read, _) = Scene::load(&path).unwrap();
        assert_eq!(name(&read), name(&scene));
        let moved = tempfile::tempdir().unwrap();
        std::fs::copy(&path, moved.path().join("a.ron")).unwrap();
        let (read, _) = Scene::load(&moved.path().join("a.ron")).unwrap();
        assert_eq!(name(&read), Value::Text(moved.path().join("maps/dem.png").display().to_string()));
        // A file outside the scene's folder gets a relative path if both share a parent folder, which can then be moved
        // as a whole.
        let own = folder.path().join("project/scenes");
        std::fs::create_dir_all(&own).unwrap();
        scene.set(&format!("1.file={}", folder.path().join("project/maps/dem.png").display())).unwrap();
        scene.save(own.join("a.ron")).unwrap();
        assert!(std::fs::read_to_string(own.join("a.ron")).unwrap().contains("\"../maps/dem.png\""));
        assert_eq!(name(&Scene::load(&own.join("a.ron")).unwrap().0), name(&scene));
        let textures = format!(
            "[(material: Rock, textures: (albedo: \"{}\", metres: 2))]",
            folder.path().join("rock/albedo.png").display()
        );
        let rules = MaterialRules::from_ron("rock", &textures).unwrap();
        let textured = Scene { materials: Some(Arc::new(rules)), ..Scene::default() };
        let textured_path = folder.path().join("textured.ron");
        textured.save(&textured_path).unwrap();
        assert!(std::fs::read_to_string(&textured_path).unwrap().contains("\"rock/albedo.png\""));
        assert_eq!(Scene::load(&textured_path).unwrap().0.materials, textured.materials);
        for elsewhere in ["/elsewhere/dem.png", "stamp:mesa"] {
            scene.set(&format!("1.file={elsewhere}")).unwrap();
            scene.save(&path).unwrap();
            assert_eq!(name(&Scene::load(&path).unwrap().0), Value::Text(elsewhere.into()));
        }
    }

    #[test]
    fn lists_of_rules_find_textures_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rock.ron");
        let albedo = folder.path().join("rock/albedo.png").display().to_string();
        let text = format!("[(material: Rock, textures: (albedo: \"{albedo}\", metres: 2))]");
        let rules = MaterialRules::from_ron("rock", &text).unwrap();
        save_material_rules(&rules, &SaveTarget::new(&path)).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().contains("\"rock/albedo.png\""));
        assert_eq!(load_material_rules(&path).as_ref(), Ok(&rules));
        let elsewhere = folder.path().join("stranger.ron");
        std::fs::write(&elsewhere, "[(material: Rock, textures: (albedo: \"/elsewhere/a.png\", metres: 2))]").unwrap();
        assert!(load_material_rules(&elsewhere).unwrap_err().to_string().contains("/elsewhere/a.png"));
    }

    #[test]
    fn paths_to_the_home_of_a_user_are_never_relative() {
        let path = |folder: &str, file: &str| relative_path(Path::new(folder), Path::new(file));
        assert_eq!(path("/home/ada/a", "/home/ada/b/dem.png"), Some("../b/dem.png".into()));
        assert_eq!(path("/home/ada/a", "/home/ada/a/b/dem.png"), Some("b/dem.png".into()));
        for (folder, file) in [("/tmp", "/home/ada/dem.png"), ("/home/bob", "/home/ada/dem.png"), ("/a/b", "dem.png")] {
            assert_eq!(path(folder, file), None);
        }
    }

    #[test]
    fn scenes_of_others_read_only_below_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own/a.ron");
        std::fs::create_dir(folder.path().join("own")).unwrap();
        let refused = |layers: &str| {
            let text = format!("(version: 1, settings: (), layers: [{layers}])");
            std::fs::write(&path, text).unwrap();
            match Scene::load(&path) {
                Err(SceneError::Outside(error)) => error.paths.len(),
                Ok(_) => 0,
                Err(error) => panic!("{error}"),
            }
        };
        let import = |file: &str| format!("(node: Import(file: \"{file}\"))");
        for inside in ["dem.png", "maps/dem.png", "maps/../dem.png", "stamp:mesa"] {
            assert_eq!(refused(&import(inside)), 0, "{inside}");
        }
        // Drives and servers of Windows are outside on every system.
        let windows = ["C:/dem.png", "C:dem.png", r"C:\\dem.png", r"\\\\server\\share\\dem.png", r"\\dem.png"];
        for outside in ["../dem.png", "/etc/hostname", "maps/../../dem.png"].into_iter().chain(windows) {
            assert_eq!(refused(&import(outside)), 1, "{outside}");
            let masked = format!("(node: Perlin(), mask: (by_image: true, image: \"{outside}\"))");
            assert_eq!(refused(&masked), 1, "{outside} in a mask");
            let hidden = format!("(enabled: false, node: Import(file: \"{outside}\"))");
            assert_eq!(refused(&hidden), 1, "{outside} in a hidden layer");
            let rule = format!("(material: Rock, textures: (albedo: \"{outside}\", metres: 2))");
            let text = format!("(version: 1, settings: (), materials: [{rule}], layers: [])");
            std::fs::write(&path, text).unwrap();
            assert!(matches!(Scene::load(&path), Err(SceneError::Outside(_))), "{outside} in a material rule");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc", path.with_file_name("maps")).unwrap();
            assert_eq!(refused(&import("maps/hostname")), 1, "a link leads outside");
        }
    }

    #[test]
    fn a_patch_finds_its_planet_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let origin = |planet: &str| PatchOrigin { planet: planet.into(), longitude: 12.5, latitude: -46.0 };
        let path = folder.path().join("a.ron");
        let beside = folder.path().join("earth.ron").display().to_string();
        for (planet, written) in [(beside.as_str(), "\"earth.ron\""), ("earthlike", "\"earthlike\"")] {
            let scene = Scene { patch: Some(origin(planet)), ..Scene::default() };
            scene.save(&path).unwrap();
            assert!(std::fs::read_to_string(&path).unwrap().contains(written));
            assert_eq!(Scene::load(&path).unwrap().0.patch, scene.patch);
        }
        let text = Scene { patch: Some(PatchOrigin { latitude: 91.0, ..origin("x.ron") }), ..Scene::default() }
            .to_ron()
            .unwrap();
        let (scene, warnings) = Scene::from_ron(&text).unwrap();
        assert!(scene.patch.is_none() && warnings.len() == 1);
    }

    #[test]
    fn a_mask_that_reads_nothing_is_reported() {
        let layer = |name: &str| Layer::new(Node::named(name).unwrap(), 1);
        let mut scene = Scene { layers: vec![layer("Perlin"), layer("Blur")], ..Scene::default() };
        let idle = |scene: &Scene| scene.problems().iter().filter(|p| p.severity == Severity::Idle).count();
        scene.layers[1].mask.by_image = true;
        scene.layers[1].mask.by_layer = true;
        (scene.layers[1].mask.by_data, scene.layers[1].mask.data) = (true, MapKind::Wear);
        assert_eq!(idle(&scene), 3);
        scene.layers[1].mask.by_image = false;
        scene.layers[1].mask.layer.0 = scene.layers[0].name.clone();
        assert_eq!(idle(&scene), 1, "the layer has a height but no wear map");
        scene.layers[1].mask.data = MapKind::Flow;
        assert_eq!(idle(&scene), 0, "the flow follows from the heights");
        scene.layers[1].mask.layer_reads = Reads::Data;
        assert_eq!(idle(&scene), 1, "a reference reads only maps that a layer writes");
        scene.layers.insert(1, layer("FlowAccumulation"));
        assert_eq!(idle(&scene), 1, "the noise still has no flow");
        scene.layers[2].mask.layer.0 = scene.layers[1].name.clone();
        assert_eq!(idle(&scene), 0);
        scene.layers[1].enabled = false;
        assert_eq!(idle(&scene), 0, "a hidden layer can be read, and the flow below follows from the heights");
    }

    #[test]
    fn masks_follow_a_renamed_layer() {
        let layer = |name: &str| Layer { name: name.into(), ..Layer::new(Node::named("Perlin").unwrap(), 1) };
        let mut scene = Scene { layers: vec![layer("Old"), layer("Top")], ..Scene::default() };
        scene.layers[1].mask.by_layer = true;
        scene.layers[1].mask.layer.0 = "Old".into();
        let source = |scene: &Scene| scene.source(LayerReader::Mask(1)).unwrap().unwrap().own_layer();
        assert_eq!(source(&scene), Some(0));
        scene.layers[0].name = "New".into();
        scene.follow_rename("Old", "New");
        assert_eq!((source(&scene), scene.readable_layers(LayerReader::Mask(1))), (Some(0), vec!["New".to_string()]));
    }
}

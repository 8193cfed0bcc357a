//! Lists the differences between two scenes, parameter by parameter, in words.
//!
//! Layers of both scenes are matched by name and node, then by name, then by node and seed. Layers without a match were
//! added or removed. A layer has moved if its order relative to the other matched layers differs. If several sets of
//! moves are possible, the list contains the smallest set.

use serde::Serialize;

use super::{Layer, Scene};
use crate::param::{ParamKind, ParamSpec, Params, Value};

/// The kind of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A layer that only the second scene has.
    Added,
    /// A layer that only the first scene has.
    Removed,
    /// A layer whose order relative to the other matched layers differs.
    Moved,
    /// A layer whose name differs.
    Renamed,
    /// A parameter or another property whose value differs.
    Changed,
}

/// One difference between two scenes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SceneChange {
    /// Owner of the changed value: `scene`, `planet`, `climate`, `biomes`, `materials`, `scatter`, or the name of a
    /// layer (its name in the first scene, or in the second scene if the layer was added).
    pub owner: String,
    /// Whether the owner is a layer.
    pub is_layer: bool,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// Name of the parameter, as in `--set`, or of another property such as `name` or `palette`; empty for a layer that
    /// was added or removed.
    pub param: String,
    /// The old value as text; empty if there was no value.
    pub from: String,
    /// The new value as text; empty if there is no value.
    pub to: String,
    /// Unit of both values; empty if the values have no unit.
    pub unit: String,
}

impl SceneChange {
    /// Describes the difference in a sentence.
    pub fn text(&self) -> String {
        let Self { owner, from, to, param, .. } = self;
        let owner = if self.is_layer { format!("layer `{owner}`") } else { owner.clone() };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        match self.kind {
            ChangeKind::Added => format!("{owner}: added, {to}"),
            ChangeKind::Removed => format!("{owner}: removed, was {from}"),
            ChangeKind::Moved => format!("{owner}: moved from position {from} to {to}"),
            ChangeKind::Renamed => format!("{owner}: renamed to `{to}`"),
            ChangeKind::Changed => {
                let or_none = |text: &str| if text.is_empty() { "none".to_string() } else { format!("{text}{unit}") };
                format!("{owner}: {param} {} → {}", or_none(from), or_none(to))
            }
        }
    }
}

/// All differences of `second` from `first`: settings, planet, palette, climate, then the layers from the lowest to the
/// highest.
pub fn scene_changes(first: &Scene, second: &Scene) -> Vec<SceneChange> {
    let mut list = ChangeList::default();
    list.value("scene", "name", &first.name, &second.name);
    list.params("scene", &first.settings, &second.settings);
    if first.is_planet() || second.is_planet() {
        list.params("planet", &first.planet, &second.planet);
    }
    list.value("scene", "palette", &first.palette, &second.palette);
    if first.own_palette != second.own_palette {
        let words = |scene: &Scene| match &scene.own_palette {
            None => "none".to_string(),
            Some(palette) => format!("“{}”", palette.label),
        };
        let (mut one, two) = (words(first), words(second));
        if one == two {
            one += " (other contents)";
        }
        list.value("scene", "own palette", &one, &two);
    }
    match (&first.climate, &second.climate) {
        (None, None) => {}
        (Some(one), Some(two)) => list.params("climate", one, two),
        (None, Some(_)) => list.value("climate", "climate", "from the biome table", "custom"),
        (Some(_), None) => list.value("climate", "climate", "custom", "from the biome table"),
    }
    if first.biomes != second.biomes {
        let words = |scene: &Scene| match &scene.biomes {
            None => "the shipped table".to_string(),
            Some(table) => format!("a custom table with {} ground types", table.types.len()),
        };
        let (mut one, two) = (words(first), words(second));
        if one == two {
            one += " (other contents)";
        }
        list.value("biomes", "table", &one, &two);
    }
    if first.materials != second.materials {
        list.rules("materials", [&first.materials, &second.materials].map(|own| own.as_ref().map(|own| own.0.len())));
    }
    if first.scatter != second.scatter {
        list.rules("scatter", [&first.scatter, &second.scatter].map(|own| own.as_ref().map(|own| own.0.len())));
    }
    if first.patch != second.patch {
        let words = |scene: &Scene| {
            scene.patch.as_ref().map_or(String::new(), |origin| {
                format!("{} at longitude {}°, latitude {}°", origin.planet, origin.longitude, origin.latitude)
            })
        };
        list.value("scene", "region of", &words(first), &words(second));
    }
    let builds = |scene: &Scene| scene.builds.iter().map(|build| build.name.clone()).collect::<Vec<_>>().join(", ");
    list.value("scene", "build presets", &builds(first), &builds(second));
    for build in &first.builds {
        let other = second.builds.iter().find(|other| other.name == build.name);
        if other.is_some_and(|other| other != build) {
            list.value("scene", &format!("build preset `{}`", build.name), "old settings", "new settings");
        }
    }
    let places = |scene: &Scene| {
        let words = scene.bookmarks.iter().map(|bookmark| format!("{} {:?}", bookmark.name, bookmark.view()));
        words.collect::<Vec<_>>().join(", ")
    };
    list.value("scene", "camera bookmarks", &places(first), &places(second));
    list.layers(&first.layers, &second.layers);
    list.changes
}

#[derive(Default)]
struct ChangeList {
    changes: Vec<SceneChange>,
}

impl ChangeList {
    fn push(&mut self, layer: &Layer, kind: ChangeKind, from: String, to: String) {
        self.changes.push(SceneChange {
            owner: layer.name.clone(),
            is_layer: true,
            kind,
            param: String::new(),
            from,
            to,
            unit: String::new(),
        });
    }

    /// Compares two lists of rules by the number of rules that each scene defines itself.
    fn rules(&mut self, owner: &str, counts: [Option<usize>; 2]) {
        let [mut one, two] = counts.map(|count| match count {
            None => "from the palette".to_string(),
            Some(count) => format!("{count} custom"),
        });
        if one == two {
            one += " (other contents)";
        }
        self.value(owner, "rules", &one, &two);
    }

    fn value(&mut self, owner: &str, param: &str, from: &str, to: &str) {
        if from != to {
            self.changes.push(SceneChange {
                owner: owner.into(),
                is_layer: false,
                kind: ChangeKind::Changed,
                param: param.into(),
                from: from.into(),
                to: to.into(),
                unit: String::new(),
            });
        }
    }

    /// Compares two parameter groups of the same type.
    fn params(&mut self, owner: &str, one: &dyn Params, two: &dyn Params) {
        for (index, spec) in one.about().params.iter().enumerate() {
            let (from, to) = (one.get(index), two.get(index));
            if from != to {
                let (from, to) = differing_texts(spec, &from, &to);
                self.value(owner, spec.name, &from, &to);
                if let Some(change) = self.changes.last_mut() {
                    change.unit = spec.unit.into();
                }
            }
        }
    }

    fn layers(&mut self, first: &[Layer], second: &[Layer]) {
        let partners = partners(first, second);
        let moved = moved(&partners);
        for (index, layer) in first.iter().enumerate() {
            let Some(other) = partners[index] else {
                self.push(layer, ChangeKind::Removed, description(layer, index), String::new());
                continue;
            };
            let now = &second[other];
            if layer.name != now.name {
                self.push(layer, ChangeKind::Renamed, layer.name.clone(), now.name.clone());
            }
            if moved.contains(&index) {
                self.push(layer, ChangeKind::Moved, (index + 1).to_string(), (other + 1).to_string());
            }
            let begin = self.changes.len();
            self.layer(layer, now);
            self.changes[begin..].iter_mut().for_each(|change| change.is_layer = true);
        }
        for (index, layer) in second.iter().enumerate().filter(|(index, _)| !partners.contains(&Some(*index))) {
            self.push(layer, ChangeKind::Added, String::new(), description(layer, index));
        }
    }

    /// Compares a layer with its counterpart in the second scene.
    fn layer(&mut self, was: &Layer, now: &Layer) {
        let owner = was.name.as_str();
        let shown = |is_shown: bool| if is_shown { "shown" } else { "hidden" };
        self.value(owner, "layer", shown(was.enabled), shown(now.enabled));
        let guard = |is_locked: bool| if is_locked { "locked" } else { "unlocked" };
        self.value(owner, "lock", guard(was.locked), guard(now.locked));
        self.value(owner, "group depth", &was.depth.to_string(), &now.depth.to_string());
        self.value(owner, "note", &was.note, &now.note);
        self.value(owner, "seed", &was.seed.to_string(), &now.seed.to_string());
        if was.node.about().name == now.node.about().name {
            self.params(owner, was.node.params(), now.node.params());
        } else {
            self.value(owner, "node", was.node.about().label, now.node.about().label);
        }
        let past = |layer: &Layer| {
            let words = layer.epochs.iter().map(|epoch| {
                format!("{} iterations of {}", epoch.iterations, ron::to_string(&epoch.node).unwrap_or_default())
            });
            words.collect::<Vec<_>>().join(", then ")
        };
        self.value(owner, "earlier parameters", &past(was), &past(now));
        self.value(owner, "branch", &was.branch.to_string(), &now.branch.to_string());
        self.params(owner, &was.mix, &now.mix);
        self.params(owner, &was.mask, &now.mask);
    }
}

fn description(layer: &Layer, index: usize) -> String {
    format!("{} at position {}", layer.node.about().label, index + 1)
}

/// Maximum number of characters of a value that is shown in full.
const MAX_VALUE_CHARS: usize = 100;

/// Texts for two different values, shortened so that the difference stays visible.
fn differing_texts(spec: &ParamSpec, from: &Value, to: &Value) -> (String, String) {
    let words = |value: &Value| match (value, &spec.kind) {
        (Value::Choice(k), ParamKind::Choice(options)) => options.get(*k).map_or("?", |o| o.label).to_string(),
        (Value::Bool(is_on), _) => if *is_on { "on" } else { "off" }.to_string(),
        _ => spec.show(value),
    };
    let (from, to) = (words(from), words(to));
    let longest = from.chars().count().max(to.chars().count());
    if longest <= MAX_VALUE_CHARS {
        return (from, to);
    }
    // Long texts are cut shortly before their first difference, because readers look for the difference.
    let same = from.chars().zip(to.chars()).take_while(|(a, b)| a == b).count();
    let begin = same.saturating_sub(MAX_VALUE_CHARS / 4);
    let part = |text: &str| {
        let cut: String = text.chars().skip(begin).take(MAX_VALUE_CHARS).collect();
        let [before, after] =
            [begin > 0, text.chars().count() > begin + MAX_VALUE_CHARS].map(|cut| if cut { "…" } else { "" });
        format!("{before}{cut}{after}")
    };
    (part(&from), part(&to))
}

/// For each layer of the first stack, the index of the matching layer in the second stack.
fn partners(first: &[Layer], second: &[Layer]) -> Vec<Option<usize>> {
    let mut partners = vec![None; first.len()];
    let mut taken = vec![false; second.len()];
    fn kind(layer: &Layer) -> &str {
        layer.node.about().name
    }
    let rules: [fn(&Layer, &Layer) -> bool; 4] = [
        |a, b| a.name == b.name && kind(a) == kind(b),
        |a, b| a.name == b.name,
        |a, b| kind(a) == kind(b) && a.seed == b.seed && a.node == b.node,
        |a, b| kind(a) == kind(b) && a.seed == b.seed,
    ];
    for is_same in rules {
        for (index, layer) in first.iter().enumerate() {
            if partners[index].is_some() {
                continue;
            }
            let found = (0..second.len()).find(|&k| !taken[k] && is_same(layer, &second[k]));
            if let Some(found) = found {
                (partners[index], taken[found]) = (Some(found), true);
            }
        }
    }
    partners
}

/// The smallest set of layers that must move to turn the first order into the second order.
fn moved(partners: &[Option<usize>]) -> Vec<usize> {
    let places: Vec<(usize, usize)> = partners.iter().enumerate().filter_map(|(k, p)| Some((k, (*p)?))).collect();
    // The layers of the longest increasing subsequence keep their place; all other layers move.
    let mut best: Vec<(usize, Option<usize>)> = Vec::with_capacity(places.len());
    for (k, &(_, place)) in places.iter().enumerate() {
        let before = (0..k).filter(|&b| places[b].1 < place).max_by_key(|&b| (best[b].0, std::cmp::Reverse(b)));
        best.push((before.map_or(1, |b| best[b].0 + 1), before));
    }
    let mut stays = vec![false; places.len()];
    let mut at = (0..places.len()).max_by_key(|&k| (best[k].0, std::cmp::Reverse(k)));
    while let Some(k) = at {
        stays[k] = true;
        at = best[k].1;
    }
    places.iter().zip(stays).filter(|(_, stays)| !stays).map(|((index, _), _)| *index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appearance_files::Palette;
    use crate::nodes::Node;

    fn scene(names: &[(&str, &str)]) -> Scene {
        let layer = |(k, (name, node)): (usize, &(&str, &str))| Layer {
            name: (*name).into(),
            ..Layer::new(Node::named(node).unwrap(), k as u32 + 1)
        };
        Scene { layers: names.iter().enumerate().map(layer).collect(), ..Scene::default() }
    }

    fn texts(a: &Scene, b: &Scene) -> Vec<String> {
        scene_changes(a, b).iter().map(SceneChange::text).collect()
    }

    #[test]
    fn changed_values_are_listed_with_their_units() {
        let one = scene(&[("Hills", "Perlin"), ("Slopes", "Thermal")]);
        assert!(texts(&one, &one).is_empty());
        let mut two = one.clone();
        for change in ["scene.relief_metres=900", "Hills.octaves=3", "2.opacity=0.5", "1.by_slope=true"] {
            two.set(change).unwrap();
        }
        two.palette = "desert".into();
        two.own_palette = Some(Palette::named_or_default("lunar").clone().into());
        two.layers[1].enabled = false;
        let octaves = one.layers[0].node.params().get(one.layers[0].node.about().find("octaves").unwrap());
        let Value::Int(octaves) = octaves else { panic!("a whole number") };
        let said = texts(&one, &two);
        assert_eq!(said[0], "scene: relief_metres 1800 m → 900 m");
        assert!(said[1].starts_with("scene: palette ") && said[1].ends_with("→ desert"), "{said:?}");
        assert_eq!(said[2], "scene: own palette none → “Lunar”");
        assert_eq!(said[3], format!("layer `Hills`: octaves {octaves} → 3"));
        assert_eq!(said[4], "layer `Hills`: by_slope off → on");
        assert_eq!(&said[5..], ["layer `Slopes`: layer shown → hidden", "layer `Slopes`: opacity 1 → 0.5"]);
    }

    #[test]
    fn added_removed_moved_and_renamed_layers_are_distinguished() {
        let one = scene(&[("A", "Perlin"), ("B", "Billow"), ("C", "Blur"), ("D", "Terrace")]);
        let mut two = one.clone();
        let first = two.layers.remove(0);
        two.layers.push(first);
        two.layers[1].name = "Soft".into();
        two.layers.remove(2);
        two.layers.push(Layer::new(Node::named("Clamp").unwrap(), 77));
        assert_eq!(
            texts(&one, &two),
            [
                "layer `A`: moved from position 1 to 3".to_string(),
                "layer `C`: renamed to `Soft`".into(),
                "layer `D`: removed, was Terraces at position 4".replace("Terraces", one.layers[3].node.about().label),
                format!("layer `{0}`: added, {0} at position 4", two.layers[3].node.about().label),
            ]
        );
    }

    #[test]
    fn long_values_are_shown_from_where_they_differ() {
        let mut one = scene(&[("Dem", "Import")]);
        let mut two = one.clone();
        let folder = "folder/".repeat(40);
        one.set(&format!("1.file={folder}a.png")).unwrap();
        two.set(&format!("1.file={folder}b.png")).unwrap();
        let changes = scene_changes(&one, &two);
        assert!(changes.len() == 1 && changes[0].from.ends_with("a.png") && changes[0].to.ends_with("b.png"));
        assert!(changes[0].from.starts_with('…') && changes[0].from.chars().count() < 110, "{:?}", changes[0]);
    }
}

//! How two scenes differ, parameter by parameter, in words.
//!
//! Layers find each other by name and node, then by name, then by node and seed; what is left was added or removed. A
//! layer has moved where its order among those that both scenes have is another one: of several ways to tell it the one
//! with the fewest moves is told.

use serde::Serialize;

use super::{Layer, Scene};
use crate::param::{ParamKind, ParamSpec, Params, Value};

/// What a difference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A layer of the second scene that the first has not.
    Added,
    /// A layer of the first scene that the second has not.
    Removed,
    /// A layer that stands elsewhere in the stack.
    Moved,
    /// A layer of another name.
    Renamed,
    /// A value is another one.
    Changed,
}

/// One difference between two scenes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SceneChange {
    /// What has changed: `scene`, `planet`, `climate`, `biomes`, `materials`, `scatter`, or a layer by its name in the
    /// first scene (of an added one in the second).
    pub owner: String,
    /// Whether the owner is a layer.
    pub is_layer: bool,
    /// How.
    pub kind: ChangeKind,
    /// Name of the parameter, as `--set` takes it, or what else it is, such as `name` and `palette`; empty of a layer
    /// that was added or removed.
    pub param: String,
    /// The value before, in words; empty where there was none.
    pub from: String,
    /// The value now, in words; empty where there is none.
    pub to: String,
    /// Unit of both values; empty where they have none.
    pub unit: String,
}

impl SceneChange {
    /// The difference as a sentence.
    pub fn text(&self) -> String {
        let Self { owner, from, to, param, .. } = self;
        let owner = if self.is_layer { format!("layer `{owner}`") } else { owner.clone() };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        match self.kind {
            ChangeKind::Added => format!("{owner}: added, {to}"),
            ChangeKind::Removed => format!("{owner}: removed, was {from}"),
            ChangeKind::Moved => format!("{owner}: moved from place {from} to {to}"),
            ChangeKind::Renamed => format!("{owner}: now called `{to}`"),
            ChangeKind::Changed => {
                let or_none = |text: &str| if text.is_empty() { "none".to_string() } else { format!("{text}{unit}") };
                format!("{owner}: {param} {} → {}", or_none(from), or_none(to))
            }
        }
    }
}

/// All differences of `second` from `first`: settings, planet, palette, climate, then the layers from the ground up.
pub fn scene_changes(first: &Scene, second: &Scene) -> Vec<SceneChange> {
    let mut list = ChangeList::default();
    list.value("scene", "name", &first.name, &second.name);
    list.params("scene", &first.settings, &second.settings);
    if first.settings.is_planet() || second.settings.is_planet() {
        list.params("planet", &first.planet, &second.planet);
    }
    list.value("scene", "palette", &first.palette, &second.palette);
    match (&first.climate, &second.climate) {
        (None, None) => {}
        (Some(one), Some(two)) => list.params("climate", one, two),
        (None, Some(_)) => list.value("climate", "climate", "that of the biome table", "its own"),
        (Some(_), None) => list.value("climate", "climate", "its own", "that of the biome table"),
    }
    if first.biomes != second.biomes {
        let words = |scene: &Scene| match &scene.biomes {
            None => "the shipped table".to_string(),
            Some(table) => format!("a table of its own with {} ground types", table.types.len()),
        };
        let (mut one, two) = (words(first), words(second));
        if one == two {
            one += ", another one";
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
        list.value("scene", "patch of", &words(first), &words(second));
    }
    let builds = |scene: &Scene| scene.builds.iter().map(|build| build.name.clone()).collect::<Vec<_>>().join(", ");
    list.value("scene", "build presets", &builds(first), &builds(second));
    for build in &first.builds {
        let other = second.builds.iter().find(|other| other.name == build.name);
        if other.is_some_and(|other| other != build) {
            list.value("scene", &format!("build preset `{}`", build.name), "as it was", "another one");
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

    /// Lists of rules that differ, by the number of rules that each scene has of its own.
    fn rules(&mut self, owner: &str, counts: [Option<usize>; 2]) {
        let [mut one, two] = counts.map(|count| match count {
            None => "those of the palette".to_string(),
            Some(count) => format!("{count} of its own"),
        });
        if one == two {
            one += ", other ones";
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

    /// Differences of two groups of the same kind.
    fn params(&mut self, owner: &str, one: &dyn Params, two: &dyn Params) {
        for (index, spec) in one.about().params.iter().enumerate() {
            let (from, to) = (one.get(index), two.get(index));
            if from != to {
                let (from, to) = words_of_both(spec, &from, &to);
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

    /// Differences of a layer and what became of it.
    fn layer(&mut self, was: &Layer, now: &Layer) {
        let owner = was.name.as_str();
        let shown = |is_shown: bool| if is_shown { "shown" } else { "hidden" };
        self.value(owner, "layer", shown(was.enabled), shown(now.enabled));
        let guard = |is_locked: bool| if is_locked { "locked" } else { "open" };
        self.value(owner, "guard", guard(was.locked), guard(now.locked));
        self.value(owner, "depth in groups", &was.depth.to_string(), &now.depth.to_string());
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
    format!("{} at place {}", layer.node.about().label, index + 1)
}

/// Longest value that is told as it is.
const LONGEST: usize = 100;

/// Two values that differ, in words that differ too.
fn words_of_both(spec: &ParamSpec, from: &Value, to: &Value) -> (String, String) {
    let words = |value: &Value| match (value, &spec.kind) {
        (Value::Choice(k), ParamKind::Choice(options)) => options.get(*k).map_or("?", |o| o.label).to_string(),
        (Value::Bool(is_on), _) => if *is_on { "on" } else { "off" }.to_string(),
        _ => spec.show(value),
    };
    let (from, to) = (words(from), words(to));
    let longest = from.chars().count().max(to.chars().count());
    if longest <= LONGEST {
        return (from, to);
    }
    // what follows from where they part is what people look for
    let same = from.chars().zip(to.chars()).take_while(|(a, b)| a == b).count();
    let begin = same.saturating_sub(LONGEST / 4);
    let part = |text: &str| {
        let cut: String = text.chars().skip(begin).take(LONGEST).collect();
        let [before, after] = [begin > 0, text.chars().count() > begin + LONGEST].map(|cut| if cut { "…" } else { "" });
        format!("{before}{cut}{after}")
    };
    (part(&from), part(&to))
}

/// For each layer of the first stack the one of the second that it became.
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

/// The fewest layers that have to be moved to put the others into their new order.
fn moved(partners: &[Option<usize>]) -> Vec<usize> {
    let places: Vec<(usize, usize)> = partners.iter().enumerate().filter_map(|(k, p)| Some((k, (*p)?))).collect();
    // the longest growing sequence stays where it is
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
    fn changed_values_are_told_with_their_units() {
        let one = scene(&[("Hills", "Perlin"), ("Slopes", "Thermal")]);
        assert!(texts(&one, &one).is_empty());
        let mut two = one.clone();
        for change in ["scene.relief_metres=900", "Hills.octaves=3", "2.opacity=0.5", "1.by_slope=true"] {
            two.set(change).unwrap();
        }
        two.palette = "desert".into();
        two.layers[1].enabled = false;
        let octaves = one.layers[0].node.params().get(one.layers[0].node.about().find("octaves").unwrap());
        let Value::Int(octaves) = octaves else { panic!("a whole number") };
        let said = texts(&one, &two);
        assert_eq!(said[0], "scene: relief_metres 1800 m → 900 m");
        assert!(said[1].starts_with("scene: palette ") && said[1].ends_with("→ desert"), "{said:?}");
        assert_eq!(said[2], format!("layer `Hills`: octaves {octaves} → 3"));
        assert_eq!(said[3], "layer `Hills`: by_slope off → on");
        assert_eq!(&said[4..], ["layer `Slopes`: layer shown → hidden", "layer `Slopes`: opacity 1 → 0.5"]);
    }

    #[test]
    fn layers_that_came_went_moved_and_were_renamed_are_told_apart() {
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
                "layer `A`: moved from place 1 to 3".to_string(),
                "layer `C`: now called `Soft`".into(),
                "layer `D`: removed, was Terraces at place 4".replace("Terraces", one.layers[3].node.about().label),
                format!("layer `{0}`: added, {0} at place 4", two.layers[3].node.about().label),
            ]
        );
    }

    #[test]
    fn long_values_are_shown_where_they_part() {
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

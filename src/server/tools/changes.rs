//! Changes of a scene.

use serde_json::{Map, Value};
use talweg::io::suggestion;
use talweg::nodes::Node;
use talweg::scene::{Layer, Scene};

/// The help of the list of changes.
pub(super) const HELP: &str = "Each change is one of {\"set\": \"LAYER.PARAM=VALUE\"}, also for scene.PARAM, \
    climate.PARAM and planet.PARAM; {\"add\": \"NODE\", \"name\": \"NAME\", \"above\": \"LAYER\"}, where a layer \
    without `above` becomes the highest and `above: \"\"` makes it the lowest; {\"remove\": \"LAYER\"}; \
    {\"rename\": \"LAYER\", \"to\": \"NAME\"}; {\"move\": \"LAYER\", \"above\": \"LAYER\"}; \
    {\"duplicate\": \"LAYER\"}; {\"name\": \"NAME OF THE SCENE\"}";

/// The keys of each kind of change; the first key names the kind.
const KINDS: &[&[&str]] = &[
    &["set"],
    &["add", "name", "above"],
    &["remove"],
    &["rename", "to"],
    &["move", "above"],
    &["duplicate"],
    &["name"],
];

/// Makes one change.
pub(super) fn apply(scene: &mut Scene, change: &Value) -> Result<(), String> {
    let change = change.as_object().ok_or("a change is an object")?;
    let kind = KINDS.iter().find(|keys| change.contains_key(keys[0]));
    let Some(kind) = kind else {
        let kinds: Vec<&str> = KINDS.iter().map(|keys| keys[0]).collect();
        return Err(format!("a change has one of the keys {}", kinds.join(", ")));
    };
    if let Some(key) = change.keys().find(|key| !kind.contains(&key.as_str())) {
        return Err(format!("`{key}` does not belong to a change with `{}`, which has {}", kind[0], kind.join(", ")));
    }
    let subject = text(change, kind[0])?.ok_or("a change needs a value")?;
    match kind[0] {
        "set" => scene.set(subject).map_err(|error| error.to_string()),
        "add" => add(scene, subject, text(change, "name")?, text(change, "above")?),
        "remove" => {
            let block = scene.block(found(scene, subject)?);
            scene.layers.drain(block);
            Ok(())
        }
        "rename" => rename(scene, subject, text(change, "to")?.ok_or("give the new name as `to`")?),
        "move" => move_block(scene, subject, text(change, "above")?.ok_or("give a layer as `above`")?),
        "duplicate" => duplicate(scene, subject),
        _ => {
            scene.name = subject.into();
            Ok(())
        }
    }
}

fn text<'a>(change: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, String> {
    let value = change.get(key).filter(|value| !value.is_null());
    value.map(|value| value.as_str().ok_or(format!("`{key}`: give a text"))).transpose()
}

fn found(scene: &Scene, layer: &str) -> Result<usize, String> {
    scene.find_layer(layer).map_err(|error| error.to_string())
}

/// The index above the layer `above`: above everything it contains. An empty text is the bottom of the stack.
fn index_above(scene: &Scene, above: Option<&str>) -> Result<(usize, u32), String> {
    match above {
        None => Ok((scene.layers.len(), 0)),
        Some("") => Ok((0, 0)),
        Some(layer) => {
            let index = found(scene, layer)?;
            Ok((index + 1, scene.layers[index].depth))
        }
    }
}

fn add(scene: &mut Scene, node: &str, name: Option<&str>, above: Option<&str>) -> Result<(), String> {
    let known = Node::catalogue();
    let is_it = |known: &&Node| [known.about().name, known.about().label].iter().any(|n| n.eq_ignore_ascii_case(node));
    let Some(new) = known.iter().find(is_it) else {
        let names: Vec<&str> = known.iter().map(|node| node.about().name).collect();
        return Err(format!("there is no node `{node}`: {}; describe_nodes lists them", suggestion(node, &names)));
    };
    let (index, depth) = index_above(scene, above)?;
    let mut layer = Layer::new(new.clone(), scene.unused_seed());
    layer.name = scene.unused_name(name.unwrap_or(new.about().label));
    if name.is_some_and(|name| name != layer.name) {
        return Err(format!("a layer called `{}` exists already", name.unwrap_or_default()));
    }
    layer.depth = depth;
    scene.layers.insert(index, layer);
    scene.clamp_depths();
    Ok(())
}

fn rename(scene: &mut Scene, layer: &str, to: &str) -> Result<(), String> {
    let index = found(scene, layer)?;
    if scene.layers.iter().enumerate().any(|(other, known)| other != index && known.name == to) {
        return Err(format!("a layer called `{to}` exists already"));
    }
    let old = std::mem::replace(&mut scene.layers[index].name, to.into());
    scene.follow_rename(&old, to);
    Ok(())
}

fn move_block(scene: &mut Scene, layer: &str, above: &str) -> Result<(), String> {
    let index = found(scene, layer)?;
    let block = scene.block(index);
    let target = if above.is_empty() { None } else { Some(found(scene, above)?) };
    if target.is_some_and(|target| block.contains(&target)) {
        return Err(format!("`{layer}` cannot be moved above itself"));
    }
    let moved: Vec<Layer> = scene.layers.drain(block.clone()).collect();
    let target = target.map(|target| if target >= block.end { target - moved.len() } else { target });
    let (at, depth) = target.map_or((0, 0), |target| (target + 1, scene.layers[target].depth));
    let own = moved.last().map_or(0, |top| top.depth);
    let moved = moved.into_iter().map(|mut layer| {
        layer.depth = layer.depth - own + depth;
        layer
    });
    scene.layers.splice(at..at, moved);
    scene.clamp_depths();
    Ok(())
}

fn duplicate(scene: &mut Scene, layer: &str) -> Result<(), String> {
    let block = scene.block(found(scene, layer)?);
    let mut copies = scene.layers[block.clone()].to_vec();
    for copy in &mut copies {
        copy.name = scene.unused_name(&copy.name);
        copy.branch = 0;
    }
    scene.layers.splice(block.end..block.end, copies);
    scene.clamp_depths();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn changed(changes: &[Value]) -> Result<Vec<String>, String> {
        let mut scene = Scene::default();
        for change in changes {
            apply(&mut scene, change)?;
        }
        Ok(scene.layers.into_iter().map(|layer| layer.name).collect())
    }

    #[test]
    fn layers_are_added_moved_renamed_copied_and_removed() {
        let added = [
            json!({ "add": "Perlin", "name": "Hills" }),
            json!({ "add": "Terraces", "name": "Steps" }),
            json!({ "add": "Perlin", "name": "Base", "above": "" }),
            json!({ "add": "Blur", "name": "Soft", "above": "Hills" }),
        ];
        assert_eq!(changed(&added).unwrap(), ["Base", "Hills", "Soft", "Steps"]);
        let further = |change: Value| changed(&[&added[..], &[change]].concat());
        assert_eq!(further(json!({ "move": "Base", "above": "Soft" })).unwrap(), ["Hills", "Soft", "Base", "Steps"]);
        assert_eq!(further(json!({ "move": "Steps", "above": "" })).unwrap(), ["Steps", "Base", "Hills", "Soft"]);
        assert_eq!(further(json!({ "rename": "2", "to": "Range" })).unwrap(), ["Base", "Range", "Soft", "Steps"]);
        assert_eq!(further(json!({ "remove": "Soft" })).unwrap(), ["Base", "Hills", "Steps"]);
        assert_eq!(further(json!({ "duplicate": "Hills" })).unwrap().len(), 5);
    }

    #[test]
    fn wrong_changes_are_refused_with_the_reason() {
        for (wrong, named) in [
            (json!({ "ad": "Perlin" }), "set, add"),
            (json!({ "add": "Perlni" }), "did you mean `Perlin`"),
            (json!({ "add": "Perlin", "below": "x" }), "`below`"),
            (json!({ "remove": "Nothing" }), "Nothing"),
            (json!({ "set": "Nothing.octaves=3" }), "Nothing"),
            (json!({ "add": 5 }), "give a text"),
        ] {
            assert!(changed(std::slice::from_ref(&wrong)).unwrap_err().contains(named), "{wrong}");
        }
        let twice = json!({ "add": "Perlin", "name": "Hills" });
        assert!(changed(&[twice.clone(), twice]).unwrap_err().contains("exists already"));
    }
}

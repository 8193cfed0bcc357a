//! Tools that list, read, write and change scenes, and describe nodes.

use serde_json::{Value, json};
use talweg::nodes::Node;
use talweg::param::{Params, description_json};
use talweg::scene::{Mask, Mix, Scene};

use super::{ToolAnswer, changes};
use crate::agent_work::{AgentWork, scene_description, scene_hash, text_hash};
use crate::arguments::Arguments;
use crate::scene_folder::SceneFolder;
use talweg::field::Control;

pub(super) fn list(work: &AgentWork, _: &Arguments, _: &Control) -> Result<ToolAnswer, String> {
    let described = |name: String| match work.folder.load(&name).and_then(|(scene, _)| Ok((scene_hash(&scene)?, scene)))
    {
        Ok((hash, scene)) => json!({ "scene": name, "hash": hash, "name": scene.name, "layers": scene.layers.len() }),
        Err(error) => json!({ "scene": name, "error": error }),
    };
    let scenes: Vec<Value> = work.folder.scene_files().into_iter().map(described).collect();
    let examples: Vec<&str> = SceneFolder::example_names().collect();
    let hash = text_hash(&json!([scenes, examples]).to_string());
    Ok(json!({ "hash": hash, "scenes": scenes, "examples": examples }).into())
}

pub(super) fn describe_nodes(_: &AgentWork, arguments: &Arguments, _: &Control) -> Result<ToolAnswer, String> {
    let nodes = Node::catalogue();
    let names = arguments.texts("nodes");
    let described: Vec<Value> = if names.is_empty() {
        let short = |node: &Node| {
            let about = node.about();
            json!({ "name": about.name, "label": about.label, "category": about.category, "help": about.help })
        };
        nodes.iter().map(short).collect()
    } else {
        names.iter().map(|name| described_node(&nodes, name)).collect::<Result<_, _>>()?
    };
    let hash = text_hash(&Value::from(described.clone()).to_string());
    Ok(json!({ "hash": hash, "nodes": described }).into())
}

fn described_node(nodes: &[Node], name: &str) -> Result<Value, String> {
    let of = |groups: &[&dyn Params]| {
        Value::from(groups.iter().map(|g| description_json(g.about(), None)).collect::<Vec<_>>())
    };
    let scene = Scene::default();
    match name {
        "layer" => Ok(of(&[&Mix::default(), &Mask::default()])),
        "scene" => Ok(of(&[&scene.settings])),
        "climate" => Ok(of(&[&scene.climate()])),
        "planet" => Ok(of(&[&scene.planet])),
        _ => {
            let is_it =
                |node: &&Node| [node.about().name, node.about().label].iter().any(|n| n.eq_ignore_ascii_case(name));
            let node = nodes.iter().find(is_it);
            let node = node.ok_or_else(|| format!("there is no node `{name}`; without `nodes`, all are listed"))?;
            Ok(description_json(node.about(), Some(node.work().shape())))
        }
    }
}

pub(super) fn read(work: &AgentWork, arguments: &Arguments, _: &Control) -> Result<ToolAnswer, String> {
    let name = arguments.required_text("scene");
    let (scene, warnings) = work.folder.load(name)?;
    let mut described = scene_description(name, &scene, &warnings)?;
    if arguments.is_on("text") {
        described["text"] = scene.to_ron().map_err(|error| error.to_string())?.into();
    }
    Ok(described.into())
}

pub(super) fn write(work: &AgentWork, arguments: &Arguments, _: &Control) -> Result<ToolAnswer, String> {
    let name = scene_file_name(arguments)?;
    let target = work.folder.target(name, arguments.is_on("replace"))?;
    let (scene, warnings) = match (arguments.text("text"), arguments.text("copy_of")) {
        (Some(_), Some(_)) => return Err("give `text` or `copy_of`, not both".into()),
        (Some(text), None) => {
            // Relative file names in the text belong to the folder of the new file.
            let copy = tempfile::NamedTempFile::new().map_err(|error| format!("a temporary file: {error}"))?;
            std::fs::write(copy.path(), text).map_err(|error| format!("a temporary file: {error}"))?;
            let read = Scene::load_copy(copy.path(), target.path());
            read.map_err(|error| error.to_string().replace(&copy.path().display().to_string(), name))?
        }
        (None, Some(other)) => work.folder.load(other)?,
        (None, None) => (Scene::default(), Vec::new()),
    };
    work.folder.check_files(&scene)?;
    scene.save(target).map_err(|error| error.to_string())?;
    Ok(scene_description(name, &scene, &warnings)?.into())
}

pub(super) fn change(work: &AgentWork, arguments: &Arguments, _: &Control) -> Result<ToolAnswer, String> {
    let name = scene_file_name(arguments)?;
    let path = work.folder.file(name)?;
    if !path.exists() {
        return Err(format!("there is no file `{name}` in the folder; write_scene makes one, also from an example"));
    }
    let (mut scene, _) = work.folder.load(name)?;
    for (index, change) in arguments.list("changes").iter().enumerate() {
        let done = changes::apply(&mut scene, change);
        done.map_err(|error| format!("change {} ({change}): {error}. Nothing was changed", index + 1))?;
    }
    work.folder.check_files(&scene)?;
    let target = work.folder.target(name, true)?;
    scene.save(target).map_err(|error| error.to_string())?;
    Ok(scene_description(name, &scene, &[])?.into())
}

fn scene_file_name(arguments: &Arguments) -> Result<&str, String> {
    let name = arguments.required_text("scene");
    if name.ends_with(".ron") { Ok(name) } else { Err(format!("scene: `{name}` needs the ending .ron")) }
}

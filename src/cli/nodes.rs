//! `talweg nodes`: prints the node catalogue, from the same table as the editor's panel.

use std::fmt::Write;

use clap::Args;
use serde_json::json;

use super::{CommandResult, Failure, print, print_json, usage};
use talweg::export::maps::ExportMap;
use talweg::nodes::Node;
use talweg::param::{About, ParamKind, ParamSpec, Params, description_json};
use talweg::scene::{Mask, Mix, Settings};

/// List all nodes or some of them, with their parameters
#[derive(Args)]
#[command(after_help = "\
Each parameter is listed with its default, unit and hard range, and with the slider's range in brackets if the slider's
range is narrower. --set changes any parameter: LAYER.PARAM=VALUE, or scene.PARAM=VALUE.")]
pub struct NodesArgs {
    /// Names of nodes, as in scenes or in the menu; all nodes if omitted
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
    /// Print the catalogue as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &NodesArgs) -> CommandResult {
    let (settings, mix, mask) = (Settings::default(), Mix::default(), Mask::default());
    let shown = shown_nodes(&args.nodes)?;
    if args.json {
        let nodes: Vec<_> = shown
            .iter()
            .map(|node| {
                let mut value = description_json(node.about(), Some(node.work().shape()));
                value["writes"] = written(node).into();
                value
            })
            .collect();
        return print_json(&json!({
            "nodes": nodes,
            "layer": [description_json(mix.about(), None), description_json(mask.about(), None)],
            "scene": description_json(settings.about(), None),
        }));
    }
    let mut text = String::new();
    let mut category = "";
    for node in shown {
        let about = node.about();
        if about.category != category {
            category = about.category;
            let _ = writeln!(text, "{}\n", category.to_uppercase());
        }
        describe(&mut text, about);
        if !written(&node).is_empty() {
            // The line about maps replaces the empty line at the end.
            text.pop();
            let _ = writeln!(text, "      Writes the maps {}.\n", written(&node).join(", "));
        }
    }
    if args.nodes.is_empty() {
        text += "EVERY LAYER\n\n";
        describe(&mut text, mix.about());
        describe(&mut text, mask.about());
        text += "SCENE\n\n";
        describe(&mut text, settings.about());
    }
    print(&text)
}

/// The nodes with these names, in catalogue order; all nodes if there are no names.
fn shown_nodes(names: &[String]) -> Result<Vec<Node>, Failure> {
    let is_it = |node: &Node, name: &str| {
        let about = node.about();
        about.name.eq_ignore_ascii_case(name) || about.label.eq_ignore_ascii_case(name)
    };
    let catalogue = Node::catalogue();
    if let Some(name) = names.iter().find(|name| !catalogue.iter().any(|node| is_it(node, name))) {
        return Err(usage(anyhow::anyhow!("there is no node “{name}”; `talweg nodes` lists them all")));
    }
    let is_asked = |node: &Node| names.is_empty() || names.iter().any(|name| is_it(node, name));
    Ok(catalogue.into_iter().filter(is_asked).collect())
}

/// The data maps that a new node writes, by their export names.
fn written(node: &Node) -> Vec<String> {
    node.traits().writes.iter().map(|&kind| ExportMap::Data(kind).to_string()).collect()
}

fn describe(text: &mut String, about: &About) {
    let label = if about.label == about.name { String::new() } else { format!("  \"{}\"", about.label) };
    let _ = writeln!(text, "  {}{label}", about.name);
    let _ = writeln!(text, "    {}", about.help);
    if !about.source.is_empty() {
        let _ = writeln!(text, "    After {}.", about.source);
    }
    let width = about.params.iter().map(|p| p.name.len()).max().unwrap_or(0);
    for spec in &about.params {
        let unit = if spec.unit.is_empty() { String::new() } else { format!(" {}", spec.unit) };
        let _ = writeln!(
            text,
            "      {:width$}  {}{unit}  ({}{})  {}",
            spec.name,
            spec.show(&spec.default),
            spec.range_text(),
            slider_text(spec),
            spec.help
        );
    }
    text.push('\n');
}

fn slider_text(spec: &ParamSpec) -> String {
    match &spec.kind {
        ParamKind::Float { hard, slider } if hard != slider => format!(" [{} to {}]", slider.0, slider.1),
        ParamKind::Int { hard, slider } if hard != slider => format!(" [{} to {}]", slider.0, slider.1),
        _ => String::new(),
    }
}

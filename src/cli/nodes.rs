//! `talweg nodes`: prints the node catalogue, from the same table as the editor's panel.

use std::fmt::Write;

use clap::Args;
use serde_json::json;

use super::{CommandResult, Failure, print, print_json, usage};
use talweg::construction::PieceKind;
use talweg::export::maps::ExportMap;
use talweg::nodes::Node;
use talweg::param::{About, ParamKind, ParamSpec, Params, description_json};
use talweg::scene::{Mask, Mix, Settings};

/// List all nodes and the pieces of constructions, or some of them, with their parameters
#[derive(Args)]
#[command(after_help = "\
Each parameter is listed with its default, unit and hard range, and with the slider's range in brackets if the slider's
range is narrower. --set changes any parameter: LAYER.PARAM=VALUE, or scene.PARAM=VALUE.

Examples:
  talweg nodes Construction
  talweg nodes Disc Curve")]
pub struct NodesArgs {
    /// Names of nodes or of pieces of constructions, as in scenes or in the menu; all if omitted
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
    /// Print the catalogue as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &NodesArgs) -> CommandResult {
    let (settings, mix, mask) = (Settings::default(), Mix::default(), Mask::default());
    let (shown, pieces) = shown_nodes(&args.nodes)?;
    if args.json {
        let nodes: Vec<_> = shown
            .iter()
            .map(|node| {
                let mut value = description_json(node.about(), Some(node.work().shape()));
                value["writes"] = written(node).into();
                value
            })
            .collect();
        let pieces: Vec<_> = pieces
            .iter()
            .map(|kind| {
                let mut value = description_json(kind.params().about(), None);
                value["name"] = kind.name().into();
                value["file"] = kind.file_form().into();
                value["points"] = kind.points_help().into();
                value
            })
            .collect();
        return print_json(&json!({
            "nodes": nodes,
            "pieces": pieces,
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
        describe(&mut text, about, about.name);
        if !written(&node).is_empty() {
            // The line about maps replaces the empty line at the end.
            text.pop();
            let _ = writeln!(text, "      Writes the maps {}.\n", written(&node).join(", "));
        }
    }
    if !pieces.is_empty() {
        text += "PIECES OF CONSTRUCTIONS\n\n";
    }
    for kind in pieces {
        let about = kind.params().about();
        describe(&mut text, about, kind.name());
        text.pop();
        for spec in &about.params {
            if let ParamKind::Choice(options) = spec.kind {
                let _ = writeln!(text, "      {}:", spec.name);
                for option in options {
                    let _ = writeln!(text, "        {}  {}", option.name, option.help);
                }
            }
        }
        if !kind.points_help().is_empty() {
            let _ = writeln!(text, "      {}", kind.points_help());
        }
        let _ = writeln!(text, "      In files: {}\n", kind.file_form());
    }
    if args.nodes.is_empty() {
        text += "EVERY LAYER\n\n";
        describe(&mut text, mix.about(), mix.about().name);
        describe(&mut text, mask.about(), mask.about().name);
        text += "SCENE\n\n";
        describe(&mut text, settings.about(), settings.about().name);
    }
    print(&text)
}

/// The nodes and the kinds of pieces with these names, in catalogue order; all if there are no names.
fn shown_nodes(names: &[String]) -> Result<(Vec<Node>, Vec<PieceKind>), Failure> {
    let is_it = |own: &str, label: &str, name: &str| own.eq_ignore_ascii_case(name) || label.eq_ignore_ascii_case(name);
    let is_node = |node: &Node, name: &str| is_it(node.about().name, node.about().label, name);
    let is_piece = |kind: &PieceKind, name: &str| is_it(kind.name(), kind.params().about().label, name);
    let (nodes, pieces) = (Node::catalogue(), PieceKind::catalogue());
    let is_known =
        |name: &str| nodes.iter().any(|node| is_node(node, name)) || pieces.iter().any(|kind| is_piece(kind, name));
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        return Err(usage(anyhow::anyhow!("there is no node or piece “{name}”; `talweg nodes` lists them all")));
    }
    let nodes = nodes.into_iter().filter(|node| names.is_empty() || names.iter().any(|name| is_node(node, name)));
    let pieces = pieces.into_iter().filter(|kind| names.is_empty() || names.iter().any(|name| is_piece(kind, name)));
    Ok((nodes.collect(), pieces.collect()))
}

/// The data maps that a new node writes, by their export names.
fn written(node: &Node) -> Vec<String> {
    node.traits().writes.iter().map(|&kind| ExportMap::Data(kind).to_string()).collect()
}

/// Appends a description of a parameter group. `name` is its name in files.
fn describe(text: &mut String, about: &About, name: &str) {
    let label = if about.label == name { String::new() } else { format!("  \"{}\"", about.label) };
    let _ = writeln!(text, "  {name}{label}");
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

//! The node catalogue as Markdown, for `assets/help/nodes.md`, and the law of each node as text.
//!
//! Each law is written at the head of the node's source file, next to the code that computes it.
//! `tests/core/nodes/contract/help.rs` collects the laws in `src/nodes/laws.ron`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::Node;
use talweg_construction::{Frame, PieceKind};
use talweg_ground::param::{About, ParamKind, ParamSpec, Params};

/// The law of the node called `name`; empty if there is no such node.
pub fn law(name: &str) -> &'static str {
    static LAWS: LazyLock<BTreeMap<String, String>> =
        LazyLock::new(|| ron::from_str(include_str!("laws.ron")).unwrap_or_default());
    LAWS.get(name).map_or("", String::as_str)
}

/// Every node with its parameters, in the order of the Add menu.
pub fn markdown() -> String {
    let mut out = String::from(
        "# Nodes\nGenerated from the program's own descriptions; do not edit. A typed value may be outside the \
         range of the slider, but not outside the range given here.\n",
    );
    let mut category = "";
    for node in Node::catalogue() {
        let about = node.about();
        if about.category != category {
            category = about.category;
            out.push_str(&format!("\n## {category}\n"));
        }
        out.push('\n');
        out.push_str(&node_markdown(&node));
    }
    out.push_str(
        "\n# Pieces of constructions\nThe node `Construction` holds a tree of these primitives and operators. A piece \
         is written `(name: \"…\", form: KIND)`, with one of the kinds below.\n",
    );
    for kind in PieceKind::catalogue() {
        out.push('\n');
        out.push_str(&piece_markdown(&kind));
    }
    out.push_str(&format!("\n### {}\n`frame`: {}\n", Frame::default().about().label, Frame::default().about().help));
    out.push_str(&params_markdown(Frame::default().about()));
    out
}

/// A kind of piece of a construction tree, with its parameters.
pub fn piece_markdown(kind: &PieceKind) -> String {
    let about = kind.params().about();
    let mut out = format!("### {}\n`{}`, {}. {}\n", about.label, kind.file_form(), category_of(about), about.help);
    if !about.source.is_empty() {
        out.push_str(&format!("Source: {}.\n", about.source));
    }
    if !kind.points_help().is_empty() {
        out.push_str(&format!("\n{}\n", kind.points_help()));
    }
    out.push_str(&params_markdown(about));
    out
}

fn category_of(about: &About) -> String {
    let category = about.category.to_lowercase();
    let article = if category.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {category}")
}

/// A node with its parameters and presets.
pub fn node_markdown(node: &Node) -> String {
    let about = node.about();
    let shape = node.work().shape();
    let mut out = format!("### {}\n`{}`, a {shape}. {}\n", about.label, about.name, about.help);
    if !about.source.is_empty() {
        out.push_str(&format!("Source: {}.\n", about.source));
    }
    let law = law(about.name);
    if !law.is_empty() {
        out.push_str(&format!("\n{}\n", law.replace('\n', "  \n")));
    }
    out.push_str(&params_markdown(about));
    out.push_str(&presets_markdown(about));
    out
}

/// The parameters of any parameter group as a Markdown table, followed by the options of each choice.
pub fn params_markdown(about: &About) -> String {
    let mut out = String::new();
    if about.params.is_empty() {
        return out;
    }
    out.push_str("\n| parameter | default | range | what it does |\n|---|---|---|---|\n");
    for spec in &about.params {
        let default = if spec.kind == ParamKind::Tree { "a composed feature".into() } else { spec.show(&spec.default) };
        out.push_str(&format!(
            "| `{}`{} | {default} | {} | {} |\n",
            spec.name,
            unit(spec),
            spec.range_text(),
            spec.help
        ));
    }
    for spec in &about.params {
        if let ParamKind::Choice(options) = spec.kind {
            out.push_str(&format!("\n`{}`:\n", spec.name));
            for option in options {
                out.push_str(&format!("- `{}` ({}): {}\n", option.name, option.label, option.help));
            }
        }
    }
    out
}

/// The presets of a node, one per line.
fn presets_markdown(about: &About) -> String {
    if about.presets.is_empty() {
        return String::new();
    }
    let lines = about.presets.iter().map(|p| format!("- `{}` ({}): {}\n", p.name, p.label, p.help));
    format!("\nPresets:\n{}", lines.collect::<String>())
}

fn unit(spec: &ParamSpec) -> String {
    if spec.unit.is_empty() { String::new() } else { format!(" [{}]", spec.unit) }
}

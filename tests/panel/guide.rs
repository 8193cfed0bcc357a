//! The user guide names what there is: commands, nodes, files.

use std::path::Path;

use crate::kit::*;
use talweg::nodes::Node;
use talweg_app::frame::commands::shortcut_text;

/// The texts between `begin` and `end`, which differ.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> Vec<&'a str> {
    text.split(begin).skip(1).filter_map(|rest| rest.split_once(end).map(|(inside, _)| inside)).collect()
}

#[test]
fn every_menu_entry_link_and_node_of_the_guide_exists() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let guide = std::fs::read_to_string(folder.join("guide.md")).expect("the guide is there");
    let panels = large(&["Perlin"]);
    let commands = panels.state().commands();
    let plain = |label: &str| label.trim_end_matches('…').trim().to_lowercase();
    let labels: Vec<String> = commands.iter().map(|command| plain(&command.info().label)).collect();
    let flat = guide.split_whitespace().collect::<Vec<_>>().join(" ");
    let entries: Vec<&str> = flat.split('*').filter(|text| text.contains(" ▸ ")).collect();
    assert!(entries.len() > 15, "{entries:?}");
    for entry in entries {
        let name = entry.rsplit(" ▸ ").next().unwrap_or(entry);
        assert!(labels.contains(&plain(name)), "the guide names “{entry}”, which is no command: {labels:?}");
    }
    for link in between(&guide, "](", ")").into_iter().filter(|link| !link.contains("://")) {
        assert!(folder.join(link).exists(), "the guide links to {link}, which is not there");
    }
    assert!(guide.contains("*Sculpt*") && Node::named("Sculpt").is_some());
    let keys: Vec<String> =
        commands.iter().flat_map(|command| command.info().shortcuts.iter().map(shortcut_text)).collect();
    for key in ["Shift+M", "U", "Shift+W", "Shift+Q", "F12", "Shift+A", "Shift+T", "Ctrl+K"] {
        assert!(guide.contains(&format!("`{key}`")) && keys.iter().any(|k| k == key), "{key}: {keys:?}");
    }
}

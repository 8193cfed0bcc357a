//! The user guide and the README name existing commands, nodes, files and keys.

use std::path::Path;

use crate::kit::*;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{FontId, Key, Modifiers};
use egui_kittest::kittest::Queryable;
use talweg::nodes::Node;
use talweg_app::frame::commands::shortcut_text;

/// The texts between `begin` and `end`, which must differ.
fn texts_between<'a>(text: &'a str, begin: &str, end: &str) -> Vec<&'a str> {
    text.split(begin).skip(1).filter_map(|rest| rest.split_once(end).map(|(inside, _)| inside)).collect()
}

#[test]
fn every_menu_entry_link_and_node_of_the_guide_exists() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let guide = std::fs::read_to_string(folder.join("guide.md")).expect("the guide is there");
    let panels = large(&["Perlin"]);
    let commands = panels.state().commands();
    let labels: Vec<String> = commands.iter().map(|command| plain(&command.info().label)).collect();
    let flat = guide.split_whitespace().collect::<Vec<_>>().join(" ");
    let entries: Vec<&str> = flat.split('*').filter(|text| text.contains(" ▸ ")).collect();
    assert!(entries.len() > 15, "{entries:?}");
    for entry in entries {
        assert!(is_command(entry, &labels), "the guide names “{entry}”, which is no command: {labels:?}");
    }
    for link in texts_between(&guide, "](", ")").into_iter().filter(|link| !link.contains("://")) {
        assert!(folder.join(link).exists(), "the guide links to {link}, which is not there");
    }
    assert!(guide.contains("*Sculpt*") && Node::named("Sculpt").is_some());
    let keys: Vec<String> =
        commands.iter().flat_map(|command| command.info().shortcuts.iter().map(shortcut_text)).collect();
    for key in ["Shift+M", "U", "Shift+W", "Shift+Q", "F12", "Shift+A", "Shift+T", "Ctrl+K"] {
        assert!(guide.contains(&format!("`{key}`")) && keys.iter().any(|k| k == key), "{key}: {keys:?}");
    }
    // a key in brackets after a command must be a key of that command
    let text = flat.replace('*', "");
    let mut checked = 0;
    for command in &commands {
        let info = command.info();
        let name = info.label.trim_end_matches('…');
        for said in texts_between(&text, &format!("{name} (`"), "`)") {
            let own: Vec<String> = info.shortcuts.iter().map(shortcut_text).collect();
            assert!(own.iter().any(|key| key == said), "the guide gives {said} for {name}: {own:?}");
            checked += 1;
        }
    }
    assert!(checked > 15, "{checked}");
}

#[test]
fn the_guide_in_the_window_has_a_glyph_for_each_of_its_letters() {
    let mut panels = large(&[]);
    press(&mut panels, Modifiers::SHIFT, Key::F1);
    let shown: Vec<String> = panels.get_all_by_role(Role::Label).filter_map(|node| node.value()).collect();
    assert!(shown.iter().any(|text| text.contains("for people who make terrain")), "{shown:?}");
    let font = FontId::proportional(14.0);
    for text in shown {
        assert!(!text.starts_with('!'), "a picture is no text: {text}");
        assert!(panels.ctx.fonts_mut(|fonts| fonts.has_glyphs(&font, &text)), "{text}");
    }
}

fn plain(label: &str) -> String {
    label.trim_end_matches('…').trim().to_lowercase()
}

/// Whether a menu path ends in a command; `Group as ▸ Blend` is the command *Group as blend*.
fn is_command(entry: &str, labels: &[String]) -> bool {
    let way: Vec<&str> = entry.split(" ▸ ").collect();
    let last = way.last().copied().unwrap_or(entry);
    let both = way[way.len().saturating_sub(2)..].join(" ");
    labels.contains(&plain(last)) || labels.contains(&plain(&both))
}

#[test]
fn the_readme_names_commands_and_their_keys() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).expect("the README is there");
    let panels = large(&["Perlin"]);
    let commands = panels.state().commands();
    let labels: Vec<String> = commands.iter().map(|command| plain(&command.info().label)).collect();
    let flat = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    let entries: Vec<&str> = flat.split('*').filter(|text| text.contains(" ▸ ")).collect();
    assert!(entries.len() > 3, "{entries:?}");
    for entry in entries {
        let is_example = entry
            .strip_prefix("File ▸ Examples ▸ ")
            .is_some_and(|name| talweg::scene::examples().iter().any(|example| example.scene.name == name));
        let is_there = is_example || entry == "View ▸ Overlay" || is_command(entry, &labels);
        assert!(is_there, "the README names “{entry}”, which is no command: {labels:?}");
    }
    // phrases about keys in “The first five minutes”, and the command of each key
    for (said, label) in [
        ("`Shift+G` opens the charts", "Charts"),
        ("`F1` lists every shortcut", "Keyboard shortcuts"),
        ("`F` frames everything", "Frame all"),
        ("`Ctrl+Z` undoes", "Undo"),
        ("`Shift+T` paints where", "Paint mask"),
        ("`M` measures", "Measures"),
        ("`C` pins it", "Compare"),
        ("`V` shows variants", "Variants…"),
        ("`Ctrl+S` saves", "Save"),
    ] {
        assert!(flat.contains(said), "the README does not say “{said}”");
        let key = said.split('`').nth(1).expect("a key");
        let command = commands.iter().find(|command| command.info().label == label);
        let info = command.unwrap_or_else(|| panic!("no command is called {label}: {labels:?}")).info();
        let keys: Vec<String> = info.shortcuts.iter().map(shortcut_text).collect();
        assert!(keys.iter().any(|own| own == key), "{label} has {keys:?}, and the README says {key}");
    }
}

#[test]
fn the_guide_is_read_in_the_window() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::SHIFT, Key::F1);
    for heading in ["User guide", "The stack", "Features", "Erosion"] {
        assert!(panels.query_all_by_label(heading).count() > 0, "{heading}");
    }
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(panels.query_all_by_label("The stack").count(), 0);
}

#[test]
fn documents_are_never_called_by_a_number() {
    for node in Node::catalogue() {
        let page = talweg::nodes::help::node_markdown(&node);
        assert!(!page.to_lowercase().contains("document 00"), "{page}");
    }
    for name in talweg::appearance_files::palette_names() {
        let label = &talweg::appearance_files::Palette::named_or_default(&name).label;
        assert!(!label.contains("Document"), "{label}");
    }
}

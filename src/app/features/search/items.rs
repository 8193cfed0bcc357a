//! The items that the search can find, and the order of the results.

use egui_phosphor::regular as icon;

use super::SearchAction;
use crate::features::help::HelpAction;
use crate::features::layers::LayerAction;
use crate::features::layers::add_menu::{has_word, stem};
use crate::features::layers::parameters::shows_mix;
use crate::features::layers::stack::node_icon;
use crate::frame::commands::{Command, CommandRegistry, FileAction, shortcuts_text};
use crate::frame::document::{Document, Group};
use crate::frame::editor::Editor;
use crate::frame::widgets::row::{shown, title};
use talweg::nodes::Node;

/// Maximum number of results.
const MOST: usize = 40;

/// An item that the search can find.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchItem {
    pub icon: &'static str,
    pub label: String,
    /// Kind of the item, shown beside its name, such as `Command` or `Parameter of Hills`.
    pub kind: String,
    /// Text at the right end of the row, such as keys or a value.
    pub note: String,
    /// Further words, in lower case, by which the search finds the item.
    words: String,
    /// The command that runs when the item is chosen.
    pub command: Command,
}

impl SearchItem {
    fn new(icon: &'static str, label: impl Into<String>, kind: impl Into<String>, command: Command) -> Self {
        let (label, kind) = (label.into(), kind.into());
        Self { icon, label, kind, note: String::new(), words: String::new(), command }
    }

    fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    fn with_words(self, words: &str) -> Self {
        Self { words: words.to_lowercase(), ..self }
    }
}

/// All items that can be found in the current state.
pub fn all(editor: &Editor, registry: &CommandRegistry) -> Vec<SearchItem> {
    let mut items: Vec<SearchItem> = registry
        .all()
        .iter()
        .filter(|command| **command != SearchAction::Open.into())
        .map(|command| {
            let info = command.info();
            let keys = shortcuts_text(&editor.keymap.keys(command));
            let kind = format!("Command, {}", command.section());
            SearchItem::new(info.icon, info.label, kind, command.clone()).with_note(keys).with_words(&info.tooltip)
        })
        .collect();
    items.extend(parameters(&editor.doc));
    let world = editor.doc.scene().settings.world;
    for node in Node::catalogue() {
        let about = node.about();
        let words = [about.name, about.category, about.synonyms, about.help, about.source].join(" ");
        if node.fits(world) {
            let add = Command::from(LayerAction::Add(Box::new(node.clone())));
            let kind = format!("Node, {}", about.category);
            items.push(SearchItem::new(node_icon(&node), format!("Add {}", about.label), kind, add).with_words(&words));
        }
        let page = Command::from(HelpAction::Node(about.name));
        items.push(SearchItem::new(icon::BOOK_OPEN, about.label, "Help", page).with_words(&words));
    }
    for path in editor.recent.paths() {
        let open = Command::from(FileAction::OpenRecent(path.clone()));
        let info = open.info();
        let folder = path.parent().map_or_else(String::new, |folder| folder.display().to_string());
        items.push(SearchItem::new(info.icon, info.label, "Recent scene", open).with_note(folder));
    }
    for example in &editor.examples {
        let open = Command::from(FileAction::Example(example.name.clone()));
        items.push(SearchItem::new(icon::MOUNTAINS, example.name.clone(), "Example scene", open));
    }
    items
}

/// The parameters that the panels can show in the current state.
fn parameters(doc: &Document) -> Vec<SearchItem> {
    let scene = doc.scene();
    let mut groups = vec![(Group::Settings, "Scene settings".to_string())];
    if scene.is_planet() {
        groups.push((Group::Planet, "the planet".into()));
    }
    for (k, layer) in scene.layers.iter().enumerate() {
        groups.push((Group::Node(k), layer.name.clone()));
        groups.push((Group::Mix(k), layer.name.clone()));
        if layer.mask.is_active() {
            groups.push((Group::Mask(k), format!("the mask of {}", layer.name)));
        }
    }
    let mut items = Vec::new();
    for (group, of) in groups {
        let Some(params) = group.params(scene) else { continue };
        for (k, spec) in params.about().params.iter().enumerate() {
            if !params.matters(k) || !is_shown(group, spec.name, doc) {
                continue;
            }
            let show = Command::from(SearchAction::ShowParameter(group, k));
            let item = SearchItem::new(icon::SLIDERS, title(spec), format!("Parameter of {of}"), show);
            let words = format!("{} {}", spec.name.replace('_', " "), spec.help);
            items.push(item.with_note(shown(spec, &params.get(k))).with_words(&words));
        }
    }
    items
}

/// Whether the panel has a row for parameter `name` of `group`.
fn is_shown(group: Group, name: &str, doc: &Document) -> bool {
    match group {
        Group::Mix(layer) => doc.scene().layers.get(layer).is_some_and(|layer| shows_mix(layer, name)),
        // the seed has a row of its own outside the parameter rows
        Group::Settings => name != "seed",
        _ => true,
    }
}

/// The items that match all words of `text`, the best match first. Items whose name begins with `text` rank highest; a
/// leading *Add* is ignored. Names with a word that begins with `text` rank second. Names that contain `text` rank
/// third.
pub fn found_items<'a>(items: &'a [SearchItem], text: &str) -> Vec<&'a SearchItem> {
    let text = text.to_lowercase();
    let sought: Vec<&str> = text.split_whitespace().collect();
    let Some(first) = sought.first() else { return items.iter().take(MOST).collect() };
    let stems = sought.iter().map(|word| stem(word).unwrap_or(word)).collect::<Vec<_>>().join(" ");
    let mut found: Vec<(u8, &SearchItem)> = items
        .iter()
        .filter_map(|item| {
            let label = item.label.to_lowercase();
            let kind = item.kind.to_lowercase();
            let has = |word: &&str| [&label, &kind, &item.words].into_iter().any(|text| has_word(text, word));
            if !sought.iter().all(has) {
                return None;
            }
            let whole = label.contains(&stems);
            let rank = if label.trim_start_matches("add ").starts_with(&stems) || label.starts_with(&stems) {
                0
            } else if whole && label.split_whitespace().any(|word| word.starts_with(stem(first).unwrap_or(first))) {
                1
            } else if sought.iter().all(|word| has_word(&label, word)) {
                2
            } else {
                3
            };
            Some((rank, item))
        })
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, item)| item).take(MOST).collect()
}

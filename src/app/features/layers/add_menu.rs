//! The Add button. It opens a menu with a search field and all nodes by category, each with its description.

use bevy_egui::egui;
use egui::{Key, Popup, PopupCloseBehavior, RichText, Ui};
use egui_phosphor::regular as icon;

use crate::features::layers::stack::node_icon;
use crate::features::layers::{LayerAction, UpliftSource};
use crate::frame::commands::{Action, Command};
use crate::frame::theme::colour;
use crate::frame::user_library::OwnPreset;
use crate::frame::widgets::long_list;
use crate::frame::widgets::shipped_pictures::{PictureSubject, ShippedPicture, image_rect, play_change};
use talweg::nodes::Node;
use talweg::planet::World;

/// Side length of the picture of a node in points.
const PICTURE: f32 = 48.0;

/// The search text of the menu, and whether a shortcut has opened the menu.
#[derive(Debug, Default)]
pub struct AddMenu {
    search: String,
    open: bool,
}

impl AddMenu {
    /// Opens the menu in the next frame.
    pub fn open(&mut self) {
        self.open = true;
    }
}

/// Returns the word that node descriptions use in place of a search word. For example, a search for *erode* also finds
/// erosion nodes. `None` if there is no other word.
pub fn stem(word: &str) -> Option<&'static str> {
    matches!(word, "erod" | "erode" | "eroded" | "erodes" | "eroding").then_some("erosion")
}

/// Whether a lower-case text contains a word, or the word that [`stem`] returns for it.
pub fn has_word(text: &str, word: &str) -> bool {
    text.contains(word) || stem(word).is_some_and(|stem| text.contains(stem))
}

/// Returns the nodes that `search` finds by name, category, synonym or description. Nodes whose name begins with
/// `search` come first.
pub fn find(search: &str) -> Vec<Node> {
    let words: Vec<String> = search.to_lowercase().split_whitespace().map(String::from).collect();
    let mut found: Vec<Node> = Node::catalogue()
        .into_iter()
        .filter(|node| {
            let about = node.about();
            let text = [about.label, about.name, about.category, about.synonyms, about.help].join(" ").to_lowercase();
            words.iter().all(|word| has_word(&text, word))
        })
        .collect();
    if let Some(first) = words.first() {
        let first = stem(first).unwrap_or(first);
        found.sort_by_key(|node| {
            let label = node.about().label.to_lowercase();
            (!label.starts_with(first), !label.contains(first))
        });
    }
    found
}

/// The reason why a node cannot be added to a scene of this kind.
pub fn misfit(world: World) -> &'static str {
    match world {
        World::Planet => "Works on terrains only; planets skip it. Extract a region to use it.",
        World::Terrain => "Works on planets only. Create one with File > New planet.",
    }
}

/// Shows the button and its menu; returns the chosen command. `recent` are the nodes that the user added last, and
/// `own` are the user's presets.
pub fn button(
    ui: &mut Ui,
    menu: &mut AddMenu,
    (recent, own): (&[String], &[OwnPreset]),
    world: World,
) -> Option<LayerAction> {
    let button = ui.button(format!("{} Add", icon::PLUS));
    button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Add layer"));
    let button = button.on_hover_text(Command::from(LayerAction::AddMenu).tooltip(ui.ctx()));
    let id = Popup::default_response_id(&button);
    if std::mem::take(&mut menu.open) {
        Popup::open_id(ui.ctx(), id);
    }
    let mut chosen = None;
    let popup = Popup::from_toggle_button_response(&button)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .align(egui::RectAlign::BOTTOM_END)
        .align_alternatives(&[egui::RectAlign::BOTTOM_START, egui::RectAlign::RIGHT_START])
        .gap(4.0);
    let shown = popup.show(|ui| {
        ui.set_width(390.0);
        let mut node = None;
        contents(ui, menu, recent, world, &mut node);
        chosen = node.map(|node| LayerAction::Add(Box::new(node)));
        let sought = menu.search.trim().to_lowercase();
        let mut is_first = true;
        for source in UpliftSource::ALL.into_iter().filter(|_| world == World::Terrain) {
            let info = LayerAction::AddUplift(source).info();
            let text = format!("{} {}", info.label, info.tooltip).to_lowercase();
            if sought.split_whitespace().all(|word| has_word(&text, word)) {
                if std::mem::take(&mut is_first) {
                    ui.separator();
                    ui.label(RichText::new("Layer sets").small().strong().color(colour::accent()));
                }
                let label = info.label.trim_start_matches("Add ");
                let button = ui.button(format!("{} {}{}", info.icon, label[..1].to_uppercase(), &label[1..]));
                button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &info.label));
                if button.on_hover_text(info.tooltip).clicked() {
                    chosen = Some(LayerAction::AddUplift(source));
                }
            }
        }
        let found = || own.iter().filter(|preset| preset.name.to_lowercase().contains(&sought));
        if found().next().is_some() {
            ui.separator();
            ui.label(RichText::new("Your presets").small().strong().color(colour::accent()));
            ui.horizontal_wrapped(|ui| {
                for preset in found().take(24) {
                    let fits = preset.contents.node.fits(world);
                    let button = egui::Button::new(format!("{} {}", node_icon(&preset.contents.node), preset.name));
                    let button = ui.add_enabled(fits, button).on_disabled_hover_text(misfit(world));
                    button.widget_info(|| {
                        let name = format!("Add your preset {}", preset.name);
                        egui::WidgetInfo::labeled(egui::WidgetType::Button, fits, name)
                    });
                    if button.clicked() {
                        chosen = Some(LayerAction::AddKept(Box::new(preset.contents.clone())));
                    }
                }
            });
        }
        if chosen.is_some() {
            ui.close();
        }
    });
    if shown.is_none() {
        menu.search.clear();
    }
    chosen
}

fn contents(ui: &mut Ui, menu: &mut AddMenu, recent: &[String], world: World, chosen: &mut Option<Node>) {
    let field = egui::TextEdit::singleline(&mut menu.search)
        .hint_text(format!("{} Search by name or purpose", icon::MAGNIFYING_GLASS))
        .desired_width(f32::INFINITY)
        .margin(egui::vec2(8.0, 5.0));
    let field = ui.add(field);
    field.widget_info(|| egui::WidgetInfo {
        label: Some("Search nodes".into()),
        ..egui::WidgetInfo::text_edit(true, "", &menu.search, "")
    });
    if !field.has_focus() && !field.lost_focus() {
        field.request_focus();
    }
    let found = find(&menu.search);
    let searching = !menu.search.trim().is_empty();
    if field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter)) && searching {
        *chosen = found.iter().find(|node| node.fits(world)).cloned();
        return;
    }
    if !searching && !recent.is_empty() {
        again(ui, recent, world, chosen);
    }
    let height = (ui.ctx().viewport_rect().height() * 0.6).min(480.0);
    egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
        ui.set_width(ui.available_width());
        if found.is_empty() {
            ui.add_space(6.0);
            ui.weak("No matches. Try another word.");
        }
        let mut category = "";
        let shown = long_list::laid_out(ui, "nodes", 16, found.len());
        for node in found.into_iter().take(shown) {
            let about = node.about();
            if !searching && about.category != category {
                category = about.category;
                ui.add_space(4.0);
                ui.label(RichText::new(category).small().strong().color(colour::accent()));
            }
            if entry(ui, &node, world).clicked() {
                *chosen = Some(node);
            }
        }
    });
}

/// Shows small buttons for the nodes that the user added last.
fn again(ui: &mut Ui, recent: &[String], world: World, chosen: &mut Option<Node>) {
    ui.add_space(2.0);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 4.0);
        ui.label(RichText::new("Recent").small().strong().color(colour::accent()));
        for node in recent.iter().filter_map(|name| Node::named(name)) {
            let about = node.about();
            let fits = node.fits(world);
            let button = egui::Button::new(format!("{} {}", node_icon(&node), about.label));
            let button = ui.add_enabled(fits, button).on_hover_text(about.help).on_disabled_hover_text(misfit(world));
            button.widget_info(|| {
                egui::WidgetInfo::labeled(egui::WidgetType::Button, fits, format!("Add recent {}", about.label))
            });
            if button.clicked() {
                *chosen = Some(node);
            }
        }
    });
}

fn entry(ui: &mut Ui, node: &Node, world: World) -> egui::Response {
    let (about, fits) = (node.about(), node.fits(world));
    let mut job = egui::text::LayoutJob::default();
    let font = |size| egui::FontId::proportional(size);
    let format = |size, color| egui::TextFormat { font_id: font(size), color, ..Default::default() };
    job.append(node_icon(node), 0.0, format(15.0, colour::text()));
    job.append(about.label, 8.0, format(13.5, if fits { colour::text_strong() } else { colour::text_weak() }));
    job.append("\n", 0.0, format(11.5, colour::text_weak()));
    job.append(if fits { about.help } else { misfit(world) }, 0.0, format(11.5, colour::text_weak()));
    let picture = ShippedPicture::find(PictureSubject::Node(node));
    let beside = if picture.is_some() { PICTURE + ui.spacing().icon_spacing } else { 0.0 };
    job.wrap.max_width = ui.available_width() - 16.0 - beside;
    let button = match picture {
        Some(picture) => egui::Button::image_and_text(picture.widget(ui.ctx(), PICTURE), job),
        None => egui::Button::new(job),
    };
    let button = button.wrap().frame_when_inactive(false).min_size(egui::vec2(ui.available_width(), 0.0));
    let response = ui.add_enabled(fits, button);
    if picture.is_some() && response.hovered() {
        play_change(ui, image_rect(ui, response.rect, PICTURE), node);
    }
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, fits, format!("Add {}", about.label)));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_found_by_its_name_and_each_of_its_synonyms() {
        for node in Node::catalogue() {
            let about = node.about();
            for word in about.synonyms.split_whitespace().chain([about.label, about.name]) {
                assert!(find(word).contains(&node), "{word} does not find {}", about.name);
            }
        }
        for word in ["erod", "erode", "Erode", "eroding"] {
            let found = find(word);
            assert_eq!(found[0].about().category, "Erosion", "{word} finds {} first", found[0].about().label);
            let erosions = Node::catalogue().into_iter().filter(|node| node.about().category == "Erosion");
            erosions.for_each(|node| assert!(found.contains(&node), "{word} does not find {}", node.about().name));
        }
        assert_eq!(find("voron")[0].about().name, "Voronoi");
        assert!(find("no such node").is_empty());
    }
}

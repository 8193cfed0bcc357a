//! The help page of a node: description, source and all parameters. It is generated from the node's own description.

use bevy_egui::egui;
use egui::{Align, Layout, RichText, ScrollArea, Ui};

use crate::features::layers::LayerAction;
use crate::features::layers::stack::node_icon;
use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{button, dismissed, is_confirmed, modal, scroll_by_keys};
use crate::frame::theme::colour;
use crate::frame::units;
use crate::frame::widgets::long_list;
use crate::frame::widgets::row::title;
use crate::frame::widgets::scene_picture::SceneThumbnail;
use talweg::nodes::Node;
use talweg::nodes::help::law;
use talweg::param::{ParamKind, ParamSpec};

/// The help page of one node.
pub struct NodePage {
    node: Box<Node>,
    pictures: Vec<ParamPictures>,
}

/// Images of the terrain at several values of the parameter that has the index `param`. They may still be rendering.
pub struct ParamPictures {
    pub param: usize,
    pub values: Vec<(String, SceneThumbnail)>,
}

/// Side length of an image in points.
const PICTURE: f32 = 84.0;

impl NodePage {
    /// Creates the page of a node. The page has a button that adds the node.
    pub fn new(node: &Node, pictures: Vec<ParamPictures>) -> Self {
        Self { node: Box::new(node.clone()), pictures }
    }
}

impl Dialog for NodePage {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let about = self.node.about();
        let screen = ctx.viewport_rect().size();
        let mut answer = None;
        let modal = modal(ctx, "node page").show(ctx, |ui| {
            ui.set_width(620.0_f32.min(screen.x - 60.0));
            ui.horizontal(|ui| {
                ui.label(RichText::new(node_icon(&self.node)).size(20.0).color(colour::accent()));
                ui.heading(about.label);
                ui.label(RichText::new(about.category).color(colour::text_weak()));
            });
            ui.add_space(4.0);
            // limit the height, so that the heading, the buttons and the margins stay on screen
            ScrollArea::vertical().max_height((screen.y - 170.0).max(120.0)).show(ui, |ui| {
                scroll_by_keys(ui);
                ui.set_width(ui.available_width() - 10.0);
                ui.label(about.help);
                if !about.source.is_empty() {
                    ui.label(RichText::new(format!("Source: {}.", about.source)).color(colour::text_weak()));
                }
                let law = law(about.name);
                if !law.is_empty() {
                    ui.add_space(4.0);
                    ui.label(with_plain_letters(law));
                }
                ui.add_space(6.0);
                let shown = long_list::laid_out(ui, "parameters", 6, about.params.len());
                for (index, spec) in about.params.iter().enumerate().take(shown) {
                    parameter(ui, spec);
                    if let Some(pictures) = self.pictures.iter().find(|pictures| pictures.param == index) {
                        row_of_pictures(ui, pictures);
                    }
                }
                if !about.presets.is_empty() {
                    ui.add_space(6.0);
                    ui.label(RichText::new("Presets").strong().color(colour::accent()));
                }
                for preset in &about.presets {
                    ui.label(RichText::new(preset.label).strong());
                    ui.label(preset.help);
                }
            });
            ui.add_space(10.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(button("Close")).clicked() || is_confirmed(ui.ctx()) {
                    answer = Some(Vec::new());
                }
                if ui.add(button("Add as layer")).clicked() {
                    answer = Some(vec![LayerAction::Add(self.node.clone()).into()]);
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}

/// Replaces superscript and subscript letters, which the font lacks, by a mark followed by the plain letters.
pub fn with_plain_letters(law: &str) -> String {
    const RAISED: [(char, char); 11] = [
        ('ʳ', 'r'),
        ('ˡ', 'l'),
        ('ᴾ', 'P'),
        ('ᵀ', 'T'),
        ('ᵉ', 'e'),
        ('ᵍ', 'g'),
        ('ᵏ', 'k'),
        ('ᵐ', 'm'),
        ('ⁱ', 'i'),
        ('ⁿ', 'n'),
        ('ᵗ', 't'),
    ];
    const LOWERED: [(char, char); 5] = [('ᵢ', 'i'), ('ₖ', 'k'), ('ₗ', 'l'), ('ₘ', 'm'), ('ₙ', 'n')];
    let mut plain = String::with_capacity(law.len());
    let mut before = None;
    for letter in law.chars() {
        let marked = [('^', &RAISED[..]), ('_', &LOWERED[..])].into_iter().find_map(|(mark, letters)| {
            letters.iter().find(|(marked, _)| *marked == letter).map(|(_, plain)| (mark, *plain))
        });
        match marked {
            // write the mark only once for a run of superscript or subscript letters
            Some((mark, letter)) if before == Some(mark) => plain.push(letter),
            Some((mark, letter)) => plain.extend([mark, letter]),
            None => plain.push(letter),
        }
        before = marked.map(|(mark, _)| mark);
    }
    plain
}

/// Shows images of a parameter's effect, from a low to a high value.
fn row_of_pictures(ui: &mut Ui, pictures: &ParamPictures) {
    ui.horizontal_wrapped(|ui| {
        for (value, picture) in &pictures.values {
            ui.vertical(|ui| {
                ui.set_width(PICTURE);
                picture.show(ui, PICTURE);
                ui.add(egui::Label::new(RichText::new(value).small().color(colour::text_weak())).truncate());
            });
        }
    });
}

fn parameter(ui: &mut Ui, spec: &ParamSpec) {
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(title(spec)).strong().color(colour::text_strong()));
        ui.label(RichText::new(range(spec)).small().color(colour::text_weak()));
    });
    ui.label(spec.help);
    if let ParamKind::Choice(options) = spec.kind {
        for option in options {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(format!("   {}:", option.label)).color(colour::text_strong()));
                ui.label(option.help);
            });
        }
    }
}

/// The default and the range of a parameter, as text.
fn range(spec: &ParamSpec) -> String {
    let default = units::param_text(spec, &spec.default);
    match spec.kind {
        ParamKind::Float { .. } | ParamKind::Int { .. } => {
            format!("default {default}, range {} {}", units::range_text(spec), units::of_param(spec).name)
                .trim_end()
                .into()
        }
        _ => default,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::theme;

    #[test]
    fn superscripts_and_subscripts_become_plain_letters() {
        assert_eq!(with_plain_letters("2ᵏ·hᵢ"), "2^k·h_i");
        assert_eq!(with_plain_letters("xᵏⁱ₁, δ²"), "x^ki₁, δ²");
    }

    #[test]
    fn every_letter_of_a_page_has_a_glyph() {
        let ctx = egui::Context::default();
        theme::prepare(&ctx);
        let _ = ctx.run_ui(egui::RawInput::default(), |_| {});
        let font = egui::FontId::proportional(13.0);
        let mut checked = 0;
        let mut check = |text: &str| {
            let missing: String =
                text.chars().filter(|c| !ctx.fonts_mut(|fonts| fonts.has_glyph(&font, *c)) && *c != '\n').collect();
            assert!(missing.is_empty(), "no glyph for {missing} in: {text}");
            checked += 1;
        };
        for node in Node::catalogue() {
            let about = node.about();
            check(&with_plain_letters(law(about.name)));
            [about.label, about.category, about.help, about.source].into_iter().for_each(&mut check);
            for spec in &about.params {
                check(&spec.label);
                check(spec.help);
                if let ParamKind::Choice(options) = spec.kind {
                    options.iter().for_each(|option| [option.label, option.help].into_iter().for_each(&mut check));
                }
            }
            about.presets.iter().for_each(|preset| [preset.label, preset.help].into_iter().for_each(&mut check));
        }
        for figure in talweg::scene::figures() {
            let works = [figure.work.title, figure.work.authors, figure.shows];
            let claims = figure.claims.iter().flat_map(|claim| [claim.statement, claim.measured, claim.command]);
            works.into_iter().chain(claims).for_each(|text| check(&with_plain_letters(text)));
        }
        assert!(checked > 1000, "{checked}");
    }
}

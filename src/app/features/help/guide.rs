//! Shows the user guide (`docs/guide.md`) in the window.

use bevy_egui::egui;
use egui::text::LayoutJob;
use egui::{FontId, RichText, ScrollArea, TextFormat, Ui};
use egui_phosphor::regular as icon;

use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{close_button, dismissed, modal, scroll_by_keys};
use crate::frame::theme::colour;
use crate::frame::widgets::long_list;
use talweg::USER_GUIDE;

/// Font size of the text, in points.
const SIZE: f32 = 14.0;

/// A heading with its level, a paragraph, or a list item.
#[derive(Debug, PartialEq, Eq)]
enum GuideBlock {
    Heading(usize, String),
    Text(String),
    Entry(String),
}

/// Splits Markdown into blocks. The guide contains only headings, paragraphs and lists.
fn blocks(markdown: &str) -> Vec<GuideBlock> {
    let mut blocks = Vec::new();
    let mut is_open = false;
    // skip images, which only the file shows; also replace the menu arrow ▸, because the fonts of the window lack it
    let pictures = |line: &&str| !line.starts_with("![");
    for line in markdown.lines().map(str::trim).filter(pictures).map(|line| line.replace('▸', icon::CARET_RIGHT)) {
        let line = line.as_str();
        let depth = line.chars().take_while(|c| *c == '#').count();
        if depth > 0 {
            blocks.push(GuideBlock::Heading(depth, line[depth..].trim().into()));
        } else if let Some(entry) = line.strip_prefix("- ") {
            blocks.push(GuideBlock::Entry(entry.into()));
        } else if let (true, Some(GuideBlock::Text(text) | GuideBlock::Entry(text))) = (is_open, blocks.last_mut()) {
            if !line.is_empty() {
                *text += " ";
                *text += line;
            }
        } else if !line.is_empty() {
            blocks.push(GuideBlock::Text(line.into()));
        }
        is_open = !line.is_empty() && depth == 0;
    }
    blocks
}

/// Text style of one part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextStyle {
    Plain,
    Strong,
    Code,
}

/// Splits a line into parts that each have one style. A link is reduced to its text.
fn parts(line: &str) -> Vec<(TextStyle, String)> {
    let mut parts: Vec<(TextStyle, String)> = Vec::new();
    let (mut style, mut rest) = (TextStyle::Plain, line);
    while !rest.is_empty() {
        let end = rest.find(if style == TextStyle::Code { &['`'][..] } else { &['*', '`', '['] }).unwrap_or(rest.len());
        if end > 0 {
            parts.push((style, rest[..end].into()));
        }
        rest = &rest[end..];
        if let Some(after) = rest.strip_prefix('`') {
            style = if style == TextStyle::Code { TextStyle::Plain } else { TextStyle::Code };
            rest = after;
        } else if rest.starts_with('*') {
            style = if style == TextStyle::Strong { TextStyle::Plain } else { TextStyle::Strong };
            rest = rest.trim_start_matches('*');
        } else if let Some(after) = rest.strip_prefix('[') {
            let link = after.split_once("](").and_then(|(text, link)| Some((text, link.split_once(')')?.1)));
            let (text, after) = link.unwrap_or(("[", after));
            parts.push((style, text.into()));
            rest = after;
        }
    }
    parts
}

/// A line of Markdown as styled text.
pub fn styled(line: &str) -> LayoutJob {
    let mut job = LayoutJob::default();
    for (style, text) in parts(line) {
        let (font_id, color) = match style {
            TextStyle::Plain => (FontId::proportional(SIZE), colour::text()),
            TextStyle::Strong => (FontId::proportional(SIZE), colour::text_strong()),
            TextStyle::Code => (FontId::monospace(SIZE - 1.0), colour::accent()),
        };
        job.append(&text, 0.0, TextFormat { font_id, color, ..TextFormat::default() });
    }
    job
}

/// The dialog that shows the user guide.
pub struct GuideDialog(Vec<GuideBlock>);

impl Default for GuideDialog {
    fn default() -> Self {
        Self(blocks(USER_GUIDE))
    }
}

impl Dialog for GuideDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut answer = None;
        let screen = ctx.viewport_rect().size();
        let modal = modal(ctx, "guide").show(ctx, |ui| {
            ui.set_width(680.0_f32.min(screen.x - 60.0));
            ScrollArea::vertical().max_height((screen.y - 140.0).max(120.0)).show(ui, |ui| {
                scroll_by_keys(ui);
                ui.set_width(ui.available_width() - 12.0);
                let shown = long_list::laid_out(ui, "blocks", 18, self.0.len());
                self.0[..shown].iter().for_each(|block| paragraph(ui, block));
            });
            ui.add_space(10.0);
            answer = close_button(ui);
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}

fn paragraph(ui: &mut Ui, block: &GuideBlock) {
    match block {
        GuideBlock::Heading(1, text) => {
            ui.heading(text);
        }
        GuideBlock::Heading(_, text) => {
            ui.add_space(12.0);
            ui.label(RichText::new(text).strong().size(SIZE + 2.0).color(colour::accent()));
        }
        GuideBlock::Text(text) => {
            ui.add_space(2.0);
            ui.label(styled(text));
        }
        GuideBlock::Entry(text) => {
            ui.horizontal_top(|ui| {
                ui.add_space(6.0);
                ui.label(RichText::new("•").size(SIZE));
                ui.vertical(|ui| ui.label(styled(text)));
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_paragraphs_and_lists_are_parsed() {
        let read = blocks("# One\n![A](a.jpg)\n\nTwo\nthree.\n\n- *Four*\n  and `F5`\n- six\n\nSeven\n");
        let entry = |text: &str| GuideBlock::Entry(text.into());
        let text = |text: &str| GuideBlock::Text(text.into());
        let expected = [
            GuideBlock::Heading(1, "One".into()),
            text("Two three."),
            entry("*Four* and `F5`"),
            entry("six"),
            text("Seven"),
        ];
        assert_eq!(read, expected);
        let part = |style, text: &str| (style, text.to_string());
        assert_eq!(
            parts("see **A** or [a list](../a.md), `[` too"),
            [
                part(TextStyle::Plain, "see "),
                part(TextStyle::Strong, "A"),
                part(TextStyle::Plain, " or "),
                part(TextStyle::Plain, "a list"),
                part(TextStyle::Plain, ", "),
                part(TextStyle::Code, "["),
                part(TextStyle::Plain, " too")
            ]
        );
    }

    #[test]
    fn the_guide_shows_no_raw_markdown() {
        let all = blocks(USER_GUIDE);
        assert!(all.len() > 40, "{}", all.len());
        for block in &all {
            let (GuideBlock::Heading(_, text) | GuideBlock::Text(text) | GuideBlock::Entry(text)) = block;
            for (style, part) in parts(text) {
                assert!(style == TextStyle::Code || !part.contains(['*', '`']) && !part.contains("]("), "{part}");
            }
        }
    }
}

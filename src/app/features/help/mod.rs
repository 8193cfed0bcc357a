//! Help: the list of shortcuts, the user guide, the figures of the papers, a page for each node, the report about the
//! computer, and the about box.

mod computer;
mod figures;
mod guide;
mod node_page;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui;
use egui::{Align, Label, Layout, RichText, ScrollArea, TextStyle, Ui};
use egui_phosphor::regular as icon;

use self::computer::ComputerDialog;
use self::figures::FiguresDialog;
use self::guide::GuideDialog;
use self::node_page::{NodePage, ParamPictures};
use crate::features::variants::short_caption;
use crate::frame::commands::{
    Action, Command, CommandApp, CommandQueue, CommandRegistry, Info, Keymap, keys, shortcuts_text,
};
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{close_button, dismissed, modal, scroll_by_keys};
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, Slot};
use crate::frame::menu::pick;
use crate::frame::tasks::{Outcome, Task, Tasks};
use crate::frame::theme::colour;
use crate::frame::widgets::long_list;
use crate::frame::widgets::scene_picture::SceneThumbnail;
use talweg::eval::thread_pool;
use talweg::field::Control;
use talweg::nodes::Node;
use talweg::variants::{Size, Thumbnail, draw_all, param_variants};
use talweg_cli::third_party_licences;

pub struct HelpPlugin;

impl Plugin for HelpPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<NodePictures>()
            .add_actions(
                [
                    HelpAction::Guide,
                    HelpAction::Figures,
                    HelpAction::Shortcuts,
                    HelpAction::Computer,
                    HelpAction::About,
                ],
                run,
            )
            .add_part(Slot::Update, drop_finished)
            .add_menu("Help", 100)
            .add_menu_part("Help", 10, menu);
    }
}

/// Commands of the Help menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpAction {
    Guide,
    /// The figures of the documents and the claims of their texts.
    Figures,
    Shortcuts,
    /// The graphics card, the memory and the folders of this computer.
    Computer,
    About,
    /// The help page of the node with this name.
    Node(&'static str),
}

impl Action for HelpAction {
    fn section(&self) -> &'static str {
        "Help"
    }

    fn info(&self) -> Info {
        match self {
            Self::Guide => Info::new("User guide", "Explains how to use the editor.", icon::BOOK, keys![SHIFT + F1]),
            Self::Figures => Info::new(
                "Figures and claims",
                "Lists the figures of the papers with their scenes, the claims of the texts, and the measured numbers.",
                icon::CHECK_SQUARE,
                &[],
            ),
            Self::Shortcuts => {
                Info::new("Keyboard shortcuts", "Lists all keyboard shortcuts.", icon::KEYBOARD, keys![NONE + F1])
            }
            Self::Computer => Info::new(
                "About this computer",
                "Lists graphics card, driver, memory and folders, and what they mean for Talweg.",
                icon::DESKTOP_TOWER,
                &[],
            ),
            Self::About => Info::new("About Talweg", "Shows the version and licence.", icon::INFO, &[]),
            Self::Node(name) => Info::new(
                format!("Help on {}", Node::named(name).map_or(*name, |node| node.about().label)),
                "Describes the node and all of its parameters.",
                icon::BOOK_OPEN,
                &[],
            ),
        }
    }
}

/// The task that renders the images of the help page that was opened last.
#[derive(Resource, Default)]
struct NodePictures(Option<Task<()>>);

/// Size of the images on a help page.
const PICTURES: Size = Size { samples: 129, pixels: 168 };

/// Images that show the effect of each parameter of a node. A background task renders them.
fn pictures_of(node: &Node, tasks: &Tasks, drawing: &mut NodePictures) -> Vec<ParamPictures> {
    let mut variants = Vec::new();
    let mut places = Vec::new();
    let mut pages = Vec::new();
    for (param, of_param) in param_variants(node) {
        let mut values = Vec::new();
        for variant in of_param {
            let picture = SceneThumbnail::default();
            values.push((short_caption(&variant), picture.clone()));
            places.push(picture);
            variants.push((variants.len(), variant));
        }
        pages.push(ParamPictures { param, values });
    }
    let draw = move |control: &Control| {
        // if no threads can be started, the page has no images
        let Ok(pool) = thread_pool(0) else { return };
        let place = |index: usize, thumbnail: Thumbnail| places[index].set(thumbnail.image);
        // an error means that another page was opened, which cancels the drawing
        let _ = pool.install(|| draw_all(&variants, PICTURES, control, &place));
    };
    drawing.0 = tasks.start("node-pictures", draw).ok();
    pages
}

/// Drops a finished task, so that the window no longer counts as busy.
fn drop_finished(_: InMut<Ui>, mut drawing: ResMut<NodePictures>) {
    if drawing.0.as_mut().is_some_and(|task| !matches!(task.outcome(), Outcome::Running)) {
        drawing.0 = None;
    }
}

fn run(
    In(action): In<HelpAction>,
    registry: Res<CommandRegistry>,
    mut editor: ResMut<Editor>,
    (tasks, mut drawing): (Res<Tasks>, ResMut<NodePictures>),
) {
    match action {
        HelpAction::Shortcuts => {
            let list = Shortcuts::new(registry.all(), &editor.keymap);
            editor.dialogs.open(list);
        }
        HelpAction::Guide => editor.dialogs.open(GuideDialog::default()),
        HelpAction::Figures => editor.dialogs.open(FiguresDialog::default()),
        HelpAction::Computer => editor.dialogs.open(ComputerDialog::new(&tasks)),
        HelpAction::About => editor.dialogs.open(AboutDialog::default()),
        HelpAction::Node(name) => {
            if let Some(node) = Node::named(name) {
                let pictures = pictures_of(&node, &tasks, &mut drawing);
                editor.dialogs.open(NodePage::new(&node, pictures));
            }
        }
    }
}

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    pick(ui, &mut queue, HelpAction::Guide, true);
    pick(ui, &mut queue, HelpAction::Figures, true);
    pick(ui, &mut queue, HelpAction::Shortcuts, true);
    let selected = editor.doc.selected_layer().and_then(|index| editor.doc.scene().layers.get(index));
    if let Some(layer) = selected {
        pick(ui, &mut queue, HelpAction::Node(layer.node.about().name), true);
    }
    pick(ui, &mut queue, HelpAction::Computer, true);
    pick(ui, &mut queue, HelpAction::About, true);
}

/// All commands with a shortcut, grouped by heading.
struct Shortcuts(Vec<(&'static str, Vec<(Command, String)>)>);

impl Shortcuts {
    fn new(commands: &[Command], keymap: &Keymap) -> Self {
        let mut sections: Vec<(&'static str, Vec<(Command, String)>)> = Vec::new();
        for command in commands {
            let keys = keymap.keys(command);
            if keys.is_empty() {
                continue;
            }
            let (title, line) = (command.section(), (command.clone(), shortcuts_text(&keys)));
            match sections.iter_mut().find(|(known, _)| *known == title) {
                Some((_, lines)) => lines.push(line),
                None => sections.push((title, vec![line])),
            }
        }
        Self(sections)
    }
}

/// Width of a column of shortcuts, and the gap between two columns, in points.
const COLUMN: [f32; 2] = [350.0, 28.0];
const MOST_COLUMNS: usize = 3;

impl Shortcuts {
    /// The number of sections in each of `count` columns, which are about equally long.
    fn columns(&self, count: usize) -> Vec<usize> {
        // the title of a section is as high as a line and a half
        let lines = |section: &(&str, Vec<(Command, String)>)| section.1.len() as f32 + 1.5;
        let whole: f32 = self.0.iter().map(lines).sum();
        let (mut columns, mut above) = (vec![0; count], 0.0);
        for section in &self.0 {
            let middle = above + 0.5 * lines(section);
            columns[((middle / whole * count as f32) as usize).min(count - 1)] += 1;
            above += lines(section);
        }
        columns
    }

    fn list(&self, ui: &mut Ui, columns: &[usize]) {
        let lines = self.0.iter().map(|(_, commands)| commands.len()).sum();
        let mut left = long_list::laid_out(ui, "shortcuts", 28, lines);
        let mut sections = self.0.iter();
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = COLUMN[1];
            for count in columns {
                ui.vertical(|ui| {
                    ui.set_width(COLUMN[0]);
                    ui.spacing_mut().item_spacing.x = 6.0;
                    for (title, commands) in sections.by_ref().take(*count) {
                        let shown = commands.len().min(left);
                        left -= shown;
                        if shown > 0 {
                            ui.add_space(6.0);
                            ui.label(RichText::new(*title).strong().color(colour::accent()));
                        }
                        commands[..shown].iter().for_each(|(command, keys)| shortcut(ui, command, keys));
                    }
                });
            }
        });
    }
}

impl Dialog for Shortcuts {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut answer = None;
        let screen = ctx.viewport_rect().size();
        let [width, gap] = COLUMN;
        let count = ((screen.x - 80.0 + gap) / (width + gap)) as usize;
        let columns = self.columns(count.clamp(1, MOST_COLUMNS));
        let modal = modal(ctx, "shortcuts").show(ctx, |ui| {
            let whole = columns.len() as f32 * (width + gap) - gap + 12.0;
            ui.set_width(whole);
            ui.heading("Keyboard shortcuts");
            ui.add_space(8.0);
            ScrollArea::vertical().max_height(screen.y - 150.0).show(ui, |ui| {
                scroll_by_keys(ui);
                ui.set_width(ui.available_width());
                self.list(ui, &columns);
            });
            ui.add_space(10.0);
            answer = close_button(ui);
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}

fn shortcut(ui: &mut Ui, command: &Command, keys: &str) {
    let info = command.info();
    ui.horizontal(|ui| {
        ui.label(info.icon);
        ui.label(&info.label).on_hover_text(&info.tooltip);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(12.0);
            ui.label(RichText::new(keys).color(colour::text_weak()));
        });
    });
}

/// The about box: name, version, purpose and licence of the program, and the lines of the licences of the packages
/// inside it.
struct AboutDialog(Vec<String>);

impl Default for AboutDialog {
    fn default() -> Self {
        let text = third_party_licences().unwrap_or_else(|error| format!("The licences could not be read: {error}"));
        Self(text.lines().map(String::from).collect())
    }
}

impl Dialog for AboutDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut answer = None;
        let modal = modal(ctx, "about").show(ctx, |ui| {
            ui.set_width(380.0);
            ui.heading(concat!("Talweg ", env!("CARGO_PKG_VERSION")));
            ui.add_space(6.0);
            ui.label(concat!(env!("CARGO_PKG_DESCRIPTION"), "."));
            ui.label("The talweg is the line that water follows along a valley.");
            ui.add_space(6.0);
            ui.weak(concat!("Licence: ", env!("CARGO_PKG_LICENSE")));
            ui.collapsing("Licences of the packages inside", |ui| {
                let height = ui.text_style_height(&TextStyle::Small);
                // only the lines in sight are laid out
                ScrollArea::both().max_height(240.0).show_rows(ui, height, self.0.len(), |ui, rows| {
                    scroll_by_keys(ui);
                    let lines = self.0[rows].iter();
                    lines.for_each(|line| drop(ui.add(Label::new(RichText::new(line).small()).extend())));
                });
            });
            ui.add_space(12.0);
            answer = close_button(ui);
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}

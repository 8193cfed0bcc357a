//! The panels around the 3D view. Features register parts of the interface, and this module draws them slot by slot.
//!
//! A part is a system whose input is the [`Ui`] of its slot. The parts of a slot are drawn in the order of their
//! registration. Their commands are put into the [`CommandQueue`](super::commands::CommandQueue).
//!
//! ```text
//! Begin ─ keys ─ menus ─ status ─ docked panels (the panel of the view draws Notice ─ Top) ─▶ free rectangle
//!       ─ View ─ commands are executed ─ Window ─ dialogs ─ messages ─ End
//! ```

use bevy::ecs::system::{InMut, IntoSystem, SystemId};
use bevy::prelude::{App, Resource, World, error};
use bevy_egui::egui;
use egui::{Frame, Margin, Panel, Rect, Ui, UiBuilder};

use super::commands::{self, Command, CommandQueue, ComputeAction};
use super::editor::Editor;
use super::focus;
use super::menu_bar;
use super::panels;
use super::status::{self, StatusHint, StatusInfo};
use super::theme::{self, colour};
use super::toasts::MOST_MESSAGES;
use super::typed_ahead::TypedAhead;
use super::units;
use super::widgets::params::take_refusal;

/// The place and time at which a part of the interface is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Parts that are drawn before any visible part. They read the changes since the last frame.
    Update,
    /// Parameters of a selected element of a layer, such as a construction piece; drawn before `Parameters`.
    PartParameters,
    /// Parameters of the selected layer or scene. Drawn only if [`InterfaceFrame::has_parameters`] is false.
    Parameters,
    /// A bar above the view that reports a problem.
    Notice,
    Top,
    /// Parts that are drawn on top of the 3D view.
    View,
    Window,
    /// Parts that run after all other parts are drawn.
    End,
}

type Part = SystemId<InMut<'static, Ui>>;

/// A menu of the menu bar.
struct Menu {
    title: &'static str,
    /// Sort key: menus are ordered by this number from left to right.
    place: i32,
    /// The entries of the menu, each with a sort key. The entry with the lowest key is at the top.
    parts: Vec<(i32, Part)>,
}

/// All interface parts that the features and the frame have registered.
#[derive(Resource, Default)]
pub struct Interface {
    parts: Vec<(Slot, Part)>,
    menus: Vec<Menu>,
}

/// Data of one frame that the parts share with each other and with the frame.
#[derive(Resource, Clone, Debug)]
pub struct InterfaceFrame {
    /// The rectangle that is left for the 3D view, in points. It is valid from the slot `View` on.
    pub free_rect: Rect,
    /// Height of the strip at the upper edge of the view that bars cover, in points.
    pub top_margin: f32,
    /// Whether a part uses the pointer in the view. The camera then ignores the pointer.
    pub takes_pointer: bool,
    /// Whether a part uses the left button in the view. The camera then reacts only to the other buttons.
    pub takes_primary: bool,
    /// Whether a dragged object follows the pointer although no button is pressed.
    pub is_grabbing: bool,
    /// Whether a part has already drawn the parameters of the selection.
    pub has_parameters: bool,
}

impl Default for InterfaceFrame {
    fn default() -> Self {
        Self {
            free_rect: Rect::NOTHING,
            top_margin: 0.0,
            takes_pointer: false,
            takes_primary: false,
            is_grabbing: false,
            has_parameters: false,
        }
    }
}

/// The output of one drawn frame of the interface.
#[derive(Resource, Clone, Copy, Debug)]
pub struct InterfaceLayout {
    /// The rectangle that is left for the 3D view, in points.
    pub free_rect: Rect,
    /// Whether the 3D view must ignore the pointer: a dialog is open, or the pointer is over a menu or a message.
    pub covered: bool,
    /// Whether a part uses the left button in the view.
    pub primary_taken: bool,
}

impl Default for InterfaceLayout {
    fn default() -> Self {
        Self { free_rect: Rect::NOTHING, covered: false, primary_taken: false }
    }
}

/// Registers parts of the interface.
pub trait InterfaceApp {
    /// Adds a part to a slot. Parts of a slot are drawn in the order in which they were added.
    fn add_part<M>(&mut self, slot: Slot, part: impl IntoSystem<InMut<'static, Ui>, (), M> + 'static) -> &mut Self;

    /// Adds a menu to the menu bar. The menu with the lowest `place` is on the left.
    fn add_menu(&mut self, title: &'static str, place: i32) -> &mut Self;

    /// Adds entries to a menu. The entry with the lowest `place` is at the top. A menu that was never added with
    /// `add_menu` appears at the right end.
    fn add_menu_part<M>(
        &mut self,
        title: &'static str,
        place: i32,
        part: impl IntoSystem<InMut<'static, Ui>, (), M> + 'static,
    ) -> &mut Self;
}

impl Interface {
    fn menu(&mut self, title: &'static str) -> &mut Menu {
        let index = self.menus.iter().position(|menu| menu.title == title).unwrap_or_else(|| {
            self.menus.push(Menu { title, place: i32::MAX, parts: Vec::new() });
            self.menus.len() - 1
        });
        &mut self.menus[index]
    }
}

impl InterfaceApp for App {
    fn add_part<M>(&mut self, slot: Slot, part: impl IntoSystem<InMut<'static, Ui>, (), M> + 'static) -> &mut Self {
        let part = self.register_system(part);
        self.world_mut().get_resource_or_init::<Interface>().parts.push((slot, part));
        self
    }

    fn add_menu(&mut self, title: &'static str, place: i32) -> &mut Self {
        let mut interface = self.world_mut().get_resource_or_init::<Interface>();
        interface.menu(title).place = place;
        interface.menus.sort_by_key(|menu| menu.place);
        self
    }

    fn add_menu_part<M>(
        &mut self,
        title: &'static str,
        place: i32,
        part: impl IntoSystem<InMut<'static, Ui>, (), M> + 'static,
    ) -> &mut Self {
        let part = self.register_system(part);
        let mut interface = self.world_mut().get_resource_or_init::<Interface>();
        let parts = &mut interface.menu(title).parts;
        parts.push((place, part));
        parts.sort_by_key(|(place, _)| *place);
        self
    }
}

/// Draws the interface and executes the commands that were issued.
pub fn draw(world: &mut World, root: &mut Ui) -> InterfaceLayout {
    let ctx = root.ctx().clone();
    theme::follow(&ctx, &world.resource::<Editor>().interface);
    units::set_current(world.resource::<Editor>().interface.units);
    world.resource::<Editor>().keymap.show(&ctx);
    world.insert_resource(InterfaceFrame::default());
    world.resource_mut::<TypedAhead>().begin_frame(&ctx);
    world.resource_mut::<Editor>().update_library(&ctx);
    slot(world, Slot::Update, root);
    take_shortcut(world, &ctx);
    focus::take_tab(&ctx);
    bars(world, root);
    let free_rect = panels::draw(world, root, |world, ui| {
        slot(world, Slot::Notice, ui);
        slot(world, Slot::Top, ui);
    });
    world.resource_mut::<InterfaceFrame>().free_rect = free_rect;
    let mut view = root.new_child(UiBuilder::new().max_rect(free_rect));
    slot(world, Slot::View, &mut view);
    commands::run_all(world, &ctx);
    slot(world, Slot::Window, root);
    let answered = world.resource_mut::<Editor>().show_dialogs(&ctx);
    world.resource_mut::<CommandQueue>().extend(answered);
    commands::run_all(world, &ctx);
    if let Some(refused) = take_refusal(&ctx) {
        world.resource_mut::<Editor>().toasts.info(refused);
    }
    let margin = world.resource::<InterfaceFrame>().top_margin;
    let mut editor = world.resource_mut::<Editor>();
    let most = if editor.dialogs.is_open() { 1 } else { MOST_MESSAGES };
    editor.toasts.show(&ctx, free_rect.with_min_y(free_rect.min.y + margin), most);
    slot(world, Slot::End, root);
    focus::outline(&ctx);
    if world.resource::<StatusHint>().is_new() {
        ctx.request_repaint();
    }
    let frame = world.resource::<InterfaceFrame>().clone();
    let mut editor = world.resource_mut::<Editor>();
    editor.end_frame(&ctx, frame.is_grabbing);
    let over = ctx.pointer_latest_pos().and_then(|at| ctx.layer_id_at(at));
    let covered = editor.dialogs.is_open()
        || egui::Popup::is_any_open(&ctx)
        || frame.takes_pointer
        || over.is_some_and(|layer| layer.order != egui::Order::Background);
    InterfaceLayout { free_rect, covered, primary_taken: frame.takes_primary }
}

fn slot(world: &mut World, slot: Slot, ui: &mut Ui) {
    let parts = &world.resource::<Interface>().parts;
    let parts: Vec<Part> = parts.iter().filter(|(of, _)| *of == slot).map(|(_, part)| *part).collect();
    run(world, parts, ui);
}

fn run(world: &mut World, parts: Vec<Part>, ui: &mut Ui) {
    for part in parts {
        if let Err(problem) = world.run_system_with(part, ui) {
            error!("cannot draw a part of the interface: {problem}");
        }
    }
}

/// Handles keyboard shortcuts. A shortcut with Ctrl during text input waits one frame, so that the text is applied
/// first.
fn take_shortcut(world: &mut World, ctx: &egui::Context) {
    let deferred = world.resource_mut::<Editor>().deferred.take();
    world.resource_mut::<CommandQueue>().extend(deferred);
    if world.resource::<Editor>().dialogs.is_open() || egui::Popup::is_any_open(ctx) {
        return;
    }
    let typing = ctx.text_edit_focused();
    let Some((command, later)) = commands::pressed(world, ctx) else { return };
    let mut typed_ahead = world.resource_mut::<TypedAhead>();
    typed_ahead.extend(later);
    if command.asks_for_text() {
        typed_ahead.await_field();
    }
    // egui has already released the text field's keyboard focus when Escape arrives here
    if command == Command::from(ComputeAction::Cancel)
        && (commands::leave(world) || world.resource_mut::<Editor>().toasts.close_newest())
    {
        return;
    }
    if typing {
        ctx.memory_mut(|memory| {
            if let Some(id) = memory.focused() {
                memory.surrender_focus(id);
            }
        });
        world.resource_mut::<Editor>().deferred = Some(command);
        ctx.request_repaint();
    } else {
        world.resource_mut::<CommandQueue>().push(command);
    }
}

fn bars(world: &mut World, root: &mut Ui) {
    let bar = Frame::new().fill(colour::deep()).inner_margin(Margin::symmetric(8, 2));
    Panel::top("menu").frame(bar).show(root, |ui| menu_bar(world, ui));
    Panel::bottom("status").exact_size(status::INNER_HEIGHT + 4.0).frame(bar).show(root, |ui| {
        let hint = world.resource_mut::<StatusHint>().next_text();
        let asked = status::show(ui, &world.resource::<Editor>().doc, world.resource::<StatusInfo>(), hint.as_deref());
        world.resource_mut::<CommandQueue>().extend(asked);
    });
}

/// The parameter panel. Shows the parameters of the selected element of a layer, of the selected layer, or of the
/// scene.
pub(super) fn parameters(InMut(ui): InMut<Ui>, world: &mut World) {
    slot(world, Slot::PartParameters, ui);
    slot(world, Slot::Parameters, ui);
}

fn menu_bar(world: &mut World, ui: &mut Ui) {
    let menus: Vec<(&'static str, Vec<Part>)> = {
        let menus = &world.resource::<Interface>().menus;
        menus.iter().map(|menu| (menu.title, menu.parts.iter().map(|(_, part)| *part).collect())).collect()
    };
    egui::MenuBar::new().ui(ui, |ui| {
        ui.spacing_mut().button_padding = egui::vec2(8.0, 4.0);
        let titles: Vec<&str> = menus.iter().map(|(title, _)| *title).collect();
        menu_bar::show(ui, &titles, |k, ui| run(world, menus[k].1.clone(), ui));
        super::menu::scene_name(ui, &world.resource::<Editor>().doc);
    });
}

/// The scroll area for the parameters of the selection that `salt` identifies.
pub fn parameter_area(ui: &mut Ui, salt: impl std::hash::Hash + std::fmt::Debug, contents: impl FnOnce(&mut Ui)) {
    let area = egui::ScrollArea::vertical().id_salt(("parameters", salt)).auto_shrink(false);
    area.show(ui, |ui| Frame::new().inner_margin(Margin { right: 10, ..Margin::ZERO }).show(ui, contents));
}

/// The frame of a bar along an edge of the window or the view.
pub fn bar_frame() -> Frame {
    Frame::new().fill(colour::panel()).inner_margin(Margin::symmetric(8, 0))
}

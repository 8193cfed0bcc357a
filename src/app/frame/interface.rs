//! The panels around the 3D view: features register parts of the interface, and they are drawn here, slot by slot.
//!
//! A part is a system whose input is the [`Ui`] of its place. Parts of a slot are drawn in the order in which they were
//! registered. What they ask for goes into the [`CommandQueue`](super::commands::CommandQueue).
//!
//! ```text
//! Begin ─ keys ─ menus ─ status ─ docked panels, within that of the view Notice ─ Top ─▶ free rectangle
//!       ─ View ─ commands are carried out ─ Window ─ dialogs ─ messages ─ End
//! ```

use bevy::ecs::system::{InMut, IntoSystem, SystemId};
use bevy::prelude::{App, Resource, World, error};
use bevy_egui::egui;
use egui::{Frame, Margin, Panel, Rect, Ui, UiBuilder};

use super::commands::{self, Command, CommandQueue, ComputeAction};
use super::editor::Editor;
use super::panels;
use super::status::{self, StatusHint, StatusInfo};
use super::theme::{self, colour};
use super::units;
use super::widgets::params::take_refusal;

/// Where a part of the interface is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Before anything is drawn: takes in what has changed since the last frame.
    Begin,
    /// Parameters of what is selected within a layer; goes before `Parameters`.
    PartParameters,
    /// Parameters of what is selected, unless [`InterfaceFrame::has_parameters`] says that they are there.
    Parameters,
    /// A bar over the view that says what is amiss.
    Notice,
    Top,
    /// Over the view.
    View,
    Window,
    /// After everything is drawn.
    End,
}

type Part = SystemId<InMut<'static, Ui>>;

/// A menu of the bar.
struct Menu {
    title: &'static str,
    /// Of the menus, from the left.
    place: i32,
    /// With their places, from the top.
    parts: Vec<(i32, Part)>,
}

/// All parts that are registered.
#[derive(Resource, Default)]
pub struct Interface {
    parts: Vec<(Slot, Part)>,
    menus: Vec<Menu>,
}

/// What the parts of one frame tell each other and the frame.
#[derive(Resource, Clone, Debug)]
pub struct InterfaceFrame {
    /// What is left for the 3D view, in points; known from the slot `View` on.
    pub free_rect: Rect,
    /// What is drawn over the upper edge of the view takes so much of its height.
    pub top_margin: f32,
    /// A part is at work in the view: the camera shall not take the pointer.
    pub takes_pointer: bool,
    /// A part is at work in the view with the left button: the camera shall take the others alone.
    pub takes_primary: bool,
    /// Something follows the pointer although no button is down.
    pub is_grabbing: bool,
    /// A part has drawn the parameters of what is selected.
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

/// What a frame of the interface came to.
#[derive(Resource, Clone, Copy, Debug)]
pub struct InterfaceLayout {
    /// What is left for the 3D view, in points.
    pub free_rect: Rect,
    /// A dialog is open, or the pointer is over a menu or a message: the 3D view shall not take the pointer.
    pub covered: bool,
    /// The left button is at work in the view.
    pub primary_taken: bool,
}

impl Default for InterfaceLayout {
    fn default() -> Self {
        Self { free_rect: Rect::NOTHING, covered: false, primary_taken: false }
    }
}

/// Registers parts of the interface.
pub trait InterfaceApp {
    /// A part of the interface.
    fn add_part<M>(&mut self, slot: Slot, part: impl IntoSystem<InMut<'static, Ui>, (), M> + 'static) -> &mut Self;

    /// A menu of the bar; the lowest place is on the left.
    fn add_menu(&mut self, title: &'static str, place: i32) -> &mut Self;

    /// Entries of a menu, the lowest place at the top. What nobody added as a menu is added at the right end.
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

/// Draws everything and carries out what was asked for.
pub fn draw(world: &mut World, root: &mut Ui) -> InterfaceLayout {
    let ctx = root.ctx().clone();
    theme::follow(&ctx, &world.resource::<Editor>().interface);
    units::set_current(world.resource::<Editor>().interface.units);
    world.resource::<Editor>().keymap.show(&ctx);
    world.insert_resource(InterfaceFrame::default());
    slot(world, Slot::Begin, root);
    take_shortcut(world, &ctx);
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
    world.resource_mut::<Editor>().toasts.show(&ctx, free_rect.with_min_y(free_rect.min.y + margin));
    slot(world, Slot::End, root);
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

/// Draws the parts of a slot.
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

/// A shortcut; one with Ctrl that comes while a text is typed waits a frame, so that the text is taken first.
fn take_shortcut(world: &mut World, ctx: &egui::Context) {
    let deferred = world.resource_mut::<Editor>().deferred.take();
    world.resource_mut::<CommandQueue>().extend(deferred);
    if world.resource::<Editor>().dialogs.is_open() || egui::Popup::is_any_open(ctx) {
        return;
    }
    let typing = ctx.text_edit_focused();
    let Some(command) = commands::pressed(world, ctx) else { return };
    // the field has given the keyboard away already when Escape arrives here
    if command == Command::from(ComputeAction::Cancel) && commands::leave(world) {
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
    Panel::bottom("status").exact_size(26.0).frame(bar).show(root, |ui| {
        let hint = world.resource_mut::<StatusHint>().say();
        let asked = status::show(ui, &world.resource::<Editor>().doc, world.resource::<StatusInfo>(), hint.as_deref());
        world.resource_mut::<CommandQueue>().extend(asked);
    });
}

/// The panel of parameters: of a part of a layer, of a layer, or of the scene.
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
        for (title, parts) in menus {
            ui.menu_button(title, |ui| tall(ui, title, |ui| run(world, parts, ui)));
        }
        super::menu::scene_name(ui, &world.resource::<Editor>().doc);
    });
}

/// A menu that is taller than the window is scrolled.
fn tall(ui: &mut Ui, title: &str, contents: impl FnOnce(&mut Ui)) {
    let id = egui::Id::new(("height of menu", title));
    let height: f32 = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let most = ui.ctx().viewport_rect().height() - 60.0;
    // the bar that scrolls must not cover the shortcuts
    let margin = Margin { right: if height > most { 12 } else { 0 }, ..Margin::ZERO };
    let measured = |ui: &mut Ui| Frame::new().inner_margin(margin).show(ui, contents).response.rect.height();
    let height = if height > most {
        egui::ScrollArea::vertical().max_height(most).min_scrolled_height(most).show(ui, measured).inner
    } else {
        measured(ui)
    };
    ui.data_mut(|data| data.insert_temp(id, height));
}

/// The scrolled area for the parameters of what `salt` names.
pub fn parameter_area(ui: &mut Ui, salt: impl std::hash::Hash + std::fmt::Debug, contents: impl FnOnce(&mut Ui)) {
    let area = egui::ScrollArea::vertical().id_salt(("parameters", salt)).auto_shrink(false);
    area.show(ui, |ui| Frame::new().inner_margin(Margin { right: 10, ..Margin::ZERO }).show(ui, contents));
}

/// A bar along an edge.
pub fn bar_frame() -> Frame {
    Frame::new().fill(colour::panel()).inner_margin(Margin::symmetric(8, 0))
}

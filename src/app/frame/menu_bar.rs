//! The menu bar, with pointer and keyboard.
//!
//! While a menu is open, pointing at another title opens that menu. `F10` opens the first menu, and Alt with a letter
//! the next menu whose title starts with it. Left and Right change to the menu beside; Up and Down move between the
//! entries of the open menu, and never to widgets behind it. On an entry with a submenu, Right opens the submenu; Left
//! closes it again.

use bevy_egui::egui;
use egui::containers::menu::MenuState;
use egui::{Event, FocusDirection, Id, Key, LayerId, Margin, Modifiers, Popup, Response, Ui};

/// Height that no entry of a menu reaches, in points.
const MOST_ENTRY: f32 = 60.0;

/// A menu that was drawn: its title and, while it is open, the layer of its entries.
struct DrawnMenu {
    title: Response,
    layer: Option<LayerId>,
}

impl DrawnMenu {
    fn popup(&self) -> Id {
        Popup::default_response_id(&self.title)
    }

    /// Opens this menu, which closes all others.
    fn open(&self) {
        Popup::open_id(&self.title.ctx, self.popup());
        self.title.request_focus();
        self.title.ctx.request_repaint();
    }
}

/// A submenu that was drawn: its entry in the menu, the state of that menu and, while the submenu is open, its layer.
#[derive(Clone, Copy)]
struct DrawnSubmenu {
    entry: Id,
    menu: Id,
    layer: Option<LayerId>,
}

/// The submenus of the last frame, and the submenu that the keyboard opens.
#[derive(Clone, Default)]
struct Submenus {
    drawn: Vec<DrawnSubmenu>,
    /// The entry whose submenu was opened by a key, until the focus is in the submenu.
    entered: Option<Id>,
    /// Whether the key press has still to reach the entry.
    is_pressing: bool,
}

impl Submenus {
    fn update<R>(ctx: &egui::Context, change: impl FnOnce(&mut Self) -> R) -> R {
        ctx.data_mut(|data| change(data.get_temp_mut_or_default(Id::new("submenus"))))
    }
}

/// A menu entry that opens a menu beside it.
pub fn submenu(ui: &mut Ui, sign: &str, title: &str, contents: impl FnOnce(&mut Ui)) {
    let enabled = ui.is_enabled();
    let menu = MenuState::from_ui(ui, |_, stack| stack.id);
    let drawn = ui.menu_button(format!("{sign}  {title}"), |ui| scrollable(ui, title, contents));
    drawn.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, enabled, title));
    let layer = drawn.inner.is_some().then(|| {
        let popup = egui::containers::menu::SubMenu::id_from_widget_id(drawn.response.id);
        LayerId::new(egui::Order::Foreground, popup)
    });
    let submenu = DrawnSubmenu { entry: drawn.response.id, menu, layer };
    Submenus::update(ui.ctx(), |submenus| submenus.drawn.push(submenu));
}

/// Draws the menus with these titles; `contents` draws the entries of a menu, given its position in the bar.
pub(super) fn show(ui: &mut Ui, titles: &[&str], mut contents: impl FnMut(usize, &mut Ui)) {
    let is_any_open = Popup::is_any_open(ui.ctx());
    let presses = Submenus::update(ui.ctx(), |submenus| {
        submenus.drawn.clear();
        std::mem::take(&mut submenus.is_pressing)
    });
    if presses {
        let (key, modifiers) = (Key::Enter, Modifiers::NONE);
        let press = Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
        ui.input_mut(|input| input.events.push(press));
    }
    let mut menus = Vec::new();
    for (k, &title) in titles.iter().enumerate() {
        let (button, inner) =
            egui::containers::menu::MenuButton::new(title).ui(ui, |ui| scrollable(ui, title, |ui| contents(k, ui)));
        menus.push(DrawnMenu { title: button, layer: inner.map(|inner| inner.response.layer_id) });
    }
    let open = menus.iter().position(|menu| is_any_open && menu.layer.is_some());
    if let Some(key) = taken_key(ui, titles, open.is_some()) {
        obey(&menus, open, key, titles);
    }
    let is_moving = ui.input(|input| input.pointer.delta() != egui::Vec2::ZERO);
    let under_pointer = menus.iter().position(|menu| menu.title.contains_pointer());
    if let (Some(open), Some(other), true) = (open, under_pointer, is_moving)
        && open != other
    {
        menus[other].open();
    }
    if open.is_some() {
        enter_submenu(ui.ctx());
    }
}

/// Gives the focus to the first entry of the submenu that a key opened, as soon as the submenu is drawn.
fn enter_submenu(ctx: &egui::Context) {
    let submenus = Submenus::update(ctx, |submenus| submenus.clone());
    let Some(entered) = submenus.entered else { return };
    let layer = submenus.drawn.iter().find(|submenu| submenu.entry == entered).and_then(|submenu| submenu.layer);
    let first =
        layer.and_then(|layer| ctx.viewport(|viewport| entries(&viewport.this_pass.widgets, layer).first().copied()));
    if let Some(first) = first {
        ctx.memory_mut(|memory| memory.request_focus(first));
        Submenus::update(ctx, |submenus| submenus.entered = None);
    }
    ctx.request_repaint();
}

/// Opens the submenu of the entry that has the focus. Returns whether that entry has one.
fn open_submenu(ctx: &egui::Context) -> bool {
    let focused = ctx.memory(|memory| memory.focused());
    Submenus::update(ctx, |submenus| {
        let Some(submenu) = submenus.drawn.iter().find(|submenu| Some(submenu.entry) == focused) else { return false };
        (submenus.entered, submenus.is_pressing) = (focused, submenu.layer.is_none());
        true
    })
}

/// Closes the submenu that has the focus. Returns whether there is one.
fn close_submenu(ctx: &egui::Context) -> bool {
    let focused = ctx.memory(|memory| memory.focused());
    let place = focused.and_then(|id| ctx.viewport(|viewport| viewport.this_pass.widgets.get(id).copied()));
    let submenus = Submenus::update(ctx, |submenus| submenus.clone());
    let inside = |submenu: &&DrawnSubmenu| submenu.layer.is_some() && submenu.layer == place.map(|w| w.layer_id);
    let Some(submenu) = submenus.drawn.iter().find(inside) else { return false };
    MenuState::from_id(ctx, submenu.menu, |state| state.open_item = None);
    ctx.memory_mut(|memory| memory.request_focus(submenu.entry));
    true
}

/// Makes a menu scrollable if it is taller than the window.
fn scrollable(ui: &mut Ui, title: &str, contents: impl FnOnce(&mut Ui)) {
    let id = Id::new(("height of menu", title));
    let height: f32 = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let most = ui.ctx().viewport_rect().height() - 60.0;
    // reserve a margin for the scroll bar, so that it does not cover the shortcuts
    let margin = Margin { right: if height > most { 12 } else { 0 }, ..Margin::ZERO };
    let measured = |ui: &mut Ui| egui::Frame::new().inner_margin(margin).show(ui, contents).response.rect.height();
    // a menu that was closed opens at its top again
    let (shown, now) = (Id::new(("frame of menu", title)), ui.ctx().cumulative_frame_nr());
    let last: Option<u64> = ui.data(|data| data.get_temp(shown));
    ui.data_mut(|data| data.insert_temp(shown, now));
    let height = if height > most {
        let area = egui::ScrollArea::vertical().max_height(most).min_scrolled_height(most);
        let area = if last.is_some_and(|last| last + 1 >= now) { area } else { area.vertical_scroll_offset(0.0) };
        area.show(ui, measured).inner
    } else {
        measured(ui)
    };
    ui.data_mut(|data| data.insert_temp(id, height));
}

/// Takes a key press that belongs to the menu bar out of the input. The menus stay closed behind a dialog, and Alt with
/// a letter can type a character into a text field.
fn taken_key(ui: &Ui, titles: &[&str], is_open: bool) -> Option<Key> {
    if ui.memory(|memory| memory.top_modal_layer()).is_some() {
        return None;
    }
    let is_typing = ui.text_edit_focused();
    let starts_a_title = |key: Key| titles.iter().any(|title| title.starts_with(key.name()));
    let is_ours = |key: Key, modifiers: Modifiers| match key {
        Key::F10 => modifiers.is_none(),
        Key::ArrowLeft | Key::ArrowRight | Key::ArrowUp | Key::ArrowDown => is_open && modifiers.is_none(),
        key => !is_typing && modifiers.matches_exact(Modifiers::ALT) && starts_a_title(key),
    };
    let taken = ui.input_mut(|input| {
        let place = input.events.iter().position(
            |event| matches!(event, Event::Key { key, pressed: true, modifiers, .. } if is_ours(*key, *modifiers)),
        )?;
        match input.events.remove(place) {
            Event::Key { key, .. } => Some(key),
            _ => None,
        }
    });
    if taken.is_some() {
        // otherwise egui would also move the focus to the widget in the direction of the arrow, behind the menu
        ui.memory_mut(|memory| memory.move_focus(FocusDirection::None));
    }
    taken
}

/// Carries out a key press of the menu bar.
fn obey(menus: &[DrawnMenu], open: Option<usize>, key: Key, titles: &[&str]) {
    let count = menus.len();
    let ctx = &menus[0].title.ctx;
    let beside = |step: usize| open.map_or(0, |open| (open + step) % count);
    match key {
        Key::ArrowLeft if close_submenu(ctx) => {}
        Key::ArrowLeft => menus[beside(count - 1)].open(),
        Key::ArrowRight if open_submenu(ctx) => {}
        Key::ArrowRight => menus[beside(1)].open(),
        Key::ArrowUp | Key::ArrowDown => {
            if let Some(layer) = open.and_then(|open| menus[open].layer) {
                move_focus(ctx, layer, key == Key::ArrowDown);
            }
        }
        Key::F10 => menus[0].open(),
        letter => {
            let places = (0..count).map(|k| (k + open.map_or(0, |open| open + 1)) % count);
            if let Some(place) = places.into_iter().find(|k| titles[*k].starts_with(letter.name())) {
                menus[place].open();
            }
        }
    }
}

/// The entries of a menu that can have the focus, from the top. The menu as a whole is a widget, too, but it is higher
/// than an entry.
fn entries(widgets: &egui::WidgetRects, menu: LayerId) -> Vec<Id> {
    let is_entry = |w: &&egui::WidgetRect| w.enabled && w.sense.is_focusable() && w.rect.height() < MOST_ENTRY;
    widgets.get_layer(menu).filter(is_entry).map(|w| w.id).collect()
}

/// Moves the focus to the next or previous entry of the menu in `menu`, or of the submenu that has the focus.
fn move_focus(ctx: &egui::Context, menu: LayerId, is_down: bool) {
    let focused = ctx.memory(|memory| memory.focused());
    let target = ctx.viewport(|viewport| {
        let widgets = &viewport.this_pass.widgets;
        let layer = focused.and_then(|id| widgets.get(id)).map(|rect| rect.layer_id);
        // the titles are in the background; submenus have layers of their own in front
        let entries = entries(widgets, layer.filter(|layer| layer.order == menu.order).unwrap_or(menu));
        let now = focused.and_then(|id| entries.iter().position(|entry| *entry == id));
        let count = entries.len();
        let next = match (now, is_down) {
            (None, true) => 0,
            (None, false) => count.checked_sub(1)?,
            (Some(now), true) => (now + 1) % count,
            (Some(now), false) => (now + count - 1) % count,
        };
        entries.get(next).copied()
    });
    if let Some(target) = target {
        ctx.memory_mut(|memory| memory.request_focus(target));
    }
}

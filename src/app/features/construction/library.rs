//! The library of pieces, a panel over the view. A click on an item places a piece at the centre of the view. After a
//! drag, the piece is placed at the drop point.

use bevy_egui::egui;
use egui::{Align, Area, CursorIcon, Layout, Margin, Order, Rect, Response, RichText, Sense, Ui, Vec2, pos2, vec2};
use egui_phosphor::regular as icon;

use crate::features::construction::PieceAction;
use crate::features::construction::list::TreeState;
use crate::frame::commands::Command;
use crate::frame::theme::{colour, icon_button, paint_text};
use crate::frame::user_library::LibraryContents;
use crate::frame::widgets::shipped_pictures::{PictureSubject, ShippedPicture};
use crate::frame::widgets::stamp_picture;
use talweg::construction::edit::library::Item;

const WIDTH: f32 = 208.0;

/// Side length of the picture of an item in points.
const PICTURE: f32 = 26.0;

pub fn item_icon(item: Item) -> &'static str {
    match item {
        Item::Plain => icon::DISC,
        Item::Hills => icon::WAVE_SINE,
        Item::Mountains => icon::MOUNTAINS,
        Item::GulliedMountains => icon::TREE_STRUCTURE,
        Item::Dunes => icon::WAVES,
        Item::River => icon::DROP,
        Item::Road => icon::ROAD_HORIZON,
        Item::Ridge => icon::TRIANGLE,
        Item::Canyon => icon::PATH,
        Item::Lake => icon::CIRCLE,
        Item::Mesa => icon::POLYGON,
        Item::Crater => icon::TARGET,
        Item::Island => icon::ISLAND,
        Item::HillRing => icon::GRID_NINE,
        Item::Boulders | Item::CraterField => icon::DOTS_NINE,
        Item::Image => icon::IMAGE,
        Item::ImageLine => icon::FILM_STRIP,
        Item::Volcano => icon::FIRE,
        Item::Valley => icon::TREE,
        Item::Oasis => icon::TREE_PALM,
        Item::Moon => icon::MOON,
        Item::Stamp(_) => icon::STAMP,
    }
}

/// The name of an item in a sentence: “mesa” for the landform, “mesa stamp” for the stamp with the same label.
pub fn item_noun(item: Item) -> String {
    let label = item.label().to_lowercase();
    if matches!(item, Item::Stamp(_)) { format!("{label} stamp") } else { label }
}

/// The items that the user has clicked or dropped in this frame.
#[derive(Default)]
pub struct LibraryActions {
    /// The clicked item, which is placed at the centre of the view.
    pub middle: Option<Item>,
    /// The dragged item and the screen position of the drop.
    pub dropped: Option<(Item, egui::Pos2)>,
    pub command: Option<Command>,
}

/// Shows the library in the upper left corner of the view.
pub fn show(ui: &mut Ui, state: &mut TreeState, free: Rect) -> LibraryActions {
    let mut asked = LibraryActions::default();
    let at = free.left_top() + vec2(10.0, 10.0);
    let area = Area::new("pieces to place".into()).order(Order::Middle).fixed_pos(at).constrain_to(free);
    let area = area.default_size(free.size());
    let sheet_rect = area.show(ui.ctx(), |ui| {
        let frame = egui::Frame::new().fill(colour::panel()).corner_radius(6).inner_margin(Margin::same(6));
        frame.stroke(egui::Stroke::new(1.0, colour::line())).show(ui, |ui| sheet(ui, state, free, &mut asked));
    });
    let sheet_rect = sheet_rect.response.rect;
    if let Some(item) = state.carried {
        let ctx = ui.ctx().clone();
        ctx.set_cursor_icon(CursorIcon::Grabbing);
        if let Some(at) = ctx.pointer_latest_pos() {
            let layer = egui::LayerId::new(Order::Tooltip, "carried piece".into());
            let painter = ctx.layer_painter(layer);
            let text = format!("{}  {}", item_icon(item), item.label());
            let font = egui::FontId::proportional(13.0);
            let galley = painter.layout_no_wrap(text, font, colour::text_strong());
            let corner = pos2(at.x + 14.0, at.y + 12.0);
            let back = Rect::from_min_size(corner, galley.size()).expand2(vec2(6.0, 3.0));
            painter.rect_filled(back, 4.0, colour::accent_deep());
            painter.galley(corner, galley, colour::text_strong());
            if ctx.input(|i| !i.pointer.any_down()) {
                state.carried = None;
                // if an item was dropped inside the library panel, treat it as a slow click
                match sheet_rect.contains(at) {
                    true => asked.middle = Some(item),
                    false => asked.dropped = Some((item, at)),
                }
            }
        }
    }
    asked
}

fn sheet(ui: &mut Ui, state: &mut TreeState, free: Rect, asked: &mut LibraryActions) {
    let toggle = Command::from(PieceAction::Library);
    if state.library_folded {
        let button = icon_button(ui, true, icon::SHAPES, &toggle.info().label);
        if button.on_hover_text(toggle.tooltip(ui.ctx())).clicked() {
            asked.command = Some(toggle);
        }
        return;
    }
    ui.set_width(WIDTH);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Feature library").strong());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = icon_button(ui, true, icon::X, "Close the library");
            if button.on_hover_text(toggle.tooltip(ui.ctx())).clicked() {
                asked.command = Some(toggle);
            }
        });
    });
    let most = (free.height() - 76.0).max(80.0);
    egui::ScrollArea::vertical().max_height(most).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 2.0);
        let library = LibraryContents::shown_in(ui.ctx());
        let own: Vec<Item> = library.stamps.iter().map(|own| Item::Stamp(own.stamp)).collect();
        let mut groups: Vec<(&str, &[Item])> = Item::groups().collect();
        if !own.is_empty() {
            groups.push(("Your stamps", &own));
        }
        for (heading, items) in groups {
            ui.label(RichText::new(heading).small().color(colour::text_weak()));
            for pair in items.chunks(2) {
                ui.horizontal(|ui| {
                    for &item in pair {
                        entry(ui, state, item, asked);
                    }
                });
            }
        }
    });
}

/// Shows an item and handles its clicks and drags.
fn entry(ui: &mut Ui, state: &mut TreeState, item: Item, asked: &mut LibraryActions) {
    let (width, sense) = (0.5 * (WIDTH - 4.0), Sense::click_and_drag());
    let response = match item {
        Item::Stamp(stamp) => stamp_picture::cell(ui, stamp, width, sense, false),
        _ => plain_cell(ui, item, vec2(width, PICTURE + 2.0), sense),
    };
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::WidgetType::Button, true, format!("Place {}", item_noun(item)))
    });
    if response.drag_started() {
        state.carried = Some(item);
    }
    if response.clicked() {
        asked.middle = Some(item);
    }
    if response.hovered() && state.carried.is_none() {
        state.hint = Some(format!("{}: drag into place, or click to place at the centre", item.label()));
    }
    response.on_hover_text(item.help());
}

/// Shows the picture and the name of an item side by side.
fn plain_cell(ui: &mut Ui, item: Item, size: Vec2, sense: Sense) -> Response {
    let (rect, response) = ui.allocate_exact_size(size, sense);
    let fill = if response.hovered() { colour::control_hovered() } else { colour::control() };
    ui.painter().rect_filled(rect, 4.0, fill);
    let mut text_rect = rect.shrink2(vec2(7.0, 0.0));
    let text = match ShippedPicture::find(PictureSubject::Feature(item)) {
        Some(picture) => {
            picture.paint(ui, Rect::from_min_size(rect.min + vec2(1.0, 1.0), vec2(PICTURE, PICTURE)), 1.0);
            text_rect.min.x = rect.left() + PICTURE + 6.0;
            item.label().to_string()
        }
        None => format!("{}  {}", item_icon(item), item.label()),
    };
    paint_text(ui, text_rect, &text, colour::text(), false);
    response
}

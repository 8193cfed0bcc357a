//! The map panel: its toolbar, the image, and the items drawn on the image.

use std::sync::Arc;

use bevy::prelude::MessageWriter;
use bevy_egui::egui;
use egui::{
    Align2, Color32, ColorImage, ComboBox, CursorIcon, DragValue, FontId, Painter, PointerButton, Pos2, Rect, Response,
    Sense, Shape, Stroke, TextureHandle, TextureOptions, Ui, Vec2, pos2, vec2,
};
use egui_phosphor::regular as icon;

use super::{MapAction, MapLink, MapPicture, MapRequest, MapState, MapStyle};
use crate::features::ground_menu::{GroundMenuState, PickedPoint};
use crate::features::ruler::{Ruler, RulerAction};
use crate::frame::commands::{Action, CommandQueue};
use crate::frame::editor::Editor;
use crate::frame::theme::{colour, icon_button, icon_toggle};
use crate::frame::units::{self, ShownUnit};

/// Maximum zoom factor of the map.
const MOST_ZOOM: f32 = 40.0;
/// Distance from the camera symbol, in screen points, within which the user can grab the camera.
const GRAB: f32 = 12.0;
/// Minimum distance between two height labels, in screen points.
const LABEL_GAP: f32 = 70.0;
/// Length of the two lines that bound the camera's field of view, in points.
const SIGHT: f32 = 46.0;

/// The visible part of the map, and the texture of the map image.
#[derive(Default)]
pub(super) struct DrawnMap {
    texture: Option<(Arc<MapPicture>, TextureHandle)>,
    /// Centre of the visible part as fractions of the side length, and the zoom factor; `None` before the first frame.
    seen: Option<([f32; 2], f32)>,
    dragged: DraggedItem,
}

/// The item that a drag on the map moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum DraggedItem {
    #[default]
    Nothing,
    Map,
    Camera,
    Heading,
}

/// Data outside the map's own state that the panel reads and changes.
pub(super) struct MapHands<'a, 'w> {
    pub link: &'a MapLink,
    pub ruler: &'a mut Ruler,
    pub ground_menu: &'a mut GroundMenuState,
    pub requests: &'a mut MessageWriter<'w, MapRequest>,
    pub queue: &'a mut CommandQueue,
}

/// Converts fractions of the side length to screen points.
#[derive(Clone, Copy)]
struct MapFrame {
    rect: Rect,
    centre: [f32; 2],
    /// Side length of the terrain on screen, in points.
    side: f32,
}

impl MapFrame {
    fn screen(&self, place: [f32; 2]) -> Pos2 {
        self.rect.center() + vec2(place[0] - self.centre[0], place[1] - self.centre[1]) * self.side
    }

    /// The screen position of a point. Points outside the map are moved to its edge.
    fn held_within(&self, place: [f32; 2]) -> Pos2 {
        let within = self.rect.shrink(GRAB);
        self.screen(place).clamp(within.min, within.max)
    }

    fn map_position(&self, at: Pos2) -> [f32; 2] {
        let away = (at - self.rect.center()) / self.side;
        [self.centre[0] + away.x, self.centre[1] + away.y]
    }
}

/// Shows the map. Returns the point of the terrain under the pointer, if any.
pub(super) fn show(ui: &mut Ui, state: &mut MapState, hands: &mut MapHands, editor: &Editor) -> Option<[f32; 2]> {
    bar(ui, state, hands);
    let scene = editor.doc.scene();
    if scene.is_planet() {
        ui.add_space(8.0);
        ui.label("Planets have their own map: View > Map shows all longitudes and latitudes.");
        return None;
    }
    let rect = ui.available_rect_before_wrap();
    if rect.width() < 20.0 || rect.height() < 20.0 {
        return None;
    }
    let response = ui.allocate_rect(rect, Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Image, true, "Map of the terrain"));
    let (centre, zoom) = state.drawn.seen.unwrap_or(([0.5; 2], 1.0));
    let mut frame = MapFrame { rect, centre, side: rect.width().min(rect.height()) * zoom };
    zoom_and_move(ui, &mut state.drawn, &mut frame, &response, hands);
    let painter = ui.painter().with_clip_rect(rect);
    painter.rect_filled(rect, 0.0, colour::deep());
    picture(&painter, state, &frame);
    ruler(&painter, hands.ruler, &frame);
    if let Some(camera) = hands.link.camera {
        camera_sign(&painter, &frame, camera);
    }
    if let Some(place) = hands.link.pointer.filter(|_| !response.hovered()) {
        cross(&painter, frame.screen(place));
    }
    scale_bar(&painter, &frame, scene.settings.size_metres);
    let at = response.hover_pos()?;
    let place = frame.map_position(at);
    if !place.iter().all(|share| (0.0..=1.0).contains(share)) {
        return None;
    }
    clicks(ui, hands, editor, &response, place);
    cross(&painter, at);
    Some(place)
}

fn bar(ui: &mut Ui, state: &mut MapState, hands: &mut MapHands) {
    let is_narrow = ui.available_width() < 330.0;
    ui.horizontal(|ui| {
        let name = MapStyle::ALL.into_iter().find(|(style, _)| *style == state.style).map_or("", |(_, name)| name);
        let styles = ComboBox::from_id_salt("style of the map").width(92.0).selected_text(name).show_ui(ui, |ui| {
            for (style, name) in MapStyle::ALL {
                ui.selectable_value(&mut state.style, style, name);
            }
        });
        styles.response.on_hover_text("Colouring of the map.");
        if !is_narrow {
            contours(ui, state);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let close = icon_button(ui, true, icon::X, "Close the map");
            if close.on_hover_text(MapAction::Toggle.tooltip(ui.ctx())).clicked() {
                hands.queue.push(MapAction::Toggle);
            }
            let whole = icon_button(ui, true, icon::FRAME_CORNERS, "Show the whole map");
            if whole.on_hover_text("Zooms out to the whole terrain.").clicked() {
                state.drawn.seen = None;
            }
            let ruler = icon_toggle(ui, true, hands.ruler.is_active(), icon::RULER, "Ruler on the map");
            if ruler.on_hover_text(RulerAction::Toggle.tooltip(ui.ctx())).clicked() {
                hands.queue.push(RulerAction::Toggle);
            }
        });
    });
    if is_narrow {
        ui.horizontal(|ui| contours(ui, state));
    }
}

/// Shows the checkbox and the interval of the contour lines.
fn contours(ui: &mut Ui, state: &mut MapState) {
    ui.checkbox(&mut state.contours, "Contours");
    let (mut interval, speed) = (state.interval, state.interval * 0.02);
    let field = units::field(DragValue::new(&mut interval).speed(speed).range(0.01..=10_000.0), "m");
    let field = ui.add_enabled(state.contours && state.interval > 0.0, field);
    if field.on_hover_text("Contour interval. Every fifth line is thick and labelled with its height.").changed() {
        state.interval = interval;
    }
}

/// Handles the mouse: the wheel zooms at the pointer; a drag moves the map, moves the camera or turns the camera.
fn zoom_and_move(ui: &Ui, drawn: &mut DrawnMap, frame: &mut MapFrame, response: &Response, hands: &mut MapHands) {
    let whole = frame.rect.width().min(frame.rect.height());
    let turned = ui.input(|i| i.smooth_scroll_delta.y);
    if let Some(at) = response.hover_pos().filter(|_| turned != 0.0) {
        let under = frame.map_position(at);
        frame.side = (frame.side * (turned / 240.0).exp2()).clamp(whole, whole * MOST_ZOOM);
        let away = (at - frame.rect.center()) / frame.side;
        frame.centre = [under[0] - away.x, under[1] - away.y];
    }
    let sign = hands.link.camera.map(|(place, yaw, _)| {
        let at = frame.held_within(place);
        (at, at + SIGHT * vec2(yaw.sin(), -yaw.cos()))
    });
    let pointer = ui.input(|i| i.pointer.interact_pos());
    let within = |a: Pos2, b: Pos2| a.distance(b) < GRAB;
    let under = |at: Pos2| match sign {
        Some((camera, _)) if within(camera, at) => DraggedItem::Camera,
        Some((_, ahead)) if within(ahead, at) => DraggedItem::Heading,
        _ => DraggedItem::Map,
    };
    if let Some(at) = response.hover_pos() {
        let cursor = if under(at) == DraggedItem::Map { CursorIcon::Crosshair } else { CursorIcon::Grab };
        ui.ctx().set_cursor_icon(cursor);
    }
    if response.drag_started() {
        drawn.dragged = ui.input(|i| i.pointer.press_origin()).map_or(DraggedItem::Map, under);
    }
    if response.dragged()
        && let Some(at) = pointer
    {
        match (drawn.dragged, sign) {
            (DraggedItem::Camera, _) => {
                let place = frame.map_position(at).map(|share| share.clamp(-0.5, 1.5));
                hands.requests.write(MapRequest::MoveCamera(place));
            }
            (DraggedItem::Heading, Some((camera, _))) if at != camera => {
                let away = at - camera;
                hands.requests.write(MapRequest::TurnCamera(away.x.atan2(-away.y)));
            }
            (DraggedItem::Map, _) => {
                let by = response.drag_delta() / frame.side;
                frame.centre = [frame.centre[0] - by.x, frame.centre[1] - by.y];
            }
            _ => {}
        }
    } else if response.drag_stopped() {
        drawn.dragged = DraggedItem::Nothing;
    }
    frame.centre = frame.centre.map(|share| share.clamp(0.0, 1.0));
    drawn.seen = Some((frame.centre, frame.side / whole));
}

fn clicks(ui: &Ui, hands: &mut MapHands, editor: &Editor, response: &Response, place: [f32; 2]) {
    let settings = &editor.doc.scene().settings;
    let terrain = hands.ground_menu.terrain.clone();
    let point = terrain
        .filter(|terrain| !terrain.grid.is_globe())
        .map(|terrain| PickedPoint::on_square(&terrain, settings, place));
    if response.double_clicked() && !hands.ruler.is_active() {
        if let Some(point) = point {
            hands.queue.push(point.look(settings));
        }
    } else if response.clicked_by(PointerButton::Primary) && hands.ruler.is_active() {
        hands.ruler.add(place);
    } else if response.secondary_clicked()
        && let (Some(point), Some(at)) = (point, response.interact_pointer_pos().or(ui.ctx().pointer_latest_pos()))
    {
        hands.ground_menu.open_menu(point, [at.x, at.y]);
    }
}

fn picture(painter: &Painter, state: &mut MapState, frame: &MapFrame) {
    let Some(picture) = &state.picture else {
        let at = frame.rect.center();
        painter.text(at, Align2::CENTER_CENTER, "Drawing the map…", FontId::proportional(13.0), colour::text_weak());
        return;
    };
    let is_drawn = state.drawn.texture.as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, picture));
    if !is_drawn {
        let image = ColorImage::from_rgb([picture.image.width, picture.image.height], &picture.image.rgb);
        let texture = painter.ctx().load_texture("2D map", image, TextureOptions::LINEAR);
        state.drawn.texture = Some((picture.clone(), texture));
    }
    let Some((_, texture)) = &state.drawn.texture else { return };
    let whole = Rect::from_min_max(frame.screen([0.0; 2]), frame.screen([1.0; 2]));
    painter.image(texture.id(), whole, Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0)), Color32::WHITE);
    let font = FontId::proportional(10.5);
    let unit = ShownUnit::of_stored("m");
    let mut written: Vec<Pos2> = Vec::new();
    for label in &picture.labels {
        let at = frame.screen(label.place);
        let is_near = |other: &Pos2| other.distance(at) < LABEL_GAP;
        if !frame.rect.expand(30.0).contains(at) || written.iter().any(is_near) {
            continue;
        }
        written.push(at);
        let interval = unit.shown(f64::from(state.interval));
        let decimals = if interval < 0.2 { 2 } else { usize::from(interval < 2.0) };
        let text = format!("{:.decimals$}", unit.shown(f64::from(label.height)));
        let halo = painter.layout_no_wrap(text.clone(), font.clone(), Color32::from_white_alpha(210));
        let galley = painter.layout_no_wrap(text, font.clone(), Color32::from_rgb(60, 36, 18));
        let turn = egui::emath::Rot2::from_angle(label.angle);
        let corner = |shift: Vec2| at + shift - turn * (0.5 * galley.size());
        for shift in [vec2(1.0, 0.0), vec2(-1.0, 0.0), vec2(0.0, 1.0), vec2(0.0, -1.0)] {
            let shape = egui::epaint::TextShape::new(corner(shift), halo.clone(), Color32::WHITE);
            painter.add(shape.with_angle(label.angle));
        }
        let shape = egui::epaint::TextShape::new(corner(Vec2::ZERO), galley.clone(), Color32::BLACK);
        painter.add(shape.with_angle(label.angle));
    }
}

fn ruler(painter: &Painter, ruler: &Ruler, frame: &MapFrame) {
    let line: Vec<Pos2> = ruler.points().iter().map(|place| frame.screen(*place)).collect();
    painter.add(Shape::line(line.clone(), Stroke::new(4.0, Color32::from_black_alpha(130))));
    painter.add(Shape::line(line.clone(), Stroke::new(2.0, colour::accent())));
    for at in line {
        painter.circle(at, 4.0, colour::accent(), Stroke::new(1.5, Color32::WHITE));
    }
}

/// Draws the camera and its field of view. If the camera is outside the map, draws it at the edge.
fn camera_sign(painter: &Painter, frame: &MapFrame, (place, yaw, half): ([f32; 2], f32, f32)) {
    let at = frame.held_within(place);
    let ray = |angle: f32| at + SIGHT * vec2(angle.sin(), -angle.cos());
    let sight = vec![at, ray(yaw - half), ray(yaw), ray(yaw + half)];
    let line = Stroke::new(1.5, Color32::WHITE);
    painter.add(Shape::convex_polygon(
        sight,
        Color32::from_white_alpha(70),
        Stroke::new(3.0, Color32::from_black_alpha(120)),
    ));
    painter.line_segment([at, ray(yaw - half)], line);
    painter.line_segment([at, ray(yaw + half)], line);
    painter.circle(at, 6.0, colour::accent(), Stroke::new(2.0, Color32::WHITE));
    painter.circle(ray(yaw), 4.0, Color32::WHITE, Stroke::new(1.0, Color32::BLACK));
}

fn cross(painter: &Painter, at: Pos2) {
    for (stroke, reach) in
        [(Stroke::new(3.0, Color32::from_black_alpha(140)), 9.0), (Stroke::new(1.0, Color32::WHITE), 9.0)]
    {
        painter.line_segment([at - vec2(reach, 0.0), at + vec2(reach, 0.0)], stroke);
        painter.line_segment([at - vec2(0.0, reach), at + vec2(0.0, reach)], stroke);
    }
}

/// Draws the scale bar in the lower left corner. It represents a round length.
fn scale_bar(painter: &Painter, frame: &MapFrame, size_metres: f32) {
    let (near, far) = (ShownUnit::of_stored("m"), ShownUnit::of_stored("km"));
    let most = 0.3 * frame.rect.width() / frame.side * size_metres;
    // use a round number of kilometres (or miles) if the bar is long enough, otherwise of metres (or feet)
    let per_unit = |unit: ShownUnit, metres: f64| unit.kept(1.0) * metres;
    let is_far = f64::from(most) >= per_unit(far, 1000.0);
    let metres_each = if is_far { per_unit(far, 1000.0) } else { per_unit(near, 1.0) } as f32;
    let most = most / metres_each;
    let power = 10.0f32.powf(most.log10().floor());
    let length = [5.0, 2.0, 1.0].map(|step| step * power).into_iter().find(|step| *step <= most).unwrap_or(power);
    let width = length * metres_each / size_metres * frame.side;
    let from = frame.rect.right_bottom() + vec2(-12.0 - width, -12.0);
    let bar = Rect::from_min_size(from - vec2(0.0, 4.0), vec2(width, 4.0));
    painter.rect_filled(bar.expand(1.5), 1.0, Color32::from_black_alpha(160));
    painter.rect_filled(bar, 1.0, Color32::WHITE);
    let text = format!("{length}{}", if is_far { far } else { near }.suffix());
    let at = from + vec2(0.0, -8.0);
    let galley = painter.layout_no_wrap(text, FontId::proportional(11.0), Color32::WHITE);
    let back = Rect::from_min_size(at - vec2(0.0, galley.size().y), galley.size());
    painter.rect_filled(back.expand2(vec2(3.0, 1.0)), 2.0, Color32::from_black_alpha(190));
    painter.galley(back.min, galley, Color32::WHITE);
}

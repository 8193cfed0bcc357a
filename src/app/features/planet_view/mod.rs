//! The view of a planet: the buttons that switch between globe, map and orbit, and the drift of the clouds.

use std::time::Duration;

use bevy::ecs::system::InMut;
use bevy::prelude::{App, DetectChangesMut, IntoScheduleConfigs, Plugin, Real, Res, ResMut, Time};
use bevy_egui::{EguiPrimaryContextPass, egui};
use egui::{Align2, Area, Button, Frame, Id, Margin, Order, Rect, RichText, Ui, vec2};

use crate::features::view_settings::ViewAction;
use crate::frame::commands::{Command, CommandQueue};
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot};
use crate::frame::theme::colour;
use crate::frame::window::{FrameSystems, Pacing};
use crate::view::globe::{PlanetAppearance, PlanetView};
use crate::view::{CompareSide, ViewState};
use talweg::preferences::PlanetProjection;

/// Height of the strip with the buttons at the upper edge of the view, in points.
const SWITCH_HEIGHT: f32 = 38.0;
/// Drift of the clouds in degrees per second.
const DRIFT: f32 = 0.3;
/// Time between two frames if drifting clouds are the only change.
const DRIFT_PACE: Duration = Duration::from_millis(250);

pub struct PlanetViewPlugin;

impl Plugin for PlanetViewPlugin {
    fn build(&self, app: &mut App) {
        app.add_part(Slot::View, over_view)
            .add_systems(EguiPrimaryContextPass, show_planet.in_set(FrameSystems::Execute));
    }
}

fn over_view(
    InMut(ui): InMut<Ui>,
    editor: Res<Editor>,
    mut frame: ResMut<InterfaceFrame>,
    mut queue: ResMut<CommandQueue>,
) {
    if editor.doc.scene().is_planet() {
        queue.extend(switch(ui.ctx(), frame.free_rect, &editor));
        frame.top_margin = SWITCH_HEIGHT;
    }
}

/// Sends the projection to the view. Clouds drift only in a window that has the focus.
fn show_planet(
    mut editor: ResMut<Editor>,
    mut planet_view: ResMut<PlanetView>,
    view_state: Res<ViewState>,
    time: Res<Time<Real>>,
    mut pacing: ResMut<Pacing>,
) {
    let editor = &mut *editor;
    pacing.idle = None;
    let Some(planet) = editor.doc.scene().as_planet() else { return };
    let body = PlanetAppearance::from_planet(planet);
    let view = &mut editor.globe;
    let is_still = editor.interface.reduced_motion;
    if !is_still && view_state.globe_on_side(CompareSide::A).is_some_and(|prepared| planet_view.drifts(prepared)) {
        // draw frames regularly, so that the clouds drift in an idle window
        pacing.idle = Some(DRIFT_PACE);
        let seconds = time.delta_secs().min(2.0 * DRIFT_PACE.as_secs_f32());
        view.cloud_drift = (view.cloud_drift + DRIFT * seconds).rem_euclid(360.0);
    }
    planet_view.set_if_neq(PlanetView { body, view: view.clone(), projection: editor.view.projection });
}

/// Shows the projection buttons in the upper right corner of the view; returns the command of a clicked button.
fn switch(ctx: &egui::Context, free: Rect, editor: &Editor) -> Option<Command> {
    let mut chosen = None;
    let area = Area::new(Id::new("ways of a planet")).order(Order::Middle).pivot(Align2::RIGHT_TOP);
    area.fixed_pos(free.right_top() + vec2(-8.0, 8.0)).constrain_to(free).show(ctx, |ui| {
        let frame = Frame::new().fill(colour::panel()).corner_radius(5.0).inner_margin(Margin::same(3));
        frame.show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                for projection in PlanetProjection::ALL {
                    let command = Command::from(ViewAction::Projection(projection));
                    let info = command.info();
                    let text = RichText::new(format!("{}  {}", info.icon, info.label)).small();
                    let button = Button::selectable(editor.view.projection == projection, text);
                    let response = ui.add(button).on_hover_text(command.tooltip(ctx));
                    response.widget_info(|| {
                        let selected = editor.view.projection == projection;
                        egui::WidgetInfo::selected(egui::WidgetType::RadioButton, true, selected, projection.label())
                    });
                    if response.clicked() {
                        chosen = Some(command);
                    }
                }
            });
        });
    });
    chosen
}

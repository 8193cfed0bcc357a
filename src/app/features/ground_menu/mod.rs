//! The context menu of the terrain, opened by a right-click.
//!
//! ```text
//! point: the point under the pointer ──▶ right-click stores it ──▶ menu ──▶ GroundAction ──▶ edits, river, probe
//! ```

mod edits;
mod point;
mod probe;
mod river;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::containers::menu::menu_style;
use bevy_egui::egui::{self, Align, Layout, Popup, PopupAnchor, PopupKind, RichText, Ui};
use bevy_egui::{EguiClipboard, EguiPrimaryContextPass};
use egui_phosphor::regular as icon;

pub use self::point::{GroundMenuState, PickedPoint};
use self::probe::ProbeWindow;
use self::river::RiverTask;
use crate::features::brush::BrushState;
use crate::frame::commands::{Action, Command, CommandApp, CommandQueue, Info};
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot};
use crate::frame::menu::entry;
use crate::frame::tasks::Tasks;
use crate::frame::theme::colour;
use crate::frame::window::FrameSystems;
use crate::view::ViewCommand;
use talweg::eval::StrokeTarget;

pub struct GroundMenuPlugin;

impl Plugin for GroundMenuPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<GroundMenuState>()
            .init_resource::<RiverTask>()
            .init_resource::<ProbeWindow>()
            .add_message::<ViewCommand>()
            .add_actions([], run)
            .add_window_close(|mut window: ResMut<ProbeWindow>| window.close())
            .add_part(Slot::Update, river::receive)
            .add_part(Slot::View, menu)
            .add_part(Slot::Window, probe::window)
            .add_systems(EguiPrimaryContextPass, point::update_point.in_set(FrameSystems::UpdatePanels));
    }
}

/// Commands on the point that the user right-clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroundAction {
    MaskByHeight,
    MaskBySlope,
    Flatten,
    River,
    Probe,
    LookAt,
    CopyPosition,
}

impl GroundAction {
    /// All commands, in menu order.
    pub const ALL: [Self; 7] = [
        Self::MaskByHeight,
        Self::MaskBySlope,
        Self::Flatten,
        Self::River,
        Self::Probe,
        Self::LookAt,
        Self::CopyPosition,
    ];

    /// The reason why the command is not available now; `None` if it is available.
    fn obstacle(self, editor: &Editor) -> Option<&'static str> {
        let is_planet = editor.doc.scene().is_planet();
        let selected: Vec<usize> = editor.doc.selected_layer().into_iter().collect();
        match self {
            Self::MaskByHeight | Self::MaskBySlope if editor.doc.selected_layer().is_none() => {
                Some("Select a layer to mask first.")
            }
            Self::MaskByHeight | Self::MaskBySlope if editor.doc.first_locked(&selected).is_some() => {
                Some("The selected layer is locked.")
            }
            Self::Flatten | Self::River if is_planet => {
                Some("Works on terrains only: extract a region of the planet first.")
            }
            _ => None,
        }
    }
}

impl Action for GroundAction {
    fn section(&self) -> &'static str {
        "Ground"
    }

    fn info(&self) -> Info {
        match self {
            Self::MaskByHeight => Info::new(
                "Mask by this height",
                "Limits the selected layer to heights near the height of this point.",
                icon::ARROWS_VERTICAL,
                &[],
            ),
            Self::MaskBySlope => Info::new(
                "Mask by this slope",
                "Limits the selected layer to slopes near the slope of this point.",
                icon::ANGLE,
                &[],
            ),
            Self::Flatten => Info::new(
                "Flatten here",
                "Flattens the terrain around this point to its height, with an editable stroke.",
                icon::EQUALS,
                &[],
            ),
            Self::River => Info::new(
                "Add river from here",
                "Adds a river that follows the water down from this point, in a new layer on top.",
                icon::DROP,
                &[],
            ),
            Self::Probe => Info::new(
                "Probe",
                "Shows height, slope and data maps at this point, and what each layer adds to the height.",
                icon::CROSSHAIR,
                &[],
            ),
            Self::LookAt => Info::new("Look at this point", "Moves the camera close to this point.", icon::EYE, &[]),
            Self::CopyPosition => Info::new(
                "Copy position",
                "Copies the position and height of this point as text.",
                icon::CLIPBOARD_TEXT,
                &[],
            ),
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "a Bevy system has one argument per input")]
fn run(
    In(action): In<GroundAction>,
    mut editor: ResMut<Editor>,
    state: Res<GroundMenuState>,
    mut brush: ResMut<BrushState>,
    (mut river, mut probe): (ResMut<RiverTask>, ResMut<ProbeWindow>),
    mut view: MessageWriter<ViewCommand>,
    mut clipboard: Option<ResMut<EguiClipboard>>,
    tasks: Res<Tasks>,
) {
    let Some(point) = state.picked else { return };
    let editor = &mut *editor;
    let document = &mut editor.doc;
    match action {
        GroundAction::MaskByHeight | GroundAction::MaskBySlope => {
            let Some(index) = document.selected_layer() else { return };
            let (label, by_height) = match action {
                GroundAction::MaskByHeight => ("Mask by height", true),
                _ => ("Mask by slope", false),
            };
            document.edit(label, None, |scene| {
                let relief = scene.settings.relief_metres;
                let mask = &mut scene.layers[index].mask;
                if by_height { edits::mask_height(mask, &point, relief) } else { edits::mask_slope(mask, &point) }
            });
        }
        GroundAction::Flatten => {
            let (layer, stroke) = edits::flatten(document, &point);
            brush.select_stroke(document, StrokeTarget::Layer(layer), stroke);
        }
        GroundAction::River => river.start(document, &state, &point, &tasks),
        GroundAction::Probe => probe.open_at_point(document, &state, &point, &tasks),
        GroundAction::LookAt => {
            view.write(point.look(&document.scene().settings));
        }
        GroundAction::CopyPosition => {
            let text = point.text();
            if let Some(clipboard) = &mut clipboard {
                clipboard.set_text(&text);
            }
            editor.toasts.info(format!("Copied: {text}"));
        }
    }
}

/// Opens the menu after a right-click on the terrain without a drag.
fn menu(
    InMut(ui): InMut<Ui>,
    editor: Res<Editor>,
    frame: Res<InterfaceFrame>,
    mut state: ResMut<GroundMenuState>,
    mut queue: ResMut<CommandQueue>,
) {
    let (ctx, id) = (ui.ctx().clone(), egui::Id::new("menu of the ground"));
    let clicked = ctx.input(|i| i.pointer.secondary_clicked().then(|| i.pointer.interact_pos()).flatten());
    if let Some(at) = clicked.filter(|_| !frame.is_grabbing && !editor.dialogs.is_open()) {
        let is_view = ctx.layer_id_at(at).is_none_or(|layer| layer.order == egui::Order::Background);
        if is_view && frame.free_rect.contains(at) && state.pick([at.x, at.y]) {
            Popup::open_id(&ctx, id);
        }
    }
    if std::mem::take(&mut state.is_asked) {
        Popup::open_id(&ctx, id);
    }
    let (Some(point), Some(at)) = (state.picked, state.at) else { return };
    let popup = Popup::new(id, ctx, PopupAnchor::Position(at.into()), ui.layer_id());
    let popup = popup.kind(PopupKind::Menu).layout(Layout::top_down_justified(Align::Min)).style(menu_style);
    popup.open_memory(None).gap(2.0).show(|ui| {
        ui.label(RichText::new(point.text()).small().color(colour::text_weak()));
        ui.separator();
        for action in GroundAction::ALL {
            if action == GroundAction::Probe {
                ui.separator();
            }
            let (command, obstacle) = (Command::from(action), action.obstacle(&editor));
            let drawn = ui.scope(|ui| entry(ui, &command, None, obstacle.is_none(), None));
            if let Some(why) = obstacle {
                drawn.response.on_hover_text(why);
            }
            if drawn.inner {
                queue.push(command);
            }
        }
    });
}

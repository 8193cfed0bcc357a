//! Charts of a process: moved material, slopes, and the history of a point that the user clicked in the view.

pub mod panel;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::Ui;
use bevy_egui::{EguiContexts, EguiPrimaryContextPass};
use egui_phosphor::regular as icon;

use self::panel::Charts;
use crate::features::place_marker::{self, MarkedPoint};
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info, keys};
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, InterfaceLayout};
use crate::frame::menu::tick;
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::status::StatusInfo;
use crate::frame::window::FrameSystems;
use crate::view::{GlobeProbe, Probe};

pub struct ChartsPlugin;

impl Plugin for ChartsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Charts>()
            .add_actions([ChartsAction::Toggle], run)
            .add_menu_part("Erosion", 20, menu)
            .add_panel(
                DockedPanel {
                    place: 2,
                    size: [600.0, 170.0],
                    least: [260.0, 110.0],
                    ..DockedPanel::new("charts", "Charts", DockEdge::Bottom)
                },
                Some(ChartsAction::Toggle.into()),
                |editor: Res<Editor>| PanelShown::from(editor.doc.is_watching()),
                charts,
            )
            .add_systems(EguiPrimaryContextPass, watch_clicked_place.in_set(FrameSystems::Execute));
    }
}

/// Commands of the charts panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartsAction {
    /// Opens or closes the charts panel.
    Toggle,
}

impl Action for ChartsAction {
    fn section(&self) -> &'static str {
        "Erosion"
    }

    fn info(&self) -> Info {
        Info::new(
            "Charts",
            "Plots the eroded material, the slopes, and the height at a point you click.",
            icon::CHART_LINE,
            keys![SHIFT + G],
        )
    }
}

fn run(In(ChartsAction::Toggle): In<ChartsAction>, mut editor: ResMut<Editor>) {
    let watching = editor.doc.is_watching();
    editor.doc.watch(!watching);
}

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    tick(ui, &mut queue, ChartsAction::Toggle, true, editor.doc.is_watching());
}

fn charts(
    InMut(ui): InMut<Ui>,
    mut editor: ResMut<Editor>,
    mut charts: ResMut<Charts>,
    info: Res<StatusInfo>,
    mut marked: ResMut<MarkedPoint>,
) {
    let doc = &mut editor.doc;
    panel::show(ui, doc, &mut charts, &info);
    marked.watch(doc.charted_point());
}

/// Sets the point whose history the charts show to the clicked point of the terrain. A click that moves the camera does
/// not count.
fn watch_clicked_place(
    mut contexts: EguiContexts,
    layout: Res<InterfaceLayout>,
    mut editor: ResMut<Editor>,
    (probe, globe): (Res<Probe>, Res<GlobeProbe>),
) -> Result {
    let takes_clicks = editor.doc.is_watching() && editor.doc.tree().is_none();
    if takes_clicks && let Some(place) = place_marker::clicked_place(contexts.ctx_mut()?, &layout, &probe, &globe) {
        editor.doc.chart_point(Some(place));
    }
    Ok(())
}

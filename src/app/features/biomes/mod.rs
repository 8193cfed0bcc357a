//! The biome editor. It shows the ground types of the scene's table and the composition of the terrain at a clicked
//! point.

mod axis;
pub mod panel;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::Ui;
use bevy_egui::{EguiContexts, EguiPrimaryContextPass};
use egui_phosphor::regular as icon;

use self::panel::{BiomesState, Composition, GroundInfo};
use crate::features::place_marker::{self, MarkedPoint};
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info, keys};
use crate::frame::dialogs::files::{Files, file_stem};
use crate::frame::dialogs::overwrite::Overwrite;
use crate::frame::editor::{Editor, file_name, with_reason};
use crate::frame::evaluation::EvaluationClient;
use crate::frame::interface::{InterfaceApp, InterfaceLayout};
use crate::frame::menu::{pick, tick};
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::status::StatusInfo;
use crate::frame::window::FrameSystems;
use crate::view::{GlobeProbe, Probe};
use talweg::appearance_files::{BIOME_PREFIX, BiomeTable};
use talweg::io::SaveTarget;

/// File filter for biome tables: name and extensions.
const TABLES: (&str, &[&str]) = ("Biome tables (.ron)", &["ron"]);
const TABLE: (&str, &str) = ("Biome table", "ron");

pub struct BiomesPlugin;

impl Plugin for BiomesPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<BiomesState>()
            .init_resource::<GroundInfo>()
            .add_actions([BiomesAction::Toggle, BiomesAction::Open, BiomesAction::Save], run)
            .add_menu_part("File", 20, file_menu)
            .add_menu_part("View", 30, view_menu)
            .add_panel(
                DockedPanel {
                    place: 2,
                    size: [300.0, 320.0],
                    least: [260.0, 120.0],
                    ..DockedPanel::new("biomes", "Biomes", DockEdge::Right)
                },
                Some(BiomesAction::Toggle.into()),
                |state: Res<BiomesState>| PanelShown::from(state.open),
                biomes,
            )
            .add_systems(
                EguiPrimaryContextPass,
                (
                    update_composition.in_set(FrameSystems::UpdatePanels),
                    choose_clicked_place.in_set(FrameSystems::Execute),
                ),
            );
    }
}

/// Commands of the biome editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BiomesAction {
    /// Opens or closes the biome panel.
    Toggle,
    Open,
    Save,
    OpenFrom(PathBuf),
    SaveTo(SaveTarget),
}

impl Action for BiomesAction {
    fn section(&self) -> &'static str {
        if *self == Self::Toggle { "View" } else { "File" }
    }

    fn info(&self) -> Info {
        match self {
            Self::Toggle => Info::new(
                "Biomes",
                "Edits the ground types that colour the scene by temperature, moisture, height and slope.",
                icon::TREE,
                keys![NONE + K],
            ),
            Self::Open | Self::OpenFrom(_) => {
                Info::new("Open biome table…", "Loads ground types from a file into the scene.", icon::FOLDER_OPEN, &[])
            }
            Self::Save | Self::SaveTo(_) => {
                Info::new("Save biome table…", "Saves the scene's ground types to a file.", icon::FLOPPY_DISK, &[])
            }
        }
    }
}

fn run(In(action): In<BiomesAction>, mut editor: ResMut<Editor>, mut state: ResMut<BiomesState>) {
    let editor = &mut *editor;
    match action {
        BiomesAction::Toggle => {
            state.open = !state.open;
            state.place = None;
        }
        BiomesAction::Open => {
            let then = |path| BiomesAction::OpenFrom(path).into();
            editor.dialogs.open(Files::open(&editor.doc, "Open biome table", TABLES, then));
        }
        BiomesAction::Save if editor.doc.scene().biome_table().is_some() => {
            let name = format!("{} biomes", file_stem(&editor.doc));
            let then = |path| BiomesAction::SaveTo(SaveTarget::new(path)).into();
            editor.dialogs.open(Files::save(&editor.doc, "Save biome table", &name, &[TABLE], then));
        }
        BiomesAction::Save => {
            editor.toasts.warning("Nothing to save: the scene is coloured by height and has no biome table.")
        }
        BiomesAction::OpenFrom(path) => open(editor, &path),
        BiomesAction::SaveTo(to) => save(editor, &to),
    }
}

fn open(editor: &mut Editor, path: &Path) {
    match BiomeTable::load(path) {
        Ok(table) => editor.doc.edit("Open biome table", None, |scene| {
            if !scene.palette.starts_with(BIOME_PREFIX) {
                scene.palette = format!("{BIOME_PREFIX}earth");
            }
            (scene.climate, scene.own_palette) = (None, None);
            let name = scene.palette.strip_prefix(BIOME_PREFIX).unwrap_or_default().to_string();
            scene.biomes = Some(Arc::new(BiomeTable { name, ..table }));
        }),
        Err(error) => editor.toasts.error(with_reason("The biome table was not opened", &error)),
    }
}

fn save(editor: &mut Editor, to: &SaveTarget) {
    let Some(table) = editor.doc.scene().biome_table() else { return };
    // store the climate with which the table was edited
    let table = BiomeTable { climate: editor.doc.scene().climate(), ..(*table).clone() };
    match table.save(to) {
        Ok(()) => editor.toasts.info(format!("Saved {}", file_name(to.path()))),
        Err(error) => {
            let elsewhere = ("Another file…", BiomesAction::Save.into());
            let question = Overwrite::from_error(&error, to, elsewhere, |to| BiomesAction::SaveTo(to).into());
            editor.ask_or_report(question, || with_reason("The biome table was not saved", &error));
        }
    }
}

fn file_menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    pick(ui, &mut queue, BiomesAction::Open, true);
    pick(ui, &mut queue, BiomesAction::Save, editor.doc.scene().biome_table().is_some());
}

fn view_menu(InMut(ui): InMut<Ui>, state: Res<BiomesState>, mut queue: ResMut<CommandQueue>) {
    tick(ui, &mut queue, BiomesAction::Toggle, true, state.open);
}

fn biomes(
    InMut(ui): InMut<Ui>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<BiomesState>,
    (info, ground): (Res<StatusInfo>, Res<GroundInfo>),
    mut marked: ResMut<MarkedPoint>,
    mut queue: ResMut<CommandQueue>,
) {
    queue.extend(panel::show(ui, &mut state, &mut editor.doc, &info, ground.0.as_ref()));
    marked.mark(state.place);
}

/// Updates the composition of the terrain at the clicked point, if biomes colour the terrain.
fn update_composition(state: Res<BiomesState>, evaluation: Res<EvaluationClient>, mut ground: ResMut<GroundInfo>) {
    let place = state.place.filter(|_| state.open);
    ground.0 = place.and_then(|[u, v]| {
        let (place, weights) = evaluation.drawn_terrain()?.biome_weights(u, v)?;
        Some(Composition { place, weights })
    });
}

/// A click on the terrain selects the point whose composition is shown.
fn choose_clicked_place(
    mut contexts: EguiContexts,
    layout: Res<InterfaceLayout>,
    mut state: ResMut<BiomesState>,
    (probe, globe): (Res<Probe>, Res<GlobeProbe>),
) -> Result {
    if state.open
        && let Some(place) = place_marker::clicked_place(contexts.ctx_mut()?, &layout, &probe, &globe)
    {
        state.place = Some(place);
    }
    Ok(())
}

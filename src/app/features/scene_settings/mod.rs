//! The scene settings. The panel shows them when no layer is selected.

mod light;
pub mod panel;
mod sun;

use bevy::ecs::system::InMut;
use bevy::prelude::*;
use bevy_egui::egui::Ui;

use self::panel::Swatch;
use crate::features::variants::panel::VariantsState;
use crate::frame::commands::{CommandApp, CommandQueue};
use crate::frame::document::Selection;
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, Slot, parameter_area};
use crate::frame::widgets::params::own_rows;
use crate::frame::widgets::row::section;
use talweg::appearance::PaletteTable;
use talweg::appearance_files::{BIOME_PREFIX, BiomeTable, Palette, biome_names, palette_names};
use talweg::scene::{LightPreset, Settings};

pub struct SceneSettingsPlugin;

impl Plugin for SceneSettingsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Swatches>()
            .add_part(Slot::Parameters, settings)
            .add_actions(LightPreset::ALL, light::set)
            .add_menu_part("View", 20, light::menu);
    }
}

/// The palettes and biome tables that the user can choose.
#[derive(Resource)]
pub struct Swatches(pub Vec<Swatch>);

impl Default for Swatches {
    /// The built-in palettes and biome tables.
    fn default() -> Self {
        let settings = Settings::default();
        let palettes = palette_names().into_iter().filter_map(|name| Palette::named(&name));
        let palettes = palettes.map(|palette| Swatch {
            colours: PaletteTable::new(palette, &settings).lut,
            name: palette.name.clone(),
            label: palette.label.clone(),
        });
        let tables = biome_names().into_iter().filter_map(|name| BiomeTable::named(&name));
        let tables = tables.map(|table| Swatch {
            name: format!("{BIOME_PREFIX}{}", table.name),
            label: table.label.clone(),
            colours: table.types.iter().map(|kind| [kind.colour[0], kind.colour[1], kind.colour[2], 255]).collect(),
        });
        Self(palettes.chain(tables).collect())
    }
}

fn settings(
    InMut(ui): InMut<Ui>,
    mut editor: ResMut<Editor>,
    swatches: Res<Swatches>,
    mut variants: ResMut<VariantsState>,
    mut queue: ResMut<CommandQueue>,
) {
    let editor = &mut *editor;
    if editor.doc.selection() != Selection::Scene {
        return;
    }
    parameter_area(ui, usize::MAX, |ui| {
        queue.extend(panel::show(ui, &mut editor.doc, &swatches.0, &mut variants.ghosts));
        if editor.doc.scene().is_planet() {
            section(ui, "Globe view", true, |ui| own_rows(ui, &mut editor.globe));
        }
    });
}

//! The scene settings. The panel shows them when no layer is selected.

mod light;
pub mod panel;
mod sun;

use std::sync::Arc;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::panel::Swatch;
use crate::features::variants::panel::VariantsState;
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info};
use crate::frame::document::Selection;
use crate::frame::editor::{Editor, with_reason};
use crate::frame::interface::{InterfaceApp, Slot, parameter_area};
use crate::frame::user_library::LibraryFolder;
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
            .add_actions::<CopyPalette, _>([], copy_palette)
            .add_menu_part("View", 20, light::menu);
    }
}

/// Command: copies a palette into the user's library.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyPalette(pub Arc<Palette>);

impl Action for CopyPalette {
    fn section(&self) -> &'static str {
        "File"
    }

    fn info(&self) -> Info {
        let tip =
            "Copies the palette to your library as a text file. Edit the file; this list then shows the new colours.";
        Info::new("Copy to your library", tip, icon::COPY, &[])
    }
}

fn copy_palette(In(CopyPalette(palette)): In<CopyPalette>, mut editor: ResMut<Editor>) {
    match editor.library.add(LibraryFolder::Palettes, &palette.label, &palette.to_ron()) {
        Ok(path) => editor.toasts.info(format!("Copied the palette to {}", path.display())),
        Err(error) => editor.toasts.error(with_reason("The palette was not copied", &error)),
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
            colours: table.types.iter().map(|kind| panel::type_colour(kind.colour)).collect(),
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
        let library = editor.library.contents();
        queue.extend(panel::show(ui, &mut editor.doc, &swatches.0, library, &mut variants.ghosts));
        if editor.doc.scene().is_planet() {
            section(ui, "Globe view", true, |ui| own_rows(ui, &mut editor.globe));
        }
    });
}

//! The light presets of the scene, in the menu View ▸ Light.

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, CommandQueue, Info};
use crate::frame::editor::Editor;
use crate::frame::menu::pick;
use crate::frame::menu_bar::submenu;
use talweg::scene::LightPreset;

impl Action for LightPreset {
    fn section(&self) -> &'static str {
        "Light"
    }

    fn info(&self) -> Info {
        let icon = match self {
            Self::Noon | Self::Morning => icon::SUN,
            Self::GoldenHour | Self::BlueHour => icon::SUN_HORIZON,
            Self::Overcast => icon::CLOUD,
            Self::Moonlight => icon::MOON_STARS,
        };
        Info::new(self.label(), self.help(), icon, &[])
    }
}

pub fn set(In(preset): In<LightPreset>, mut editor: ResMut<Editor>) {
    editor.doc.edit(&format!("Light: {}", preset.label()), None, |scene| preset.apply(&mut scene.settings));
}

pub fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    if editor.doc.scene().is_planet() {
        return; // season and hour determine the position of a planet's sun
    }
    ui.separator();
    submenu(ui, icon::SUN_HORIZON, "Light", |ui| {
        for preset in LightPreset::ALL {
            pick(ui, &mut queue, preset, true);
        }
    });
}

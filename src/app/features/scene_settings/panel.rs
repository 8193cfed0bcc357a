//! The panel of the scene settings: name, seed, resolution, size, sea, sun, colours.

use bevy_egui::egui;
use egui::{Color32, Mesh, Rect, Response, RichText, Sense, Stroke, StrokeKind, Ui, pos2, vec2};
use egui_phosphor::regular as icon;

use crate::features::biomes::BiomesAction;
use crate::features::ground_rules::GroundRulesAction;
use crate::features::scene_settings::{CopyPalette, sun};
use crate::frame::commands::Command;
use crate::frame::document::{Document, Group};
use crate::frame::theme::{ROW, colour, paint_text};
use crate::frame::user_library::LibraryContents;
use crate::frame::widgets::params::{SliderPreview, row, rows};
use crate::frame::widgets::row::{label_cell, label_width};
use crate::frame::widgets::row::{section, seed_row};
use talweg::appearance::PaletteTable;
use talweg::appearance_files::{BIOME_PREFIX, BiomeTable, DEFAULT_PALETTE, Palette};
use talweg::eval::{MemoryUse, available_memory, check_free, needed_memory};
use talweg::io::memory::bytes_text;
use talweg::param::Params;
use talweg::scene::{Gesture, Scene};

/// Resolutions that the user can choose with one click.
const RESOLUTIONS: [u32; 5] = [257, 513, 1025, 2049, 4097];

/// A palette or biome table in the picker.
#[derive(Clone, Debug, Default)]
pub struct Swatch {
    /// Name of the palette in files.
    pub name: String,
    /// Name of the palette in the panel.
    pub label: String,
    /// Colours from deep water to the summits (the `lut` of a [`talweg::appearance::PaletteTable`]).
    pub colours: Vec<[u8; 4]>,
}

/// Shows the settings of the scene.
pub fn show(
    ui: &mut Ui,
    document: &mut Document,
    swatches: &[Swatch],
    library: &LibraryContents,
    preview: &mut dyn SliderPreview,
) -> Option<Command> {
    let mut command = None;
    ui.horizontal(|ui| {
        ui.label(RichText::new(icon::GEAR_SIX).size(20.0).color(colour::accent()));
        ui.label(RichText::new("Scene settings").strong().size(15.0));
    });
    let about = document.scene().settings.about();
    ui.label(about.help);
    ui.add_space(6.0);
    name_row(ui, document);
    let seed = document.scene().settings.seed;
    seed_row(ui, document, seed, "Seed of all random values in the scene.", |scene, seed| {
        scene.settings.seed = seed;
    });
    let light = [
        "sun",
        "sun_azimuth",
        "sun_elevation",
        "hour",
        "day",
        "latitude",
        "sky",
        "haze",
        "fog",
        "fog_height",
        "wind_from",
        "wind",
        "clouds",
        "auto_exposure",
        "exposure",
        "surroundings",
    ];
    let is_special = |name: &str| ["seed", "resolution"].contains(&name) || light.contains(&name);
    if let Some(index) = about.find("resolution") {
        row(ui, document, preview, Group::Settings, index);
        let free = free_bytes(ui);
        resolutions(ui, document, free);
        memory_line(ui, document.scene(), free);
    }
    rows(ui, document, preview, Group::Settings, |spec| !is_special(spec.name));
    if document.scene().is_planet() {
        section(ui, "Planet", true, |ui| {
            rows(ui, document, preview, Group::Planet, |_| true);
        });
    }
    section(ui, "Colours", true, |ui| {
        command = palettes(ui, document, swatches, library).or(command.take());
        command = own_palettes(ui, document, library).or(command.take());
        ui.add_space(3.0);
        let edit = Command::from(BiomesAction::Toggle);
        let button = ui.button(format!("{}  Edit biomes…", icon::TREE)).on_hover_text(edit.tooltip(ui.ctx()));
        if button.clicked() {
            command = Some(edit);
        }
        let edit = Command::from(GroundRulesAction::Toggle);
        let button = ui.button(format!("{}  Edit ground materials…", icon::STACK_SIMPLE));
        if button.on_hover_text(edit.tooltip(ui.ctx())).clicked() {
            command = Some(edit);
        }
    });
    if document.scene().biome_table().is_some() {
        let around = document.scene().is_planet();
        // hide these parameters on a planet, which has all latitudes and computes its own winds and seasons
        let flat = ["latitude", "latitude_span", "wind_from", "season", "axial_tilt"];
        section(ui, "Climate", true, |ui| {
            rows(ui, document, preview, Group::Climate, |spec| !(around && flat.contains(&spec.name)));
        });
    }
    if document.scene().is_planet() {
        // show only the exposure, because season and hour determine the position of the sun of a planet
        section(ui, "Light", true, |ui| {
            rows(ui, document, preview, Group::Settings, |spec| spec.name.ends_with("exposure"));
        });
        return command;
    }
    section(ui, "Light and surroundings", true, |ui| {
        ui.vertical_centered(|ui| sun::dial(ui, document));
        rows(ui, document, preview, Group::Settings, |spec| light.contains(&spec.name));
    });
    command
}

fn name_row(ui: &mut Ui, document: &mut Document) {
    ui.horizontal(|ui| {
        let label = label_cell(ui, "Name", false);
        let mut name = document.scene().name.clone();
        let field = egui::TextEdit::singleline(&mut name).desired_width(f32::INFINITY).char_limit(80);
        let field = ui.add(field.margin(vec2(6.0, 3.0))).labelled_by(label.id);
        if field.changed() {
            document.edit("Rename scene", Some(Gesture(field.id.value())), |scene| scene.name = name);
        }
    });
}

/// Free memory of the system in bytes, queried once a second.
fn free_bytes(ui: &Ui) -> Option<u64> {
    let now = ui.input(|input| input.time);
    let key = egui::Id::new("free memory");
    let known: Option<(f64, Option<u64>)> = ui.data(|data| data.get_temp(key));
    match known {
        Some((at, free)) if (0.0..1.0).contains(&(now - at)) => free,
        _ => {
            let free = available_memory(&MemoryUse::EDITOR);
            ui.data_mut(|data| data.insert_temp(key, (now, free)));
            free
        }
    }
}

/// Shows the memory that the editor needs at the scene's resolution, or why the system does not have enough.
fn memory_line(ui: &mut Ui, scene: &Scene, free: Option<u64>) {
    let Some(free) = free else { return };
    let needed = bytes_text(needed_memory(scene, scene.samples(), &MemoryUse::EDITOR));
    let (text, tint) = match check_free(scene, scene.samples(), &MemoryUse::EDITOR, free) {
        Ok(()) => (format!("Needs up to {needed} of {} free memory", bytes_text(free)), colour::text_weak()),
        Err(refused) => (format!("{refused}"), colour::warning()),
    };
    ui.horizontal(|ui| {
        ui.add_space(label_width(ui) + ui.spacing().item_spacing.x);
        ui.add(egui::Label::new(RichText::new(text).small().color(tint)).wrap());
    });
}

fn resolutions(ui: &mut Ui, document: &mut Document, free: Option<u64>) {
    ui.horizontal(|ui| {
        ui.add_space(label_width(ui) + ui.spacing().item_spacing.x);
        ui.spacing_mut().item_spacing.x = 3.0;
        ui.spacing_mut().button_padding.x = 3.0;
        let width = (ui.available_width() - 12.0) / 5.0;
        let present = document.scene().settings.resolution;
        for samples in RESOLUTIONS {
            let button = egui::Button::selectable(samples == present, RichText::new(samples.to_string()).small());
            let button = ui.add_sized([width, 20.0], button.frame_when_inactive(true));
            let scene = document.scene();
            let each = if scene.is_planet() { " on each of six faces" } else { "" };
            let size = samples as usize;
            let needs = match free.map(|free| check_free(scene, size, &MemoryUse::EDITOR, free)) {
                Some(Err(refused)) => refused.to_string(),
                _ => format!("Needs up to {} of memory", bytes_text(needed_memory(scene, size, &MemoryUse::EDITOR))),
            };
            let tip = format!("{samples} × {samples} samples{each}. {needs}.");
            if button.on_hover_text(tip).clicked() {
                document.edit("Change resolution", None, |scene| scene.settings.resolution = samples);
            }
        }
    });
}

/// Shows the built-in palettes and biome tables. Returns the command of a clicked menu entry.
fn palettes(ui: &mut Ui, document: &mut Document, swatches: &[Swatch], library: &LibraryContents) -> Option<Command> {
    let mut command = None;
    let is_own = library.biomes.iter().any(|file| is_shown_table(document, &file.contents));
    ui.spacing_mut().item_spacing.y = 2.0;
    for swatch in swatches {
        let scene = document.scene();
        let is_selected = scene.palette == swatch.name
            && if swatch.name.starts_with(BIOME_PREFIX) { !is_own } else { scene.own_palette.is_none() };
        let response = palette_row(ui, &swatch.label, &swatch.colours, is_selected);
        if let Some(palette) = Palette::named(&swatch.name) {
            command = copy_menu(&response, palette).or(command);
        }
        if response.clicked() {
            document.edit("Change palette", None, |scene| {
                scene.palette.clone_from(&swatch.name);
                // reset the climate too, because a biome table has its own climate
                (scene.own_palette, scene.biomes, scene.climate) = (None, None, None);
            });
        }
    }
    command
}

/// Shows the palettes and biome tables of the library, and the palette of the scene if the library does not contain it.
/// Returns the command of a clicked row or menu entry.
fn own_palettes(ui: &mut Ui, document: &mut Document, library: &LibraryContents) -> Option<Command> {
    let mut command = None;
    let settings = document.scene().settings.clone();
    let colours = |palette: &Palette| PaletteTable::new(palette, &settings).lut;
    let of_scene = document.scene().own_palette.clone();
    let of_scene = of_scene.filter(|_| document.scene().biome_table().is_none());
    let is_shown = |palette: &Palette| of_scene.as_ref().is_some_and(|own| own.has_same_contents(palette));
    let is_known = library.palettes.iter().any(|file| is_shown(&file.contents));
    let rest = of_scene.as_ref().filter(|_| !is_known);
    if rest.is_some() || !library.palettes.is_empty() || !library.biomes.is_empty() {
        ui.label(RichText::new("Your palettes").small().color(colour::text_weak()));
    }
    if let Some(palette) = rest {
        let row = palette_row(ui, &palette.label, &colours(palette), true);
        command = copy_menu(&row, palette);
        row.on_hover_text("The scene contains this palette.");
    }
    for file in &library.palettes {
        let palette = &file.contents;
        let row = palette_row(ui, &palette.label, &colours(palette), is_shown(palette));
        if row.on_hover_text(file.path.display().to_string()).clicked() {
            document.edit("Change palette", None, |scene| {
                if scene.palette.starts_with(BIOME_PREFIX) {
                    scene.palette = DEFAULT_PALETTE.into();
                }
                (scene.biomes, scene.climate) = (None, None);
                // files of scenes contain no name for their own palette
                scene.own_palette = Some(Palette { name: String::new(), ..(**palette).clone() }.into());
            });
        }
    }
    for file in &library.biomes {
        let is_selected = is_shown_table(document, &file.contents);
        let colours: Vec<_> = file.contents.types.iter().map(|kind| type_colour(kind.colour)).collect();
        let row = palette_row(ui, &file.contents.label, &colours, is_selected);
        if row.on_hover_text(file.path.display().to_string()).clicked() {
            command = Some(BiomesAction::OpenFrom(file.path.clone()).into());
        }
    }
    command
}

/// Whether a biome table of the library colours the scene. The scene's copy has another name.
fn is_shown_table(document: &Document, table: &BiomeTable) -> bool {
    let own = document.scene().biomes.as_deref();
    own.is_some_and(|own| BiomeTable { name: table.name.clone(), ..own.clone() } == *table)
}

/// The colour of a ground type as a colour of a swatch.
pub(super) fn type_colour([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}

/// Offers a copy of a palette in the context menu of its row.
fn copy_menu(row: &Response, palette: &Palette) -> Option<Command> {
    let mut command = None;
    row.context_menu(|ui| {
        let copy = Command::from(CopyPalette(palette.clone().into()));
        let info = copy.info();
        if ui.button(format!("{}  {}", info.icon, info.label)).on_hover_text(info.tooltip).clicked() {
            command = Some(copy);
            ui.close();
        }
    });
    command
}

/// Shows a row with the name of a palette and its colours.
fn palette_row(ui: &mut Ui, label: &str, colours: &[[u8; 4]], is_selected: bool) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::RadioButton, true, is_selected, label));
    if is_selected {
        ui.painter().rect(rect, 4.0, colour::accent_deep(), Stroke::NONE, StrokeKind::Inside);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, 4.0, colour::raised());
    }
    let tint = if is_selected { colour::text_strong() } else { colour::text() };
    let column = rect.with_min_x(rect.left() + 9.0).with_max_x(rect.left() + rect.width() * 0.38 - 6.0);
    paint_text(ui, column, label, tint, false);
    let strip =
        Rect::from_min_max(pos2(rect.left() + rect.width() * 0.38, rect.top() + 6.0), rect.max - vec2(8.0, 6.0));
    paint_strip(ui, strip, colours);
    response
}

/// Paints the colours side by side, as vertical bands that are at least a pixel wide.
fn paint_strip(ui: &Ui, rect: Rect, colours: &[[u8; 4]]) {
    if colours.is_empty() {
        return;
    }
    let bands = (rect.width() as usize).clamp(1, colours.len());
    let mut mesh = Mesh::default();
    for band in 0..bands {
        let [r, g, b, _] = colours[band * colours.len() / bands];
        let edge = |k: usize| egui::lerp(rect.x_range(), k as f32 / bands as f32);
        let part = Rect::from_x_y_ranges(edge(band)..=edge(band + 1), rect.y_range());
        mesh.add_colored_rect(part, Color32::from_rgb(r, g, b));
    }
    ui.painter().add(mesh);
    ui.painter().rect_stroke(rect, 1.0, Stroke::new(1.0, colour::line()), StrokeKind::Outside);
}

//! The export window: products, formats, sizes and target folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy_egui::egui;
use egui::{Align, ComboBox, DragValue, Grid, Layout, RichText, ScrollArea, TextEdit, Ui, vec2};

use super::ExportAction;
use crate::frame::commands::Command;
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{button, dismissed, is_confirmed, main_button, modal, scroll_by_keys};
use crate::frame::theme::colour;
use crate::frame::units;
use talweg::export::maps::ExportMap;
use talweg::export::streamed::streamed_products;
use talweg::export::targets::{ExportTarget, TARGETS};
use talweg::export::{
    self, ExportError, ExportFolder, ExportRequest, MESH, PLANTS, ScatterFormat, TEXTURES, TEXTURES_FORMAT,
    mesh_formats,
};
use talweg::field::MAX_SAMPLES;
use talweg::io::formats::RASTER_FORMATS;
use talweg::io::memory::bytes_text;
use talweg::scene::{BuildMesh, BuildPreset, BuildProduct, BuildTiles, Scene};
use talweg::tiles::MOST_SAMPLES;
use talweg::user_state::built_files;

/// The settings of an export.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportChoice {
    pub preset: BuildPreset,
    /// The folder that the file names of the preset are relative to.
    pub folder: PathBuf,
    /// The file of the scene, if it has one. The exported files are named after it.
    pub scene_file: Option<PathBuf>,
    /// Whether to replace protected files, and existing files that no earlier build of the scene has written.
    pub force: bool,
}

impl ExportChoice {
    /// The request with the names of its files.
    ///
    /// # Errors
    /// If the preset contains unknown names.
    pub fn request(&self) -> Result<ExportRequest, ExportError> {
        Ok(ExportRequest::from_preset(&self.preset)?.named_after(self.scene_file.as_deref()))
    }

    /// The target folder of the files, and whether to replace protected files.
    pub fn export_folder(&self) -> ExportFolder {
        ExportFolder { folder: self.folder.clone(), force: self.force, ..ExportFolder::default() }
    }

    /// The target folder, with a limit on the files that may be replaced. Unless `force` is set, only files that
    /// earlier builds of the scene have written may be replaced.
    pub fn careful_folder(&self) -> ExportFolder {
        let known = || self.scene_file.as_deref().map(built_files).unwrap_or_default();
        ExportFolder { only_over: (!self.force).then(|| Arc::new(known())), ..self.export_folder() }
    }

    /// All files that the export writes.
    pub fn files(&self, scene: &Scene) -> Vec<PathBuf> {
        let files = self.request().and_then(|request| export::output_files(&request, scene, &self.export_folder()));
        files.unwrap_or_default()
    }
}

/// A row of the list of products.
struct ProductRow {
    what: String,
    name: String,
    help: &'static str,
    is_ticked: bool,
    format: &'static str,
    /// Ids and names of the formats that can store the product.
    formats: Vec<(&'static str, &'static str)>,
}

/// The names of the exported files with their sizes in bytes, or the reason why the settings are invalid.
type CheckedSizes = Result<Vec<(String, u64)>, String>;

/// The export window with the current settings.
pub struct ExportWindow {
    scene: Scene,
    choice: ExportChoice,
    rows: Vec<ProductRow>,
    /// The last checked settings and the result of the check.
    checked: Option<(ExportChoice, CheckedSizes)>,
}

/// Default side length of a tile, in samples.
const USUAL_TILE: u32 = 513;
const LIST_WIDTH: f32 = 400.0;
const FIELDS_WIDTH: f32 = 330.0;
const GAP: f32 = 24.0;
const LIST_HEIGHT: f32 = 330.0;

/// Height of the lists, in points. In a low window, the lists are shorter, so that the rest of the dialog has room.
fn list_height(ui: &Ui) -> f32 {
    LIST_HEIGHT.min((ui.ctx().viewport_rect().height() - 230.0).max(120.0))
}

/// The width of the dialog's content, in points, and whether the fields are beside the list. In a narrow window, they
/// are below it.
fn width(ctx: &egui::Context) -> (f32, bool) {
    let (room, beside) = (ctx.viewport_rect().width() - 60.0, LIST_WIDTH + GAP + FIELDS_WIDTH);
    if room >= beside { (beside, true) } else { (room, false) }
}

/// Shows a part of the dialog in a scroll area of its own. Page Up and Page Down scroll the first area of the dialog.
fn scrolled(ui: &mut Ui, name: &str, height: f32, contents: impl FnOnce(&mut Ui)) {
    ScrollArea::vertical().id_salt(name).max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        scroll_by_keys(ui);
        contents(ui);
    });
}

impl ExportWindow {
    pub fn new(scene: &Scene, choice: ExportChoice) -> Self {
        let rows = rows(scene, &choice.preset);
        Self { scene: scene.clone(), choice, rows, checked: None }
    }

    /// Copies the ticked products to the preset.
    fn collect(&mut self) {
        let product = |row: &ProductRow| BuildProduct { map: row.what.clone(), format: row.format.into(), file: None };
        self.choice.preset.products = self.rows.iter().filter(|row| row.is_ticked).map(product).collect();
    }

    /// Samples per side of the export.
    fn samples(&self) -> usize {
        let request = self.choice.request();
        request.and_then(|request| export::samples(&request, &self.scene)).unwrap_or(self.scene.samples())
    }

    /// Returns the file sizes, or the reason why the settings are invalid. Recomputes the result only after a change.
    fn check(&mut self) -> CheckedSizes {
        if self.checked.as_ref().is_none_or(|(choice, _)| *choice != self.choice) {
            let Self { scene, choice, .. } = self;
            let checked = |request: ExportRequest| {
                export::check(&request, scene, &choice.export_folder())?;
                let samples = export::samples(&request, scene)?;
                // build a terrain in tiles if it is too large to be evaluated at once, provided that its products allow
                // tiles
                if samples > MAX_SAMPLES {
                    streamed_products(&request, scene, samples)?;
                }
                export::sizes(&request, scene)
            };
            let found = choice.request().and_then(checked).map_err(|error| error.to_string());
            self.checked = Some((self.choice.clone(), found));
        }
        self.checked.as_ref().map_or(Ok(Vec::new()), |(_, found)| found.clone())
    }
}

/// Lists all products of the scene. The products of the preset are ticked.
fn rows(scene: &Scene, preset: &BuildPreset) -> Vec<ProductRow> {
    let chosen = |what: &str| preset.products.iter().find(|product| product.map == what);
    let row = |what: String, name: String, help: &'static str, formats: Vec<(&'static str, &'static str)>| {
        let product = chosen(&what);
        let known = product.and_then(|product| formats.iter().find(|(id, _)| *id == product.format));
        let format = known.or(formats.first()).map_or("", |(id, _)| *id);
        ProductRow { is_ticked: product.is_some(), what, name, help, format, formats }
    };
    let map_row = |map: ExportMap| {
        let held = RASTER_FORMATS.into_iter().filter(|format| export::holds(format, &map));
        row(map.to_string(), map.name(), map.help(), held.map(|format| (format.id, format.name)).collect())
    };
    let mesh = row(
        MESH.into(),
        "Mesh".into(),
        "Terrain as a triangle mesh, with colours if the format supports them.",
        mesh_formats().map(|format| (format.id, format.name)).collect(),
    );
    let mut rows: Vec<ProductRow> = ExportMap::of_scene(scene).into_iter().map(map_row).collect();
    rows.insert(1.min(rows.len()), mesh);
    rows.push(row(
        TEXTURES.into(),
        "Textures of the materials".into(),
        "Images of all ground materials, with a table that gives each rule its images and their size. Splat maps say where \
         each material lies.",
        vec![(TEXTURES_FORMAT, "Images and JSON")],
    ));
    if !scene.is_planet() {
        rows.push(row(
            PLANTS.into(),
            "Plants and stones".into(),
            "Positions of all plants and stones, as a table or as instances of their meshes.",
            ScatterFormat::ALL.map(|format| (format.id(), format.name())).to_vec(),
        ));
    }
    rows
}

impl Dialog for ExportWindow {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        // read the Enter key before the fields are drawn, because a field loses the focus when Enter is pressed
        let (mut answer, has_entered) = (None, is_confirmed(ctx));
        let (width, is_beside) = width(ctx);
        let modal = modal(ctx, "export").show(ctx, |ui| {
            ui.set_width(width);
            ui.heading("Export terrain");
            ui.add_space(6.0);
            self.head(ui);
            ui.separator();
            let height = list_height(ui);
            if is_beside {
                ui.horizontal_top(|ui| {
                    ui.vertical(|ui| {
                        ui.set_width(LIST_WIDTH);
                        let before = self.about_target(ui);
                        scrolled(ui, "products", (height - before).max(80.0), |ui| self.products(ui));
                    });
                    ui.add_space(12.0);
                    ui.vertical(|ui| {
                        ui.set_width(FIELDS_WIDTH);
                        scrolled(ui, "fields", height, |ui| self.fields(ui, &mut answer));
                    });
                });
            } else {
                scrolled(ui, "products and fields", height, |ui| {
                    ui.set_width(ui.available_width() - 12.0);
                    self.about_target(ui);
                    self.products(ui);
                    ui.separator();
                    self.fields(ui, &mut answer);
                });
            }
            ui.separator();
            self.collect();
            let found = self.check();
            match &found {
                Ok(sizes) => {
                    let whole: u64 = sizes.iter().map(|(_, bytes)| bytes).sum();
                    let preset = &self.choice.preset;
                    let what = if preset.tiles.is_some() || preset.planet.cube { "product" } else { "file" };
                    let files = match sizes.len() {
                        1 => format!("1 {what}"),
                        count => format!("{count} {what}s"),
                    };
                    let how = match self.samples() > MAX_SAMPLES {
                        true => "; building in tiles also needs temporary disk space in the same folder",
                        false => "",
                    };
                    let text = format!("{files}, up to {}{how}", size_text(whole));
                    ui.label(RichText::new(text).color(colour::text_weak()));
                }
                Err(problem) => {
                    ui.label(RichText::new(sentence(problem)).color(colour::warning()));
                }
            }
            ui.add_space(8.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let export = ui.add_enabled(found.is_ok(), main_button("Export"));
                let tip = "Computes the terrain, writes all files and saves these settings in the scene. File > Build \
                           repeats the export.";
                let is_wanted = export.on_hover_text(tip).clicked() || has_entered;
                if is_wanted && found.is_ok() {
                    answer = Some(vec![ExportAction::Build(Box::new(self.choice.clone())).into()]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}

fn size_text(bytes: u64) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes.div_ceil(1024)) } else { bytes_text(bytes) }
}

fn sentence(problem: &str) -> String {
    let mut letters = problem.chars();
    let text: String = letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect());
    if text.ends_with(['.', '?']) { text } else { text + "." }
}

impl ExportWindow {
    /// Shows the choice of the target program, and the presets of the scene.
    fn head(&mut self, ui: &mut Ui) {
        let mut adopt = None;
        ui.horizontal(|ui| {
            ui.label("Target");
            let name = |id: &str| ExportTarget::named(id).map_or("Files", |target| target.name);
            let target = ComboBox::from_id_salt("target").selected_text(name(&self.choice.preset.target)).width(210.0);
            target.show_ui(ui, |ui| {
                if ui.selectable_label(self.choice.preset.target.is_empty(), "Files").clicked() {
                    let products = self.choice.preset.products.clone();
                    adopt = Some(BuildPreset { products, ..BuildPreset::default() });
                }
                for target in TARGETS {
                    let is_chosen = self.choice.preset.target == target.id;
                    if ui.selectable_label(is_chosen, target.name).on_hover_text(target.help).clicked() {
                        adopt = Some(target.preset());
                    }
                }
            });
            ui.add_space(12.0);
            let label = ui.label("Build preset");
            let name = TextEdit::singleline(&mut self.choice.preset.name).hint_text("Export").desired_width(150.0);
            ui.add(name).labelled_by(label.id).on_hover_text("Name under which the scene saves these settings.");
            if !self.scene.builds.is_empty() {
                ui.menu_button("Load", |ui| {
                    for build in &self.scene.builds {
                        if ui.button(title(build)).clicked() {
                            adopt = Some(build.clone());
                            ui.close();
                        }
                    }
                });
            }
        });
        if let Some(preset) = adopt {
            self.rows = rows(&self.scene, &preset);
            self.choice.preset = preset;
        }
    }

    /// Describes the target program, if one is chosen. Returns the height of the description, in points.
    fn about_target(&self, ui: &mut Ui) -> f32 {
        let before = ui.cursor().top();
        if let Ok(target) = ExportTarget::named(&self.choice.preset.target) {
            ui.label(target.help);
            ui.add_space(4.0);
            ui.label(RichText::new(format!("{}.", target.sizes_text())).color(colour::text_weak()));
            ui.add_space(4.0);
            ui.label("Import settings are in README.txt.");
            ui.add_space(8.0);
            ui.label("Also export:");
        }
        ui.cursor().top() - before
    }

    fn products(&mut self, ui: &mut Ui) {
        // the sizes are in the same order as the ticked rows
        let sizes = match &self.checked {
            Some((_, Ok(sizes))) => sizes.clone(),
            _ => Vec::new(),
        };
        let mut sizes = sizes.into_iter();
        for row in &mut self.rows {
            ui.horizontal(|ui| {
                ui.checkbox(&mut row.is_ticked, &row.name).on_hover_text(row.help);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if !row.is_ticked {
                        return;
                    }
                    let name = row.formats.iter().find(|(id, _)| *id == row.format).map_or("", |(_, name)| *name);
                    let formats = ComboBox::from_id_salt(&row.what).selected_text(name).width(140.0);
                    formats.show_ui(ui, |ui| {
                        for (id, name) in &row.formats {
                            ui.selectable_value(&mut row.format, id, *name);
                        }
                    });
                    if let Some((_, bytes)) = sizes.next() {
                        let size = RichText::new(size_text(bytes)).color(colour::text_weak());
                        ui.label(size).on_hover_text("Maximum size, before compression.");
                    }
                });
            });
        }
    }

    fn fields(&mut self, ui: &mut Ui, answer: &mut Option<Vec<Command>>) {
        let scene = &self.scene;
        let (settings, is_planet) = (&scene.settings, scene.is_planet());
        let wanted = self.samples();
        let (folder, mut chooses) = (self.choice.folder.display().to_string(), false);
        let preset = &mut self.choice.preset;
        let has_mesh = self.rows.iter().any(|row| row.is_ticked && row.what == MESH);
        let is_printed = self.rows.iter().any(|row| row.is_ticked && row.format == "stl");
        let is_raw = self.rows.iter().any(|row| row.is_ticked && ["r16", "r32"].contains(&row.format));
        Grid::new("export fields").num_columns(2).spacing(vec2(12.0, 6.0)).min_col_width(92.0).show(ui, |ui| {
            let mut own = preset.samples.is_none();
            ui.label("Size");
            ui.horizontal(|ui| {
                let text = if preset.target.is_empty() { "Scene resolution" } else { "Nearest" };
                if ui.checkbox(&mut own, text).changed() {
                    preset.samples = (!own).then_some(wanted as u32);
                }
                match &mut preset.samples {
                    Some(samples) => drop(ui.add(DragValue::new(samples).range(2..=MOST_SAMPLES).suffix(" samples"))),
                    None => drop(ui.label(format!("{wanted} samples"))),
                }
            });
            ui.end_row();
            let mut own = preset.height_range.is_none();
            ui.label("Height range").on_hover_text("Heights of the values 0 and 65535 in 16-bit files.");
            ui.horizontal(|ui| {
                if ui.checkbox(&mut own, "Lowest to highest point").changed() {
                    let (low, high) = (settings.sea_level.min(0.0), settings.relief_metres);
                    preset.height_range = (!own).then_some((low, high.max(low + 1.0)));
                }
            });
            ui.end_row();
            if let Some((low, high)) = &mut preset.height_range {
                ui.label("");
                ui.horizontal(|ui| {
                    ui.add(units::field(DragValue::new(low).speed(1.0), "m"));
                    ui.label("to");
                    ui.add(units::field(DragValue::new(high).speed(1.0), "m"));
                });
                ui.end_row();
            }
            ui.label("");
            ui.checkbox(&mut preset.normalised, "Normalise floats to 0–1")
                .on_hover_text("If off, floats are in the unit of the product, such as metres or degrees.");
            ui.end_row();
            if is_raw {
                ui.label("Raw files");
                ui.checkbox(&mut preset.south_first, "South row first");
                ui.end_row();
                ui.label("");
                ui.checkbox(&mut preset.big_endian, "Big-endian byte order");
                ui.end_row();
            }
            if is_planet {
                ui.label("Planet");
                ui.horizontal(|ui| {
                    ui.selectable_value(&mut preset.planet.cube, false, "Map");
                    ui.selectable_value(&mut preset.planet.cube, true, "Six faces");
                });
                ui.end_row();
            } else {
                tiles(ui, preset, wanted);
            }
            if has_mesh {
                mesh(ui, &mut preset.mesh, is_planet, is_printed);
            }
            let label = ui.label("File names");
            ui.add(TextEdit::singleline(&mut preset.file_names).desired_width(200.0))
                .labelled_by(label.id)
                .on_hover_text(
                    "{scene} is replaced by the scene's name, {map} by the product, {size} by the number of \
                     samples.",
                );
            ui.end_row();
            let label = ui.label("Subfolder");
            ui.add(TextEdit::singleline(&mut preset.folder).hint_text("none").desired_width(200.0))
                .labelled_by(label.id)
                .on_hover_text("Subfolder of the folder below. It is created if missing.");
            ui.end_row();
        });
        ui.add_space(6.0);
        ui.horizontal(|ui| {
            chooses = ui.button("Folder…").on_hover_text("Chooses the folder for the files.").clicked();
            let text = RichText::new(&folder).color(colour::text_weak());
            ui.add(egui::Label::new(text).truncate()).on_hover_text(&folder);
        });
        if chooses {
            self.collect();
            *answer = Some(vec![ExportAction::ChooseFolder(Box::new(self.choice.clone())).into()]);
        }
    }
}

fn tiles(ui: &mut Ui, preset: &mut BuildPreset, samples: usize) {
    let mut are_cut = preset.tiles.is_some();
    ui.label("Tiles");
    ui.horizontal(|ui| {
        if ui
            .checkbox(&mut are_cut, "")
            .on_hover_text("Splits rasters into square tiles. The file name of the north-west tile contains _x0_y0.")
            .changed()
        {
            let samples = USUAL_TILE.min(samples as u32);
            preset.tiles = are_cut.then_some(BuildTiles { samples, shared_edges: true });
        }
        if let Some(tiles) = &mut preset.tiles {
            ui.add(DragValue::new(&mut tiles.samples).range(2..=16_384).suffix(" samples"));
            ui.checkbox(&mut tiles.shared_edges, "Shared edges");
        }
    });
    ui.end_row();
}

fn mesh(ui: &mut Ui, mesh: &mut BuildMesh, is_planet: bool, is_printed: bool) {
    ui.label("Mesh error").on_hover_text(
        "Maximum height error of the mesh. Higher values give fewer triangles; 0 makes every sample a vertex.",
    );
    ui.add(units::field(DragValue::new(&mut mesh.error_metres).range(0.0..=10_000.0).speed(0.05), "m"));
    ui.end_row();
    ui.label("");
    ui.horizontal(|ui| {
        ui.checkbox(&mut mesh.colours, "Colours");
        ui.checkbox(&mut mesh.water, "Water");
        if !is_planet {
            ui.checkbox(&mut mesh.solid, "Walls and base");
        }
    });
    ui.end_row();
    if !is_printed {
        return;
    }
    ui.label("Printed size").on_hover_text("Longest side of an STL model.");
    ui.add(DragValue::new(&mut mesh.print_millimetres).range(1.0..=10_000.0).suffix(" mm"));
    ui.end_row();
}

/// The name of a preset, or “Export” if it has none.
pub fn title(preset: &BuildPreset) -> &str {
    if preset.name.is_empty() { "Export" } else { &preset.name }
}

/// The initial settings: the settings of the last build or, without a build, the heights as PNG. Files go beside the
/// scene's file or into `folder`.
pub fn first_choice(scene: &Scene, file: Option<&Path>, folder: PathBuf) -> ExportChoice {
    let beside = file.and_then(|file| std::path::absolute(file).ok());
    let folder = beside.as_deref().and_then(Path::parent).map_or(folder, Path::to_path_buf);
    let heights = || BuildProduct { map: "heights".into(), format: "png".into(), file: None };
    let usual = || BuildPreset { products: vec![heights()], ..BuildPreset::default() };
    ExportChoice {
        preset: scene.builds.first().cloned().unwrap_or_else(usual),
        folder,
        scene_file: beside,
        force: false,
    }
}

//! What each command does to the editor, and the dialogs' answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy_egui::egui;

use crate::app::features::compare::task::Ask;
use crate::app::frame::commands::{Command, Overlay, ViewAction};
use crate::app::frame::dialogs::{Answer, Then};
use crate::app::frame::document::Selection;
use crate::app::frame::editor::{Editor, Effect};
use crate::film::Film;
use crate::look::{BiomeTable, PREFIX};
use crate::nodes::Node;
use crate::param::Value;
use crate::scene::{Scene, Warning};

impl Editor {
    /// Carries out a command. What does not apply at the moment is ignored.
    pub fn run(&mut self, ctx: &egui::Context, command: Command) {
        let selected = self.doc.selected_layer();
        match command {
            Command::New => self.leave(Then::New),
            Command::NewPlanet => self.leave(Then::NewPlanet),
            Command::Open => self.leave(Then::AskWhich),
            Command::OpenRecent(path) => self.leave(Then::Open(path)),
            Command::Example(name) => self.leave(Then::Example(name)),
            Command::Save => self.save(None),
            Command::SaveAs => self.dialogs.ask_where_to_save(&self.doc, None),
            Command::ExportHeightmap => self.dialogs.ask_where_to_export(&self.doc),
            Command::Quit => self.leave(Then::Quit),
            Command::Undo => self.doc.undo(),
            Command::Redo => self.doc.redo(),
            Command::AddLayer => self.stack.add_menu.open(),
            Command::Add(node) => {
                if let Err(problem) = self.recent.note_node(node.about().name) {
                    self.toasts.warning(problem.to_string());
                }
                self.doc.add_layer(*node);
            }
            Command::RenameLayer => {
                if let Some(index) = selected {
                    self.stack.rename(&self.doc, index);
                }
            }
            Command::DuplicateLayer => with(selected, |index| self.doc.duplicate_layer(index)),
            Command::DeleteLayer => with(selected, |index| self.doc.delete_layer(index)),
            Command::TreeAlone => self.show_tree_alone(),
            Command::SoloLayer => with(selected, |index| self.doc.toggle_solo(index)),
            Command::ToggleLayer => with(selected, |index| self.doc.toggle_layer(index)),
            Command::MoveLayerUp => with(selected, |index| self.doc.move_layer(index, index + 1)),
            Command::MoveLayerDown => {
                with(selected.and_then(|k| k.checked_sub(1)), |to| self.doc.move_layer(to + 1, to))
            }
            Command::Variants | Command::SliderGhosts => self.run_variants(&command),
            Command::SelectAbove => self.doc.select(Selection::Layer(selected.map_or(0, |index| index + 1))),
            Command::SelectBelow => {
                let below = selected.and_then(|index| index.checked_sub(1));
                self.doc.select(below.map_or(Selection::Scene, Selection::Layer));
            }
            Command::PlayPause => self.doc.play_or_pause(),
            Command::StepForward => self.doc.step(1),
            Command::StepBack => self.doc.step(-1),
            Command::ToStart => self.doc.seek(0),
            Command::ToEnd => self.doc.seek(u32::MAX),
            Command::ContinueFromHere => self.doc.continue_from_here(),
            Command::Branch => self.doc.branch_from_here(),
            Command::ShowBranch(index) => self.doc.show_branch(index),
            Command::CompareBranch => self.compare_branch(),
            Command::ToggleCharts => self.doc.watch(!self.doc.is_watching()),
            Command::ToggleMeasures => self.measures.open = !self.measures.open,
            Command::ToggleBiomes => {
                self.biomes.open = !self.biomes.open;
                self.biomes.place = None;
            }
            Command::OpenBiomes => self.dialogs.ask_which_biomes(&self.doc),
            Command::SaveBiomes if self.doc.scene().biome_table().is_some() => {
                self.dialogs.ask_where_to_save_biomes(&self.doc);
            }
            Command::SaveBiomes => self.toasts.warning("The scene is coloured by height; it has no biome table."),
            Command::ExportTimelapse => self.ask_for_film(),
            Command::ChooseImage(group, param) => self.dialogs.ask_which_image(&self.doc, group, param),
            Command::TakePatch => self.open_patch_window(),
            Command::PutPatchBack => self.put_patch_back(),
            Command::Recompute => {
                crate::io::forget_rasters();
                self.doc.recompute();
            }
            // the window first, then what is computed
            Command::Cancel if self.variants.close() || self.patch.close() => {}
            Command::Cancel => {
                self.doc.pause();
                self.effects.push(Effect::Cancel);
            }
            Command::View(action) => {
                match action {
                    ViewAction::Mode(mode) => self.view.mode = mode,
                    ViewAction::Overlay(overlay) => {
                        // again: away with it
                        let is_on = self.view.overlay == overlay;
                        self.view.overlay = if is_on { Overlay::None } else { overlay };
                        self.overlay_was_chosen();
                    }
                    ViewAction::ToggleWater => self.view.water = !self.view.water,
                    ViewAction::Way(way) => self.view.way = way,
                    _ => {}
                }
                self.effects.push(Effect::View(action));
            }
            Command::Compare(action) => self.run_compare(action),
            Command::Piece(action) => self.run_piece(action, None),
            Command::Benchmark => self.bench.toggle(),
            Command::Shortcuts => self.dialogs.show_shortcuts(),
            Command::About => self.dialogs.show_about(),
        }
        ctx.request_repaint();
    }

    /// The first construction that is shown, on level ground and without what follows it.
    fn show_tree_alone(&mut self) {
        let layers = &self.doc.scene().layers;
        let is_tree = |index: &usize| matches!(layers[*index].node, Node::Construction(_));
        let found = (0..layers.len()).filter(is_tree).max_by_key(|index| layers[*index].enabled);
        match found {
            Some(index) if self.doc.solo() != Some(index) => self.doc.toggle_solo(index),
            Some(_) => {}
            None => self.toasts.info("There is no Construction layer to show alone."),
        }
    }

    /// Someone wants to close the window: asks first if something would be lost.
    pub fn close_requested(&mut self) {
        self.leave(Then::Quit);
    }

    /// Opens a scene given on the command line; what goes wrong becomes a message.
    pub fn open(&mut self, path: &Path) {
        match self.doc.open(path) {
            Ok(warnings) => {
                self.tell(&warnings);
                self.note_recent(path);
            }
            Err(error) => {
                self.toasts.error(because("The scene was not opened", &error));
                if !path.exists() {
                    self.forget_recent(path);
                }
            }
        }
    }

    pub(crate) fn show_dialogs(&mut self, ctx: &egui::Context) {
        match self.dialogs.show(ctx, &self.doc.name()) {
            None | Some(Answer::Stay) => {}
            Some(Answer::Save(then)) => self.save(Some(then)),
            Some(Answer::Discard(then)) => self.go_on(then),
            Some(Answer::SaveTo(path, then)) => self.save_to(&path, then),
            Some(Answer::Open(path)) => self.open(&path),
            Some(Answer::Compare(path)) => self.ask(Ask::File(path)),
            Some(Answer::Export(path)) => self.effects.push(Effect::Export { path }),
            Some(Answer::Film(film)) => self.dialogs.ask_where_to_film(&self.doc, film),
            Some(Answer::FilmTo(film, path)) => self.effects.push(Effect::Film { film, path }),
            Some(Answer::TakePatch(path)) => self.take_patch(path),
            Some(Answer::OpenBiomes(path)) => self.open_biomes(&path),
            Some(Answer::SaveBiomes(path)) => self.save_biomes(&path),
            Some(Answer::Picture(path)) => {
                if let Some(way) = self.pieces.selected() {
                    crate::app::features::construction::piece::take_picture(
                        &mut self.doc,
                        way,
                        path.to_string_lossy().into_owned(),
                    );
                }
            }
            Some(Answer::Image(group, param, path)) => {
                let name = path.to_string_lossy().into_owned();
                self.doc.set(group, param, &Value::Text(name), None);
            }
        }
    }

    /// Opens a patch that was written.
    pub(crate) fn open_patch(&mut self, path: PathBuf) {
        self.toasts.info(format!("Took {}; work on it, then put it back (Layer menu)", file_name(&path)));
        self.leave(Then::Open(path));
    }

    pub(crate) fn open_patched_planet(&mut self) {
        self.leave(Then::PatchedPlanet);
    }

    fn open_biomes(&mut self, path: &Path) {
        match BiomeTable::load(path) {
            Ok(table) => self.doc.edit("Open biome table", None, |scene| {
                if !scene.palette.starts_with(PREFIX) {
                    scene.palette = format!("{PREFIX}earth");
                }
                scene.climate = None;
                let name = scene.palette.strip_prefix(PREFIX).unwrap_or_default().to_string();
                scene.biomes = Some(Arc::new(BiomeTable { name, ..table }));
            }),
            Err(error) => self.toasts.error(because("The biome table was not opened", &error)),
        }
    }

    fn save_biomes(&mut self, path: &Path) {
        let Some(table) = self.doc.scene().biome_table() else { return };
        // with the climate that it was made in
        let table = BiomeTable { climate: self.doc.scene().climate(), ..(*table).clone() };
        match table.save(path) {
            Ok(()) => self.toasts.info(format!("Saved {}", file_name(path))),
            Err(error) => self.toasts.error(because("The biome table was not saved", &error)),
        }
    }

    fn ask_for_film(&mut self) {
        let process = self.doc.process().map(|(layer, _)| layer);
        match process.map_or_else(|| Film::topmost_process(self.doc.scene()), Ok) {
            Ok(layer) => self.dialogs.ask_how_to_film(&self.doc, layer),
            Err(error) => self.toasts.warning(format!("{}.", capitalised(&error.to_string()))),
        }
    }

    /// Goes on with `then`, after asking about unsaved changes.
    fn leave(&mut self, then: Then) {
        if self.doc.is_dirty() { self.dialogs.ask_about_changes(then) } else { self.go_on(then) }
    }

    fn go_on(&mut self, then: Then) {
        match then {
            Then::New => {
                self.toasts.forget_warnings();
                self.doc.replace(Scene::default(), None);
            }
            Then::NewPlanet => {
                self.toasts.forget_warnings();
                self.doc.replace(Scene::new_planet(), None);
            }
            Then::PatchedPlanet => self.show_patched_planet(),
            Then::AskWhich => self.dialogs.ask_what_to_open(&self.doc),
            Then::Open(path) => self.open(&path),
            Then::Example(name) => self.open_example(&name),
            Then::Quit => self.effects.push(Effect::Quit),
        }
    }

    fn open_example(&mut self, name: &str) {
        let Some(example) = self.examples.iter().find(|example| example.name == name) else { return };
        match Scene::from_ron(&example.text) {
            Ok((scene, warnings)) => {
                self.doc.replace(scene, None);
                self.tell(&warnings);
            }
            Err(error) => self.toasts.error(because(&format!("The example “{name}” cannot be read"), &error)),
        }
    }

    fn save(&mut self, then: Option<Then>) {
        match self.doc.path().map(Path::to_path_buf) {
            Some(path) => self.save_to(&path, then),
            None => self.dialogs.ask_where_to_save(&self.doc, then),
        }
    }

    fn save_to(&mut self, path: &Path, then: Option<Then>) {
        match self.doc.save(path) {
            Ok(()) => {
                self.toasts.info(format!("Saved {}", file_name(path)));
                self.note_recent(path);
                if let Some(then) = then {
                    self.go_on(then);
                }
            }
            Err(error) => self.toasts.error(because("The scene was not saved", &error)),
        }
    }

    /// Says what was mended in the scene that has just been opened.
    fn tell(&mut self, warnings: &[Warning]) {
        self.toasts.forget_warnings();
        match warnings {
            [] => {}
            [one] => self.toasts.warning(format!("Mended on opening: {}", one.0)),
            many => {
                let list: String = many.iter().map(|warning| format!("\n• {}", warning.0)).collect();
                self.toasts.warning(format!("Mended on opening:{list}"));
            }
        }
    }

    fn note_recent(&mut self, path: &Path) {
        if let Err(problem) = self.recent.note(path) {
            self.toasts.warning(problem.to_string());
        }
    }

    fn forget_recent(&mut self, path: &Path) {
        if let Err(problem) = self.recent.forget(path) {
            self.toasts.warning(problem.to_string());
        }
    }
}

fn with(layer: Option<usize>, act: impl FnOnce(usize)) {
    if let Some(index) = layer {
        act(index);
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// `what` with the reason behind it, as one sentence. The reason may begin with the name of a file and stays as it is.
fn because(what: &str, reason: &dyn std::fmt::Display) -> String {
    let text = format!("{what}: {reason}");
    if text.ends_with('.') { text } else { text + "." }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string())
}

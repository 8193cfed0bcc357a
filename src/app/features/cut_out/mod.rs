//! Saves a part of the terrain on screen as an image feature for constructions: *Feature ▸ Cut out terrain*.

use std::path::PathBuf;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::{self, Align, DragValue, Layout, Ui};
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, Command, CommandApp, CommandQueue, Info};
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::files::{Files, file_stem};
use crate::frame::dialogs::modals::{button, dismissed, is_confirmed, main_button, modal};
use crate::frame::editor::{Editor, file_name, with_reason};
use crate::frame::evaluation::EvaluationClient;
use crate::frame::interface::{InterfaceApp, Slot};
use crate::frame::menu::pick;
use crate::frame::tasks::{Newest, Tasks};
use crate::frame::units;
use talweg::construction::geometry::plane::Area;
use talweg::export::image_piece::CutOut;
use talweg::field::Terrain;
use talweg::io::SaveTarget;
use talweg::scene::Scene;

pub struct CutOutPlugin;

impl Plugin for CutOutPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<CutOutTask>()
            .add_actions([CutOutAction::Ask], run)
            .add_menu_part("Feature", 10, menu)
            .add_part(Slot::Update, receive);
    }
}

/// The area of the terrain to cut out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutOutOrder {
    /// Positions of the west, north, east and south edge, in metres from the north-west corner of the terrain.
    pub edges: [f64; 4],
    /// Fraction of the feature over which it blends into the surrounding terrain, from 0.001 to 0.5.
    pub border: f32,
}

/// Commands that cut out terrain.
#[derive(Clone, Debug, PartialEq)]
pub enum CutOutAction {
    /// Opens the dialog for the area to cut out.
    Ask,
    /// Asks for the file in which to save the cut-out.
    AskWhere(CutOutOrder),
    Write(CutOutOrder, PathBuf),
}

impl Action for CutOutAction {
    fn section(&self) -> &'static str {
        "Feature"
    }

    fn info(&self) -> Info {
        let help =
            "Saves a part of the terrain as an image feature, which constructions can move, rotate, scale and blend.";
        Info::new("Cut out terrain…", help, icon::SCISSORS, &[])
    }
}

/// The cut-out that is being saved, keyed by its file name.
#[derive(Resource, Default)]
struct CutOutTask(Newest<String, Result<(), String>>);

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    pick(ui, &mut queue, CutOutAction::Ask, !editor.doc.scene().is_planet());
}

fn run(
    In(action): In<CutOutAction>,
    mut editor: ResMut<Editor>,
    evaluation: Option<ResMut<EvaluationClient>>,
    (mut task, tasks): (ResMut<CutOutTask>, Res<Tasks>),
) {
    let editor = &mut *editor;
    let side = f64::from(editor.doc.scene().settings.size_metres);
    match action {
        CutOutAction::Ask if editor.doc.scene().is_planet() => {
            editor.toasts.info("Cutting out works on terrains only: extract a region of the planet first.");
        }
        CutOutAction::Ask => {
            let edges = [0.25, 0.25, 0.75, 0.75].map(|share| share * side);
            editor.dialogs.open(CutOutDialog { side, order: CutOutOrder { edges, border: 0.2 } });
        }
        CutOutAction::AskWhere(order) => {
            let then = move |path| CutOutAction::Write(order, path).into();
            let name = format!("{} cut out", file_stem(&editor.doc));
            let files = Files::save(&editor.doc, "Cut out terrain", &name, &[("Talweg scene", "ron")], then);
            editor.dialogs.open(files);
        }
        CutOutAction::Write(order, path) => {
            let whole = editor.doc.scene().samples();
            // check the terrain on screen, because it can be older than the scene
            let shown = evaluation.and_then(
                |mut evaluation| {
                    if evaluation.is_busy() { None } else { evaluation.terrain.clone() }
                },
            );
            let Some(terrain) = shown.filter(|terrain| terrain.samples() == whole) else {
                return editor.toasts.info("The terrain is still being computed. Try again when it is ready.");
            };
            let (name, scene) = (file_name(&path), editor.doc.scene().clone());
            let work = tasks.start("cut out", move |_| Some(write(&order, &scene, &terrain, path)));
            match work {
                Ok(work) => task.0.start(name, Ok(work)),
                Err(error) => editor.toasts.error(with_reason("The terrain was not cut out", &error)),
            }
        }
    }
}

fn write(order: &CutOutOrder, scene: &Scene, terrain: &Terrain, path: PathBuf) -> Result<(), String> {
    let [west, north, east, south] = order.edges;
    let cut = CutOut::new(scene, terrain, &Area { low: [west, north], high: [east, south] });
    let cut = cut.map_err(|error| error.to_string())?;
    cut.save(scene, order.border, &SaveTarget::new(path)).map_err(|error| error.to_string())
}

/// Shows a message when the cut-out is saved or has failed.
fn receive(_: InMut<Ui>, mut task: ResMut<CutOutTask>, mut editor: ResMut<Editor>) {
    if !task.0.receive() {
        return;
    }
    match task.0.take() {
        Some((name, Ok(()))) => {
            editor.toasts.info(format!("Saved {name}. Open it and copy its image feature into another construction."))
        }
        Some((name, Err(error))) => editor.toasts.error(with_reason(&format!("{name} was not written"), &error)),
        None => {}
    }
}

/// The dialog that asks for the edges, in metres.
struct CutOutDialog {
    side: f64,
    order: CutOutOrder,
}

impl Dialog for CutOutDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        // read the Enter key before the fields are drawn, because a field loses the focus when Enter is pressed
        let (mut answer, has_entered) = (None, is_confirmed(ctx));
        let modal = modal(ctx, "ground to cut out").show(ctx, |ui| {
            ui.set_width(400.0);
            ui.heading("Cut out terrain");
            ui.label("Saves this part of the terrain as an image feature: a scene file with a heightmap beside it.");
            ui.add_space(8.0);
            let order = &mut self.order;
            ui.horizontal_wrapped(|ui| {
                for (name, low, high) in
                    [("Whole", 0.0, 1.0), ("Middle half", 0.25, 0.75), ("Middle third", 1.0 / 3.0, 2.0 / 3.0)]
                {
                    let edges = [low, low, high, high].map(|share| share * self.side);
                    let chip = ui.add(egui::Button::new(name).selected(order.edges == edges).corner_radius(10));
                    if chip.clicked() {
                        order.edges = edges;
                    }
                }
            });
            ui.add_space(6.0);
            egui::Grid::new("edges of the cut").num_columns(4).show(ui, |ui| {
                for (k, name) in ["West edge", "North edge", "East edge", "South edge"].into_iter().enumerate() {
                    let label = ui.label(name);
                    // keep opposite edges at least a thousandth of the side length apart
                    let (least, other) = (0.001 * self.side, order.edges[(k + 2) % 4]);
                    let range = if k < 2 { 0.0..=other - least } else { other + least..=self.side };
                    let edge =
                        DragValue::new(&mut order.edges[k]).range(range).speed(0.002 * self.side).max_decimals(1);
                    ui.add(units::field(edge, "m")).labelled_by(label.id);
                    if k % 2 == 1 {
                        ui.end_row();
                    }
                }
            });
            ui.horizontal(|ui| {
                let label = ui.label("Border");
                let mut percent = 100.0 * order.border;
                let field = DragValue::new(&mut percent).range(0.1..=50.0).suffix(" %").max_decimals(1);
                if ui
                    .add(field)
                    .labelled_by(label.id)
                    .on_hover_text("Fraction of the feature over which it blends into the surrounding terrain.")
                    .changed()
                {
                    order.border = 0.01 * percent;
                }
            });
            ui.add_space(12.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(main_button("Save as…")).clicked() || has_entered {
                    answer = Some(vec![CutOutAction::AskWhere(self.order).into()]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::eval::{Store, evaluate};
    use talweg::field::Control;

    #[test]
    fn a_cut_out_writes_the_terrain_between_its_edges() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hills.ron");
        let (scene, _) =
            Scene::from_ron("(version: 1, settings: (resolution: 129), layers: [(node: Perlin(), seed: 3)])").unwrap();
        let terrain = |scene: &Scene| {
            evaluate(scene, scene.samples(), None, &mut Store::forgetful(), &Control::default()).unwrap().terrain
        };
        let (whole, side) = (terrain(&scene), f64::from(scene.settings.size_metres));
        let order = CutOutOrder { edges: [0.25, 0.25, 0.75, 0.75].map(|share| share * side), border: 0.1 };
        write(&order, &scene, &whole, path.clone()).unwrap();
        let (piece, problems) = Scene::load(&path).unwrap();
        assert!(problems.is_empty(), "{problems:?}");
        let cut = terrain(&piece);
        for (row, column) in [(64, 64), (50, 60), (75, 52)] {
            let k = row * 129 + column;
            let metres = (cut.height[k] - whole.height[k]) * scene.settings.relief_metres;
            assert!(metres.abs() < 1.0, "{row}, {column}: {metres} m");
        }
        assert!(
            (cut.height[0] - whole.height[0]).abs() > 1e-4,
            "the feature must also change the terrain outside the cut-out"
        );
        let nowhere = CutOutOrder { edges: [2.0, 2.0, 3.0, 3.0].map(|share| share * side), border: 0.1 };
        assert!(write(&nowhere, &scene, &whole, path).unwrap_err().contains("lie on the terrain"));
    }
}

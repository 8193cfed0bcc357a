//! The parameter rows of the selected piece and of its selected point, and the profile editors of the piece.

use std::sync::Arc;

use bevy_egui::egui;
use egui::{RichText, Ui};
use egui_phosphor::regular as icon;

use crate::features::construction::PieceAction;
use crate::features::construction::list::{TreeState, material_words, piece_icon, set, title_of};
use crate::features::construction::profile;
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::frame::theme::{colour, icon_button};
use crate::frame::widgets::inactive::{GroupRows, explain, greyed, reason};
use crate::frame::widgets::params::piece_row;
use crate::frame::widgets::row::{Change, label_cell};
use talweg::construction::edit::freehand::line_form;
use talweg::construction::edit::points::{LinePoint, line, line_mut};
use talweg::construction::edit::{EditError, PiecePath, Root, link_group, points};
use talweg::construction::geometry::profile::Profile;
use talweg::construction::primitives::contour::{Contour, ContourRay};
use talweg::construction::primitives::curve::Cross;
use talweg::construction::{MaterialLayer, Piece, PieceKind, PieceMaterial, Tree};
use talweg::param::Params;
use talweg::scene::Gesture;

/// The piece that is being edited, and its construction.
struct PieceEdit<'a> {
    document: &'a mut Document,
    layer: usize,
    tree: Arc<Tree>,
    path: PiecePath,
    /// The reason why an edit was refused.
    refused: Option<EditError>,
}

impl PieceEdit<'_> {
    fn edit(&mut self, label: &str, gesture: Option<Gesture>, change: impl FnOnce(&mut Piece)) {
        let mut tree = (*self.tree).clone();
        if let Some(piece) = self.path.piece_mut(&mut tree) {
            let before = piece.clone();
            change(piece);
            if let PieceKind::Contour(contour) = &piece.kind
                && contour.outline().is_err()
            {
                self.refused = Some(EditError::NotSimple);
                return;
            }
            points::give_line(piece);
            link_group::update_linked(&mut tree, &before, &self.path, self.document.tree_seed(self.layer));
            self.document.edit_tree(self.layer, label, gesture, tree);
        }
    }

    /// Rows for a group of parameters of the piece. Returns the command that a row issued, if any.
    fn rows(
        &mut self,
        ui: &mut Ui,
        params: &dyn Params,
        group: impl for<'p> Fn(&'p mut Piece, &mut dyn FnMut(&mut dyn Params)),
    ) -> Option<Command> {
        let about = params.about();
        let mut command = None;
        GroupRows::new(params, |_| true).show(ui, |ui, k, matters| {
            let spec = &about.params[k];
            let value = params.get(k);
            let mut choose = None;
            let mut row = |ui: &mut Ui| {
                ui.push_id((about.name, spec.name), |ui| piece_row(ui, about, spec, &value, &mut choose)).inner
            };
            let change = if matters {
                row(ui)
            } else {
                let greyed = greyed(ui, row);
                explain(ui, &greyed.response, spec, || {
                    let mut copy = self.path.piece(&self.tree).cloned()?;
                    let mut why = None;
                    group(&mut copy, &mut |params: &mut dyn Params| why = reason(params, k));
                    why
                });
                greyed.inner
            };
            if choose.is_some() {
                command = Some(Command::from(PieceAction::ChooseImage));
            }
            if let Some(Change { value, gesture }) = change {
                let label = format!("Change {}", spec.label.to_lowercase());
                // the value cannot be rejected, because it comes from the row of the same parameter
                self.edit(&label, gesture, |piece| {
                    group(piece, &mut |params: &mut dyn Params| drop(params.set(k, &value)));
                });
            }
        });
        command
    }
}

/// Shows the selected piece; returns the command that a row issued.
pub fn show(ui: &mut Ui, document: &mut Document, state: &mut TreeState) -> Option<Command> {
    let path = state.selected()?.clone();
    let (layer, tree) = document.tree().map(|(layer, tree)| (layer, tree.clone()))?;
    let Some(piece) = path.piece(&tree).cloned() else {
        empty_material(ui, &path);
        return None;
    };
    let mut edit = PieceEdit { document, layer, tree: tree.clone(), path: path.clone(), refused: None };
    let about = piece.params().about();
    ui.horizontal(|ui| {
        ui.label(RichText::new(piece_icon(&piece)).size(18.0).color(colour::accent()));
        let title = title_of(&tree, &path, &piece);
        ui.add(egui::Label::new(RichText::new(title).strong().size(15.0)).truncate());
    });
    let count = state.selected_pieces().len();
    if count > 1 {
        let text = format!("{count} features are selected. The parameters are those of the last one.");
        ui.label(RichText::new(text).color(colour::text_weak()));
    }
    ui.label(about.help);
    if path.is_locked(&tree) {
        let text = format!("{}  Locked: it cannot be dragged in the view.", icon::LOCK);
        ui.label(RichText::new(text).color(colour::text_weak()));
    }
    let mut command = None;
    // include the path of the piece in the ids of the rows, so that a drag never changes another piece
    ui.push_id(format!("{path:?}"), |ui| {
        command = actions(ui, &piece, state);
        instance_row(ui, &tree, &piece, state);
        linked_pieces(ui, &tree, &path, state);
        ui.add_space(4.0);
        if matches!(path.root, Root::Definition(_) | Root::Material(MaterialLayer::Terrain)) {
            material(ui, &mut edit, piece.material);
        }
        let rows = edit.rows(ui, piece.params(), |piece, act| act(piece.params_mut()));
        command = command.take().or(rows);
        if line(&piece).is_some() {
            point(ui, &mut edit, &piece, state);
        }
        match &piece.kind {
            PieceKind::Curve(_) => cross(ui, &mut edit, &piece, state),
            PieceKind::Contour(contour) => contour_profile(ui, &mut edit, contour, state),
            _ => {}
        }
    });
    if let Some(why) = edit.refused {
        state.notice = Some(format!("Not changed: {why}."));
    }
    command
}

/// Shows the row that chooses the ground material of the piece.
fn material(ui: &mut Ui, edit: &mut PieceEdit, now: PieceMaterial) {
    ui.horizontal(|ui| {
        ui.label("Material")
            .on_hover_text("Ground material of this feature and of children without a material of their own.");
        let mut chosen = now;
        egui::ComboBox::from_id_salt("material").selected_text(now.label()).show_ui(ui, |ui| {
            for &material in PieceMaterial::ALL {
                ui.selectable_value(&mut chosen, material, material.label()).on_hover_text(material.help());
            }
        });
        if chosen != now {
            edit.edit("Change material", None, |piece| piece.material = chosen);
        }
    });
}

/// Lists the pieces that are linked with this piece. A click selects one of them.
fn linked_pieces(ui: &mut Ui, tree: &Tree, path: &PiecePath, state: &mut TreeState) {
    let others = link_group::linked_pieces(tree, path);
    if others.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Linked with").color(colour::text_weak()));
        for other in others {
            let Some(piece) = other.piece(tree) else { continue };
            let material = match other.root {
                Root::Material(material) => material_words(material).0.to_lowercase(),
                Root::Definition(_) => "an original".into(),
            };
            let title = title_of(tree, &other, piece);
            let named = if title.to_lowercase() == material { material } else { format!("{title} ({material})") };
            if ui.link(named).on_hover_text("Selects this feature.").clicked() {
                state.select(Some(other));
            }
        }
    });
}

fn empty_material(ui: &mut Ui, path: &PiecePath) {
    let Root::Material(material) = path.root else { return };
    let (title, symbol, help) = material_words(material);
    ui.horizontal(|ui| {
        ui.label(RichText::new(symbol).size(18.0).color(colour::accent()));
        ui.label(RichText::new(title).strong().size(15.0));
    });
    ui.label(help);
    ui.label(
        RichText::new("No features yet. Features that you place from the library are added here.")
            .color(colour::text_weak()),
    );
}

/// Shows buttons for the commands that apply to this kind of piece.
fn actions(ui: &mut Ui, piece: &Piece, state: &TreeState) -> Option<Command> {
    let mut wanted = Vec::new();
    if line_form(piece).is_some() {
        wanted.push(PieceAction::Draw);
    }
    match &piece.kind {
        PieceKind::Curve(curve) => {
            wanted.extend([PieceAction::Lay, PieceAction::Follow]);
            if matches!(curve.settings.cross, Cross::River | Cross::Canyon | Cross::Bank) {
                wanted.push(PieceAction::Fall);
            }
        }
        PieceKind::Ribbon(_) => wanted.extend([PieceAction::Lay, PieceAction::Follow]),
        PieceKind::Contour(contour) if contour.points.is_empty() => wanted.push(PieceAction::Bend),
        _ => {}
    }
    if wanted.is_empty() {
        return None;
    }
    let mut command = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 4.0);
        for action in wanted {
            let ask = Command::from(action);
            let info = ask.info();
            let on = match action {
                PieceAction::Follow => state.follows,
                PieceAction::Draw => state.view.is_drawing(),
                _ => false,
            };
            let button = egui::Button::new(format!("{}  {}", info.icon, info.label)).selected(on);
            if ui.add(button).on_hover_text(ask.tooltip(ui.ctx())).clicked() {
                command = Some(ask);
            }
        }
    });
    command
}

/// Shows a button that selects the original, if the piece is an instance.
fn instance_row(ui: &mut Ui, tree: &Tree, piece: &Piece, state: &mut TreeState) {
    let PieceKind::Instance(instance) = &piece.kind else { return };
    ui.horizontal(|ui| {
        ui.label(RichText::new(format!("Instance of “{}”", instance.definition)).color(colour::text()));
        let original = tree.definitions.iter().position(|d| d.name == instance.definition);
        let tip = "Selects the original. Changes to it apply to all of its instances.";
        if ui.add_enabled(original.is_some(), egui::Button::new("Edit original")).on_hover_text(tip).clicked() {
            state.select(original.map(PiecePath::definition));
        }
    });
}

/// Shows the parameters of the selected point of a line.
fn point(ui: &mut Ui, edit: &mut PieceEdit, piece: &Piece, state: &mut TreeState) {
    let count = points::handles(piece).len();
    heading(ui, "Points");
    ui.horizontal(|ui| {
        let step = |by: usize| Some(state.point.map_or(0, |k| (k + by) % count.max(1)));
        let back = icon_button(ui, count > 0, icon::CARET_LEFT, "Previous point");
        let (previous, next) = (step(count.saturating_sub(1)), step(1));
        if back.on_hover_text("Selects the previous point.").clicked() {
            state.point = previous;
        }
        let text = match state.point {
            Some(k) => format!("Point {} of {count}", k + 1),
            None => format!("{count} points"),
        };
        ui.label(text);
        if icon_button(ui, count > 0, icon::CARET_RIGHT, "Next point")
            .on_hover_text("Selects the next point.")
            .clicked()
        {
            state.point = next;
        }
        if let Some(k) = state.point {
            let enough = count > 2;
            let bin = icon_button(ui, enough, icon::TRASH, "Delete point");
            if bin.on_hover_text("Deletes the point and joins its neighbours.").clicked() {
                edit.edit("Delete point", None, |piece| drop(points::remove_point(piece, k)));
                state.point = None;
            }
        }
    });
    let Some((index, point)) = state.point.and_then(|k| Some((k, line(piece)?.get(k)?))) else {
        ui.weak("Click a point in the view to select it. Double-click the line to add one.");
        return;
    };
    let form = LinePoint::from_point(point);
    ui.push_id(("point", index), |ui| {
        edit.rows(ui, &form, |piece, act| {
            if let Some(point) = line_mut(piece).and_then(|points| points.get_mut(index)) {
                let mut form = LinePoint::from_point(point);
                act(&mut form);
                form.write(point);
            }
        });
    });
}

fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(6.0);
    ui.separator();
    ui.label(RichText::new(text).strong());
}

/// Shows the cross-section profile of a line, either at the selected point or along the whole line.
fn cross(ui: &mut Ui, edit: &mut PieceEdit, piece: &Piece, state: &TreeState) {
    let PieceKind::Curve(curve) = &piece.kind else { return };
    let plain = curve.settings.cross.profile();
    let own = |k: usize| curve.points.get(k).and_then(|point| point.profile.as_ref());
    let (title, shown) = match state.point {
        Some(k) => (format!("Cross-section at point {}", k + 1), own(k)),
        None => ("Cross-section".to_string(), own(0)),
    };
    heading(ui, &title);
    let is_own = shown.is_some();
    let changed = profile::editor(ui, "Cross-section profile", shown.unwrap_or(&plain), 1.0);
    let all = state.point.is_none();
    if let Some((profile, gesture)) = changed {
        let at = state.point;
        edit.edit("Change profile", gesture, |piece| set_cross(piece, at, Some(profile)));
    }
    ui.horizontal(|ui| {
        let name = curve.settings.cross.label();
        ui.weak(match (is_own, all) {
            (false, _) => format!("Default profile of {}. Edit it to create a custom one.", name.to_lowercase()),
            (true, true) => "Custom profile along the whole line.".into(),
            (true, false) => "Custom profile at this point.".into(),
        });
        let tip = format!("Restores the default profile of {}.", name.to_lowercase());
        if is_own && ui.button("Reset").on_hover_text(tip).clicked() {
            let at = state.point;
            edit.edit("Reset profile", None, |piece| set_cross(piece, at, None));
        }
    });
}

fn set_cross(piece: &mut Piece, at: Option<usize>, profile: Option<Profile>) {
    let Some(points) = line_mut(piece) else { return };
    for (k, point) in points.iter_mut().enumerate() {
        if at.is_none_or(|at| at == k) {
            point.profile = profile.clone();
        }
    }
}

/// Shows the radial profile of a contour, in one of several directions or in all directions.
fn contour_profile(ui: &mut Ui, edit: &mut PieceEdit, contour: &Contour, state: &mut TreeState) {
    heading(ui, "Radial shape");
    let rays = contour.profiles.len();
    state.ray = state.ray.min(rays.saturating_sub(1));
    let ray = state.ray;
    if rays > 1 {
        ui.horizontal(|ui| {
            label_cell(ui, "Direction", false);
            egui::ComboBox::from_id_salt("direction").selected_text(direction(contour.profiles[ray].angle)).show_ui(
                ui,
                |ui| {
                    for (k, other) in contour.profiles.iter().enumerate() {
                        ui.selectable_value(&mut state.ray, k, direction(other.angle));
                    }
                },
            );
            let bin = icon_button(ui, true, icon::TRASH, "Delete direction");
            if bin.on_hover_text("Deletes the profile of this direction.").clicked() {
                with_contour(edit, "Delete profile", None, |contour| drop(contour.profiles.remove(ray)));
            }
        });
    }
    let plain = contour.settings.landform.profile();
    let shown = contour.profiles.get(ray).map_or(&plain, |ray| &ray.profile);
    if let Some((mut profile, gesture)) = profile::editor(ui, "Radial profile", shown, contour.settings.reach) {
        // distances from the centre cannot be negative
        profile.0.retain(|point| point.0 >= 0.0);
        with_contour(edit, "Change profile", gesture, |contour| match contour.profiles.get_mut(ray) {
            Some(ray) => ray.profile = profile,
            None => contour.profiles.push(ContourRay { angle: 0.0, profile }),
        });
    }
    ui.horizontal(|ui| {
        let tip = "Adds a profile for another direction. Profiles are interpolated between directions.";
        if ui.button("Add direction").on_hover_text(tip).clicked() {
            let angles: Vec<f32> = contour.profiles.iter().map(|ray| ray.angle).collect();
            let profile = shown.clone();
            with_contour(edit, "Add profile", None, |contour| {
                if contour.profiles.is_empty() {
                    contour.profiles.push(ContourRay { angle: 0.0, profile: profile.clone() });
                }
                contour.profiles.push(ContourRay { angle: widest_gap(&angles), profile });
            });
            state.ray = rays.max(1);
        }
        let tip = "Restores the default profile of the landform in all directions.";
        if rays > 0 && ui.button("Reset").on_hover_text(tip).clicked() {
            with_contour(edit, "Reset profile", None, |contour| contour.profiles.clear());
            state.ray = 0;
        }
    });
}

fn with_contour(edit: &mut PieceEdit, label: &str, gesture: Option<Gesture>, change: impl FnOnce(&mut Contour)) {
    edit.edit(label, gesture, |piece| {
        if let PieceKind::Contour(contour) = &mut piece.kind {
            change(contour);
        }
    });
}

/// The angle that bisects the widest gap between neighbouring directions.
fn widest_gap(angles: &[f32]) -> f32 {
    let mut sorted: Vec<f32> = angles.iter().map(|a| a.rem_euclid(360.0)).collect();
    sorted.sort_by(f32::total_cmp);
    let Some(&first) = sorted.first() else { return 180.0 };
    let next = sorted.iter().skip(1).copied().chain([first + 360.0]);
    let widest = sorted.iter().zip(next).max_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    widest.map_or(180.0, |(a, b)| (0.5 * (a + b)).rem_euclid(360.0))
}

fn direction(angle: f32) -> String {
    const NAMES: [&str; 8] = ["east", "south-east", "south", "south-west", "west", "north-west", "north", "north-east"];
    let turn = angle.rem_euclid(360.0);
    format!("{turn:.0}°, {}", NAMES[((turn + 22.5) / 45.0) as usize % 8])
}

/// Rows for the coordinate frame of the construction, which sets the scale of all its numbers.
pub fn frame(ui: &mut Ui, document: &mut Document) {
    let Some((layer, tree)) = document.tree().map(|(layer, tree)| (layer, tree.clone())) else { return };
    let about = tree.frame.about();
    for (k, spec) in about.params.iter().enumerate() {
        let value = tree.frame.get(k);
        let change = ui.push_id((about.name, spec.name), |ui| piece_row(ui, about, spec, &value, &mut None)).inner;
        if let Some(Change { value, gesture }) = change {
            let mut tree = (*tree).clone();
            // the value cannot be rejected, because it comes from the row of the same parameter
            let _ = tree.frame.set(k, &value);
            document.edit_tree(layer, &format!("Change {}", spec.label.to_lowercase()), gesture, tree);
        }
    }
}

/// Sets the image file of the piece at `path`.
pub fn take_image(document: &mut Document, path: &PiecePath, name: String) {
    let Some((layer, tree)) = document.tree().map(|(layer, tree)| (layer, tree.clone())) else { return };
    set(document, layer, &tree, path, "Choose image", |piece| {
        if let Some(file) = piece.image_file_mut() {
            file.0 = name;
        }
    });
}

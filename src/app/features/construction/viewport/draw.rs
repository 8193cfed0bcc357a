//! Draws outlines and handles of pieces over the view.

use crate::features::construction::viewport::*;

/// Projects horizontal outlines vertically onto the visible terrain. Returns them in screen coordinates.
pub(crate) fn drape(stage: &TerrainView, tree: &Tree, outlines: Vec<PickOutline>) -> Vec<(Polyline, bool)> {
    let metres = metres(tree);
    let longest = metres.0 / 96.0;
    let mut lines = Vec::new();
    for PickOutline { mut places, closed, inner } in outlines {
        if closed && let Some(&first) = places.first() {
            places.push(first);
        }
        let mut line: Polyline = Vec::new();
        let mut seen = true;
        let mut k = 0usize;
        for pair in places.windows(2) {
            let side = sub(pair[1], pair[0]);
            let parts = ((length(side) / longest).ceil() as usize).clamp(1, 64);
            for i in 0..=parts {
                let t = i as f64 / parts as f64;
                let place = metres.position(add(pair[0], [side[0] * t, side[1] * t]));
                let on_square = place.iter().all(|c| (0.0..=1.0).contains(c));
                match screen(stage, place).filter(|_| on_square) {
                    Some(at) => {
                        // test the visibility of every fourth point only, because neighbouring points usually have the
                        // same visibility
                        if k.is_multiple_of(4) {
                            seen = stage.is_seen(place);
                        }
                        k += 1;
                        line.push((at, seen));
                    }
                    None if line.len() > 1 => lines.push((std::mem::take(&mut line), inner)),
                    None => line.clear(),
                }
            }
        }
        if line.len() > 1 {
            lines.push((line, inner));
        }
    }
    lines
}

impl Lines {
    /// Returns the outline of a piece. Reuses the outline `kept` if the piece has not changed.
    fn of_piece(kept: Option<Self>, stage: &TerrainView, tree: &Arc<Tree>, path: &PiecePath, seed: u32) -> Self {
        if let Some(kept) = kept
            && Arc::ptr_eq(&kept.tree, tree)
            && kept.path == *path
            && kept.terrain_view == *stage
        {
            return kept;
        }
        let lines = drape(stage, tree, pick_index::outlines(tree, path, seed));
        Self { tree: tree.clone(), path: path.clone(), terrain_view: stage.clone(), lines }
    }
}

pub(crate) fn draw_outlines(
    painter: &egui::Painter,
    state: &mut TreeState,
    stage: &TerrainView,
    tree: &Arc<Tree>,
    selected: Option<&PiecePath>,
    seed: u32,
) {
    let hovered = state.hovered.clone().filter(|path| !state.is_selected(path) && path.piece(tree).is_some());
    let kept = state.view.hovered.take();
    state.view.hovered = hovered.map(|path| Lines::of_piece(kept, stage, tree, &path, seed));
    let kept = state.view.selected.take();
    state.view.selected = selected.map(|path| Lines::of_piece(kept, stage, tree, path, seed));
    let mut kept = std::mem::take(&mut state.view.others);
    let others = state.selected_pieces().into_iter().filter(|path| Some(path) != selected);
    state.view.others = others
        .map(|path| {
            let kept = kept.iter().position(|lines| lines.path == path).map(|k| kept.swap_remove(k));
            Lines::of_piece(kept, stage, tree, &path, seed)
        })
        .collect();
    let hovered = state.view.hovered.iter().map(|lines| (lines, colour::text_strong()));
    let chosen = state.view.others.iter().chain(&state.view.selected).map(|lines| (lines, colour::accent()));
    for (lines, tint) in hovered.chain(chosen) {
        for (line, inner) in &lines.lines {
            let width = if *inner { 1.2 } else { 1.8 };
            stroke(painter, line, width, tint);
        }
    }
}

/// Draws a line with a dark edge, so that it is visible on both snow and rock. Hidden parts of the line are fainter.
pub(crate) fn stroke(painter: &egui::Painter, line: &Polyline, width: f32, tint: Color32) {
    for part in line.chunk_by(|a, b| a.1 == b.1) {
        let points: Vec<Pos2> = part.iter().map(|p| p.0).collect();
        let seen = part[0].1;
        if seen {
            painter.add(Shape::line(points.clone(), Stroke::new(width + 2.0, Color32::from_black_alpha(110))));
        }
        let tint = if seen { tint } else { tint.gamma_multiply(0.35) };
        painter.add(Shape::line(points, Stroke::new(width, tint)));
    }
}

pub(crate) fn draw_handles(painter: &egui::Painter, handles: &Handles, hot: Option<Grip>, point: Option<usize>) {
    let dark = Color32::from_black_alpha(150);
    if handles.ring.len() > 2 {
        painter.add(Shape::line(handles.ring.clone(), Stroke::new(3.0, dark)));
        painter.add(Shape::line(handles.ring.clone(), Stroke::new(1.2, colour::text_strong().gamma_multiply(0.7))));
    }
    let middle = handles.grips.iter().find(|(grip, _)| *grip == Grip::Move).map(|(_, at)| *at);
    for (grip, at) in &handles.grips {
        let is_hot = hot == Some(*grip);
        let fill = if is_hot { colour::accent() } else { colour::panel() };
        let edge = Stroke::new(1.6, if is_hot { colour::text_strong() } else { colour::accent() });
        match grip {
            Grip::Point(k) => {
                let chosen = point == Some(*k);
                let fill = if chosen { colour::accent() } else { fill };
                let edge = Stroke::new(1.6, colour::text_strong());
                painter.circle(*at, if chosen || is_hot { 6.0 } else { 4.5 }, fill, edge);
            }
            Grip::Dimension(dimension) => {
                let half = if is_hot { 6.0 } else { 4.5 };
                let square = Rect::from_center_size(*at, vec2(2.0 * half, 2.0 * half));
                let is_arm =
                    matches!(dimension, PieceDimension::Radius | PieceDimension::StretchX | PieceDimension::StretchY);
                if let Some(middle) = middle.filter(|_| is_arm) {
                    painter.line_segment([middle, *at], Stroke::new(3.0, dark));
                    painter.line_segment([middle, *at], Stroke::new(1.2, colour::text_strong().gamma_multiply(0.7)));
                }
                let edge = Stroke::new(1.6, colour::text_strong());
                painter.rect(square, 1.0, fill, edge, egui::StrokeKind::Middle);
            }
            Grip::Move => {
                painter.circle(*at, if is_hot { 9.0 } else { 7.5 }, fill, edge);
                let arm = 4.0;
                let cross = Stroke::new(1.4, colour::text_strong());
                painter.line_segment([*at - vec2(arm, 0.0), *at + vec2(arm, 0.0)], cross);
                painter.line_segment([*at - vec2(0.0, arm), *at + vec2(0.0, arm)], cross);
            }
            Grip::Turn => icon_handle(painter, *at, egui_phosphor::regular::ARROWS_CLOCKWISE, fill, edge, is_hot),
            Grip::Scale => icon_handle(painter, *at, egui_phosphor::regular::ARROWS_OUT, fill, edge, is_hot),
            Grip::Raise => {
                if let Some(foot) = middle {
                    painter.line_segment([foot - vec2(0.0, 9.0), *at], Stroke::new(3.0, dark));
                    painter.line_segment([foot - vec2(0.0, 9.0), *at], Stroke::new(1.2, colour::text_strong()));
                }
                icon_handle(painter, *at, egui_phosphor::regular::ARROWS_DOWN_UP, fill, edge, is_hot);
            }
        }
    }
}

pub(crate) fn icon_handle(painter: &egui::Painter, at: Pos2, symbol: &str, fill: Color32, edge: Stroke, hot: bool) {
    painter.circle(at, if hot { 10.0 } else { 8.5 }, fill, edge);
    let font = egui::FontId::proportional(11.0);
    painter.text(at, egui::Align2::CENTER_CENTER, symbol, font, colour::text_strong());
}

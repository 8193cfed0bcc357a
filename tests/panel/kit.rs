//! The panels without a window, for tests that use them with pointer and keyboard.

use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, Pos2, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use talweg::app::features::scene_settings::panel::Swatch;
use talweg::app::frame::editor::{Drawn, Editor, Effect, Example};
use talweg::app::frame::status::StatusInfo;
use talweg::app::frame::theme;
use talweg::eval::Request;
use talweg::nodes::Node;
use talweg::param::Value;

pub struct App {
    pub editor: Editor,
    pub info: StatusInfo,
    pub drawn: Option<Drawn>,
    pub requests: Vec<Request>,
    pub effects: Vec<Effect>,
    pub frames: usize,
}

impl App {
    pub fn value(&self, layer: usize, param: &str) -> Value {
        let node = &self.editor.doc.scene().layers[layer].node;
        node.params().get(node.about().find(param).unwrap())
    }

    pub fn names(&self) -> Vec<String> {
        self.editor.doc.scene().layers.iter().map(|layer| layer.name.clone()).collect()
    }
}

pub type Panels = Harness<'static, App>;

pub fn panels(size: Vec2, nodes: &[&str]) -> Panels {
    let swatches = vec![Swatch { name: "alpine".into(), label: "Alpine".into(), colours: vec![[9; 4]; 512] }];
    let examples = vec![Example { name: "Hills".into(), text: "(version: 1, layers: [(node: Perlin())])".into() }];
    let mut editor = Editor::new(None, examples, swatches);
    for name in nodes {
        editor.doc.add_layer(Node::named(name).unwrap());
    }
    let info = StatusInfo::default();
    let app = App { editor, info, drawn: None, requests: Vec::new(), effects: Vec::new(), frames: 0 };
    let mut harness =
        Harness::builder().with_size(size).with_max_steps(1000).with_step_dt(0.04).build_ui_state(frame, app);
    harness.run();
    harness
}

/// What the Bevy system does, without Bevy.
pub fn frame(ui: &mut egui::Ui, app: &mut App) {
    let ctx = ui.ctx().clone();
    if app.frames == 0 {
        theme::apply(&ctx);
    }
    app.frames += 1;
    let builder = egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(ctx.viewport_rect());
    let mut root = egui::Ui::new(ctx, "root".into(), builder);
    if app.frames == 1 {
        return; // the fonts come with the next pass
    }
    let mut drawn = app.editor.ui(&mut root, &app.info);
    app.requests.extend(app.editor.doc.take_request());
    app.effects.append(&mut drawn.effects);
    app.drawn = Some(drawn);
}

pub fn large(nodes: &[&str]) -> Panels {
    panels(vec2(1280.0, 720.0), nodes)
}

pub fn press(panels: &mut Panels, modifiers: Modifiers, key: Key) {
    panels.key_press_modifiers(modifiers, key);
    panels.run();
}

pub fn click(panels: &mut Panels, label: &str) {
    panels.get_by_label(label).click();
    panels.run();
}

pub fn drag(panels: &mut Panels, from: Pos2, to: Pos2) {
    panels.hover_at(from);
    panels.drag_at(from);
    for k in 1..=4 {
        panels.hover_at(from + (to - from) * (k as f32 / 4.0));
    }
    panels.run();
}

pub fn drop_at(panels: &mut Panels, at: Pos2) {
    panels.drop_at(at);
    panels.run();
}

/// The widget of `role` that the label `name` belongs to.
pub fn widget<'a>(panels: &'a Panels, role: Role, name: &'a str) -> egui_kittest::Node<'a> {
    panels.get_by_role_and_label(role, name)
}

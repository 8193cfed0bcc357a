//! The panels without a window system, for tests that operate them with pointer and keyboard.

use std::path::Path;

use bevy::ecs::component::Mutable;
use bevy::prelude::{Message, Messages, Resource};
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, Pos2, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use talweg::eval::Request;
use talweg::nodes::Node;
use talweg::param::Value;
use talweg_app::features::FeaturePlugins;
use talweg_app::features::benchmark::task::BenchRequest;
use talweg_app::features::compare::task::CompareRequest;
use talweg_app::features::patch::task::PatchOrder;
use talweg_app::features::scene_settings::Swatches;
use talweg_app::features::scene_settings::panel::Swatch;
use talweg_app::frame::actions::{CancelWork, QuitRequested};
use talweg_app::frame::commands::{Command, CommandQueue, CommandRegistry};
use talweg_app::frame::editor::{Editor, Example};
use talweg_app::frame::interface::{self, InterfaceLayout};
use talweg_app::frame::status::StatusInfo;
use talweg_app::frame::{FramePlugin, theme};
use talweg_app::view::ViewCommand;

/// Requests of the panels that the rest of the editor would execute.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Cancel,
    Quit,
    View(ViewCommand),
    Bench(BenchRequest),
    Compare(CompareRequest),
    Patch(Box<PatchOrder>),
}

pub struct App {
    pub app: bevy::app::App,
    pub drawn: Option<InterfaceLayout>,
    pub requests: Vec<Request>,
    pub effects: Vec<Effect>,
    pub frames: usize,
}

impl App {
    pub fn editor(&self) -> &Editor {
        self.get()
    }

    pub fn editor_mut(&mut self) -> &mut Editor {
        self.get_mut()
    }

    pub fn info_mut(&mut self) -> &mut StatusInfo {
        self.get_mut()
    }

    pub fn get<R: Resource>(&self) -> &R {
        self.app.world().resource()
    }

    pub fn get_mut<R: Resource<Mutability = Mutable>>(&mut self) -> &mut R {
        self.app.world_mut().resource_mut::<R>().into_inner()
    }

    /// Issues a command, as a menu does.
    pub fn issue(&mut self, command: impl Into<Command>) {
        self.get_mut::<CommandQueue>().push(command);
    }

    pub fn commands(&self) -> Vec<Command> {
        self.get::<CommandRegistry>().all().to_vec()
    }

    /// Takes the messages of one type.
    pub fn take_messages<M: Message>(&mut self) -> Vec<M> {
        self.app.world_mut().resource_mut::<Messages<M>>().drain().collect()
    }

    pub fn value(&self, layer: usize, param: &str) -> Value {
        let node = &self.editor().doc.scene().layers[layer].node;
        node.params().get(node.about().find(param).unwrap())
    }

    pub fn names(&self) -> Vec<String> {
        self.editor().doc.scene().layers.iter().map(|layer| layer.name.clone()).collect()
    }

    fn listen(&mut self) {
        let mut heard: Vec<Effect> = self.take_messages::<CancelWork>().into_iter().map(|_| Effect::Cancel).collect();
        heard.extend(self.take_messages::<QuitRequested>().into_iter().map(|_| Effect::Quit));
        heard.extend(self.take_messages::<ViewCommand>().into_iter().map(Effect::View));
        heard.extend(self.take_messages::<BenchRequest>().into_iter().map(Effect::Bench));
        heard.extend(self.take_messages::<CompareRequest>().into_iter().map(Effect::Compare));
        heard.extend(self.take_messages::<PatchOrder>().into_iter().map(|order| Effect::Patch(Box::new(order))));
        self.effects.extend(heard);
    }
}

pub type Panels = Harness<'static, App>;

pub fn panels(size: Vec2, nodes: &[&str]) -> Panels {
    panels_kept_in(None, size, nodes)
}

/// Like `panels`, with a folder for preferences.
pub fn panels_kept_in(config: Option<&Path>, size: Vec2, nodes: &[&str]) -> Panels {
    let swatches = vec![Swatch { name: "alpine".into(), label: "Alpine".into(), colours: vec![[9; 4]; 512] }];
    let examples = vec![Example { name: "Hills".into(), text: "(version: 1, layers: [(node: Perlin())])".into() }];
    let mut editor = Editor::new(config, examples);
    for name in nodes {
        editor.doc.add_layer(Node::named(name).unwrap());
    }
    let mut app = bevy::app::App::new();
    app.insert_resource(editor).add_plugins((FramePlugin, FeaturePlugins)).insert_resource(Swatches(swatches));
    let app = App { app, drawn: None, requests: Vec::new(), effects: Vec::new(), frames: 0 };
    let mut harness =
        Harness::builder().with_size(size).with_max_steps(1000).with_step_dt(0.04).build_ui_state(frame, app);
    harness.run();
    harness
}

/// Runs the steps that the window performs in a frame.
pub fn frame(ui: &mut egui::Ui, app: &mut App) {
    let ctx = ui.ctx().clone();
    if app.frames == 0 {
        theme::prepare(&ctx);
    }
    app.frames += 1;
    let builder = egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(ctx.viewport_rect());
    let mut root = egui::Ui::new(ctx, "root".into(), builder);
    if app.frames == 1 {
        return; // the fonts are available in the next pass
    }
    let drawn = interface::draw(app.app.world_mut(), &mut root);
    let request = app.editor_mut().doc.take_request();
    app.requests.extend(request);
    app.listen();
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

/// The widget with this role and label.
pub fn widget<'a>(panels: &'a Panels, role: Role, name: &'a str) -> egui_kittest::Node<'a> {
    panels.get_by_role_and_label(role, name)
}

/// Chooses an item from the drop-down list of a parameter.
pub fn choose_item(panels: &mut Panels, list: &str, item: &str) {
    widget(panels, Role::ComboBox, list).click();
    panels.run();
    panels.get_by_role_and_label(Role::Button, item).click();
    panels.run();
}

//! Live link: other programs on this computer follow the terrain in the editor, and agents work in the folder of the
//! scene. See [`talweg_server`].

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::{self, Grid, RichText, Ui};
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, Command, CommandApp, CommandQueue, Info};
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{button, close_button, dismissed, modal};
use crate::frame::editor::{Editor, with_reason};
use crate::frame::evaluation::EvaluationClient;
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::tick;
use crate::frame::window::FrameSystems;
use talweg::field::Terrain;
use talweg_server::{AgentWork, SceneFolder, Server, ServerError, ServerOptions, TerrainFeed, address_file};

pub struct LiveLinkPlugin;

impl Plugin for LiveLinkPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<LiveLink>()
            .add_actions([LiveLinkAction::Show], run)
            .add_menu_part("Tools", 40, menu)
            .add_systems(EguiPrimaryContextPass, publish.in_set(FrameSystems::Settle));
    }
}

/// Commands of the live link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveLinkAction {
    /// Opens the dialog of the live link.
    Show,
}

impl Action for LiveLinkAction {
    fn section(&self) -> &'static str {
        "File"
    }

    fn info(&self) -> Info {
        Info::new(
            "Live link…",
            "Lets other programs on this computer, such as Blender and Godot, follow the terrain while you edit it, and \
             agents work in the folder of the scene.",
            icon::BROADCAST,
            &[],
        )
    }
}

/// The server of the live link, while it runs, and the terrain that it passed on last.
#[derive(Resource, Default)]
struct LiveLink {
    running: Arc<RunningLink>,
    last: Option<(u64, Arc<Terrain>)>,
}

/// The part of the live link that its dialog shows and switches.
#[derive(Default)]
struct RunningLink {
    feed: TerrainFeed,
    server: Mutex<Option<StartedServer>>,
}

struct StartedServer {
    server: Server,
    /// The folder in which agents work; `None` if the scene had no file when the link was switched on.
    folder: Option<PathBuf>,
}

impl RunningLink {
    fn server(&self) -> MutexGuard<'_, Option<StartedServer>> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the server. Agents work in `folder`, if there is one.
    fn start(&self, folder: Option<PathBuf>) -> Result<(), ServerError> {
        let scenes = folder.as_deref().map(SceneFolder::new).transpose()?;
        let agents = scenes.map(|scenes| AgentWork::new(scenes, 0, None)).transpose()?;
        let options = ServerOptions { port: 0, token: None, agents, address_file: address_file() };
        let server = Server::start(self.feed.clone(), options)?;
        *self.server() = Some(StartedServer { server, folder });
        Ok(())
    }
}

fn menu(InMut(ui): InMut<Ui>, link: Res<LiveLink>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    let is_on = link.running.server().is_some();
    tick(ui, &mut queue, LiveLinkAction::Show, true, is_on);
}

fn run(In(LiveLinkAction::Show): In<LiveLinkAction>, mut editor: ResMut<Editor>, link: Res<LiveLink>) {
    let path = editor.doc.path().and_then(|path| std::path::absolute(path).ok());
    let folder = path.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    editor.dialogs.open(LiveLinkDialog { running: Arc::clone(&link.running), folder, error: None });
}

/// Passes on the terrain on screen when it is the finished terrain of the scene.
fn publish(mut link: ResMut<LiveLink>, editor: Res<Editor>, evaluation: Option<ResMut<EvaluationClient>>) {
    if link.running.server().is_none() {
        return;
    }
    let Some(mut evaluation) = evaluation else { return };
    let doc = &editor.doc;
    if !doc.is_complete() || doc.transport().playhead.is_some() || evaluation.is_busy() {
        return;
    }
    let Some(terrain) = evaluation.terrain.clone() else { return };
    let is_known =
        link.last.as_ref().is_some_and(|(revision, known)| *revision == doc.revision() && Arc::ptr_eq(known, &terrain));
    if is_known || terrain.samples() != doc.scene().samples() {
        return;
    }
    let (scene, _) = doc.shown_scene();
    link.running.feed.publish(&scene, &terrain);
    link.last = Some((doc.revision(), terrain));
}

/// The dialog that switches the live link on and off.
struct LiveLinkDialog {
    running: Arc<RunningLink>,
    /// The folder of the scene.
    folder: Option<PathBuf>,
    error: Option<String>,
}

impl Dialog for LiveLinkDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut answer = None;
        let modal = modal(ctx, "live link").show(ctx, |ui| {
            ui.set_width(520.0);
            ui.heading("Live link");
            ui.label(
                "Programs on this computer that know the token fetch each finished terrain: heights, maps, meshes and \
                 pictures. The add-ons for Blender and Godot find the address and the token by themselves.",
            );
            ui.add_space(8.0);
            let mut is_on = self.running.server().is_some();
            if ui.checkbox(&mut is_on, "Let other programs follow").changed() {
                self.switch(is_on);
            }
            if let Some(started) = &*self.running.server() {
                self.describe(ui, started);
            }
            if let Some(error) = &self.error {
                ui.colored_label(ui.visuals().error_fg_color, error);
            }
            ui.add_space(12.0);
            answer = close_button(ui);
        });
        // the number of followers changes without any input
        ctx.request_repaint_after(std::time::Duration::from_secs(1));
        answer.or_else(|| dismissed(ctx, &modal))
    }

    fn gives_way(&self) -> bool {
        true
    }
}

impl LiveLinkDialog {
    fn switch(&mut self, is_on: bool) {
        self.error = None;
        if !is_on {
            *self.running.server() = None;
        } else if let Err(error) = self.running.start(self.folder.clone()) {
            self.error = Some(with_reason("The live link cannot start", &error));
        }
    }

    fn describe(&self, ui: &mut Ui, started: &StartedServer) {
        ui.add_space(6.0);
        let agents = match &started.folder {
            Some(folder) => folder.display().to_string(),
            None => "none: save the scene first, then switch the link off and on".into(),
        };
        let rows = [("Address", started.server.url()), ("Folder in which agents work (MCP)", agents)];
        Grid::new("live link").num_columns(2).spacing([16.0, 6.0]).show(ui, |ui| {
            for (name, value) in rows {
                ui.label(name);
                ui.label(RichText::new(value).monospace());
                ui.end_row();
            }
        });
        ui.label(match self.running.feed.followers() {
            0 => "No program waits for the next terrain.".to_string(),
            1 => "1 program waits for the next terrain.".into(),
            count => format!("{count} programs wait for the next terrain."),
        });
        ui.add_space(6.0);
        let copy = ui.add(button(format!("{}  Copy token", icon::COPY)));
        if copy.on_hover_text("Copies the token. Whoever has it can read the terrain and use the folder.").clicked() {
            ui.ctx().copy_text(started.server.token().into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_into_a_missing_folder_does_not_start() {
        let link = RunningLink::default();
        assert!(link.server().is_none());
        let missing = link.start(Some(PathBuf::from("/nowhere/at/all"))).unwrap_err();
        assert!(missing.to_string().contains("/nowhere/at/all"), "{missing}");
        assert!(link.server().is_none());
    }
}

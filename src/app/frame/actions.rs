//! Handlers of the commands that belong to the frame itself.

use std::path::Path;

use bevy::ecs::system::In;
use bevy::prelude::{Message, MessageWriter, ResMut, World};

use super::commands::{self, CommandQueue, ComputeAction, EditAction, FileAction, Proceed};
use super::editor::Editor;
use talweg::io::SaveTarget;
use talweg::scene::{Scene, with_scene_ending};
use talweg::scene_files::{RelativePaths, make_paths_relative, pack_files};
use talweg::user_state::{OutsideError, permit_paths};

/// Message: stop all background work that can be stopped.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancelWork;

/// Message: quit the program. Unsaved changes have already been saved or discarded.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuitRequested;

pub(super) fn file(In(action): In<FileAction>, mut editor: ResMut<Editor>, mut queue: ResMut<CommandQueue>) {
    match action {
        FileAction::New => editor.leave_scene(&mut queue, Proceed::New),
        FileAction::NewPlanet => editor.leave_scene(&mut queue, Proceed::NewPlanet),
        FileAction::Open => editor.leave_scene(&mut queue, Proceed::AskWhich),
        FileAction::OpenRecent(path) => editor.leave_scene(&mut queue, Proceed::Open(path)),
        FileAction::Example(name) => editor.leave_scene(&mut queue, Proceed::Example(name)),
        FileAction::Quit => editor.leave_scene(&mut queue, Proceed::Quit),
        FileAction::SaveAs => editor.ask_where_to_save(None),
        FileAction::Save | FileAction::SaveThen(_) => {
            let then = if let FileAction::SaveThen(then) = action { Some(then) } else { None };
            match editor.doc.path().map(Path::to_path_buf) {
                Some(path) => queue.push(FileAction::SaveTo(path, then)),
                None => editor.ask_where_to_save(then),
            }
        }
        FileAction::SaveTo(path, then) => {
            // The dialog has asked about the typed name, but not about the name with the appended file extension.
            let named = if editor.doc.path() == Some(path.as_path()) { path.clone() } else { with_scene_ending(&path) };
            let target = editor.doc.target(&named).only_new(named != path);
            if editor.save_to(target, then.as_ref()) {
                queue.extend(then);
            }
        }
        FileAction::SaveOver(path, then) => {
            if editor.save_to(SaveTarget::new(path).over_read_only(true).over_links(true), then.as_ref()) {
                queue.extend(then);
            }
        }
        FileAction::SaveElsewhere(then) => editor.ask_where_to_save(then),
        FileAction::MakeRelative => editor.change_file(|to| Ok(relative_text(&make_paths_relative(to)?))),
        FileAction::PackFiles => editor.change_file(|to| Ok(format!("Copied {} files", pack_files(to)?.len()))),
        FileAction::OpenLibrary => editor.open_library(),
        FileAction::MissingFiles => editor.report_missing_files(),
    }
}

fn relative_text(done: &RelativePaths) -> String {
    let relative = format!("{} paths are relative now", done.relative.len());
    match done.absolute.len() {
        0 => relative,
        count => format!("{relative}, {count} stay absolute: these files share too few folders with the scene"),
    }
}

pub(super) fn proceed(In(action): In<Proceed>, mut editor: ResMut<Editor>, mut quit: MessageWriter<QuitRequested>) {
    match action {
        Proceed::New => editor.replace_scene(Scene::default()),
        Proceed::NewPlanet => editor.replace_scene(Scene::new_planet()),
        Proceed::AskWhich => editor.ask_what_to_open(),
        Proceed::Open(path) => editor.open(&path),
        Proceed::OpenPermitted(OutsideError { scene, paths, usage }) => {
            permit_paths(&scene, &paths, usage);
            editor.open(&scene);
        }
        Proceed::Example(name) => editor.open_example(&name),
        Proceed::Quit => {
            quit.write(QuitRequested);
        }
    }
}

pub(super) fn edit(In(action): In<EditAction>, mut editor: ResMut<Editor>) {
    match action {
        EditAction::Undo => editor.doc.undo(),
        EditAction::Redo => editor.doc.redo(),
    }
}

pub(super) fn compute(In(action): In<ComputeAction>, world: &mut World) {
    match action {
        ComputeAction::Recompute => {
            talweg::io::clear_raster_cache();
            world.resource_mut::<Editor>().doc.recompute();
        }
        // the first press closes an open window, the second press stops the computation
        ComputeAction::Cancel if commands::close(world) => {}
        ComputeAction::Cancel => {
            world.resource_mut::<Editor>().doc.pause();
            world.write_message(CancelWork);
        }
    }
}

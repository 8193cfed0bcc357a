//! The file dialogs of the desktop: those of Windows and macOS, and those of the desktop portal on Linux.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bevy_egui::egui;
use egui::{Align, Layout};

use super::{FileRequest, Purpose};
use crate::frame::dialogs::modals::{button, dismissed, modal};
use crate::view::Waker;

/// A dialog of the desktop. It runs in a thread of its own, because it returns only when the user has answered.
pub(super) struct DesktopDialog {
    answer: Arc<OnceLock<DesktopAnswer>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum DesktopAnswer {
    Chosen(PathBuf),
    Cancelled,
    /// The desktop has no file dialogs, or the user prefers Talweg's own one.
    Unavailable,
}

impl DesktopDialog {
    pub fn open(request: &FileRequest, waker: Waker) -> Self {
        let answer = Arc::new(OnceLock::new());
        let (told, request) = (answer.clone(), request.clone());
        let ask = move || {
            let given = if is_available() { ask(&request) } else { DesktopAnswer::Unavailable };
            // only this thread answers
            let _ = told.set(given);
            waker.wake();
        };
        if std::thread::Builder::new().name("talweg-files".into()).spawn(ask).is_err() {
            let _ = answer.set(DesktopAnswer::Unavailable);
        }
        Self { answer }
    }

    /// Covers the window until the user has answered. Returns the answer.
    pub fn show(&self, ctx: &egui::Context) -> Option<DesktopAnswer> {
        if let Some(answer) = self.answer.get() {
            return Some(answer.clone());
        }
        let mut answer = None;
        let modal = modal(ctx, "dialog of the desktop").show(ctx, |ui| {
            ui.set_width(380.0);
            ui.label("Choose a file in the window that your desktop has opened.");
            ui.add_space(14.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(DesktopAnswer::Cancelled);
                }
                if ui.add(button("Use Talweg's dialog")).clicked() {
                    answer = Some(DesktopAnswer::Unavailable);
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal).map(|_| DesktopAnswer::Cancelled))
    }
}

/// Shows the dialog and waits for the user.
fn ask(request: &FileRequest) -> DesktopAnswer {
    let mut dialog = rfd::FileDialog::new().set_title(&request.title);
    if let Some(folder) = &request.folder {
        dialog = dialog.set_directory(folder);
    }
    let path = match &request.purpose {
        Purpose::Open { kind, endings } => {
            dialog.add_filter(kind, &both_cases(endings)).add_filter("All files", &["*"]).pick_file()
        }
        Purpose::Save { name, kinds } => {
            let dialog = kinds.iter().fold(dialog, |dialog, (kind, ending)| dialog.add_filter(kind, &[ending]));
            dialog.set_file_name(name).save_file()
        }
        Purpose::Folder => dialog.pick_folder(),
    };
    path.map_or(DesktopAnswer::Cancelled, DesktopAnswer::Chosen)
}

/// The endings in small and in capital letters. The dialogs of Linux distinguish them.
fn both_cases(endings: &[&str]) -> Vec<String> {
    if cfg!(target_os = "linux") {
        endings.iter().flat_map(|ending| [ending.to_string(), ending.to_uppercase()]).collect()
    } else {
        endings.iter().map(ToString::to_string).collect()
    }
}

/// Whether the desktop has file dialogs. Windows and macOS always have them.
#[cfg(not(target_os = "linux"))]
fn is_available() -> bool {
    true
}

/// Whether the desktop has file dialogs: whether a desktop portal is running, or can be started, that knows them.
/// Without one, rfd would call a program that few systems have, and would report its absence as the user's *Cancel*.
#[cfg(target_os = "linux")]
fn is_available() -> bool {
    static IS_AVAILABLE: OnceLock<bool> = OnceLock::new();
    *IS_AVAILABLE.get_or_init(|| bevy::tasks::block_on(portal_version()).is_ok())
}

/// The version of the portal's file dialogs. The session's message bus starts the portal if it is not running.
#[cfg(target_os = "linux")]
async fn portal_version() -> zbus::Result<u32> {
    /// Portals that have not started within this time are not used.
    const LONGEST_START: std::time::Duration = std::time::Duration::from_secs(3);
    let bus = zbus::connection::Builder::session()?.method_timeout(LONGEST_START).build().await?;
    let portal = zbus::Proxy::new(
        &bus,
        "org.freedesktop.portal.Desktop",
        "/org/freedesktop/portal/desktop",
        "org.freedesktop.portal.FileChooser",
    );
    portal.await?.get_property("version").await
}

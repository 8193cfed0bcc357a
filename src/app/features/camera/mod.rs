//! Camera features other than orbit, pan and zoom: bookmarks, Fly and Walk modes, images and films of the view.

mod bookmarks;
mod film;
mod fly;
mod picture;

use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::Ui;

pub use self::bookmarks::{BookmarkAction, CameraStand};
pub use self::film::{FilmChoice, ViewFilmAction};
pub use self::fly::{FlyAction, FlyState};
pub use self::picture::{PictureAction, PictureSize};
use crate::frame::commands::CommandApp;
use crate::frame::interface::{InterfaceApp, Slot};
use crate::frame::window::FrameSystems;
use crate::shot::ShotSubject;
use crate::view::{CompareSide, ViewState};

pub struct CameraPlugin;

impl Plugin for CameraPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<CameraStand>()
            .init_resource::<FlyState>()
            .init_resource::<picture::PictureTask>()
            .init_resource::<film::ViewFilmTask>()
            .add_actions([BookmarkAction::Add], bookmarks::run)
            .add_actions(FlyAction::ALL, fly::run)
            .add_actions([PictureAction::Ask], picture::run)
            .add_actions([ViewFilmAction::Ask], film::run)
            .add_mode_exit(fly::leave)
            .add_menu_part("View", 10, bookmarks::menu)
            .add_menu_part("View", 12, fly::menu)
            .add_menu_part("File", 25, picture::menu)
            .add_menu_part("File", 26, film::menu)
            .add_part(Slot::Update, fly::take_keys)
            .add_part(Slot::View, fly::hint)
            .add_part(Slot::Update, picture::receive)
            .add_part(Slot::Update, film::receive)
            .add_systems(
                EguiPrimaryContextPass,
                (
                    (bookmarks::update_pose, film::show_progress).in_set(FrameSystems::UpdatePanels),
                    ((bookmarks::open, fly::travel).chain(), film::cancel).in_set(FrameSystems::Execute),
                ),
            );
    }
}

/// The edited terrain in the form from which images are rendered.
fn shown_terrain(view_state: &ViewState) -> Option<ShotSubject> {
    let (terrain, palette) = view_state.terrain_on_side(CompareSide::A)?;
    Some(ShotSubject::Terrain(terrain.square()?.clone(), palette.clone(), view_state.tree_surface.clone()))
}

/// Whether the scene is a square terrain. Planets have other camera commands.
fn is_square(ui: &mut Ui, is_planet: bool) -> bool {
    if is_planet {
        ui.weak("Bookmarks, Fly and Walk work on terrains only.");
    }
    !is_planet
}

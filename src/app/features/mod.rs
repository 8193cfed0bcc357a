//! The features of the editor. Each feature has a folder with its model, its background task and its panels.
//!
//! A feature is a Bevy plugin that registers its commands, panels, menu entries and systems in the frame (see
//! [`super::frame`]). Commands and the parts of a slot appear in the order in which [`FeaturePlugins`] adds the
//! features.

pub mod benchmark;
pub mod biomes;
pub mod brush;
pub mod camera;
pub mod charts;
pub mod compare;
pub mod construction;
pub mod curves;
pub mod cut_out;
pub mod drive;
pub mod erosion;
pub mod export;
pub mod graph;
pub mod ground_menu;
pub mod ground_rules;
pub mod help;
pub mod history;
pub mod import;
pub mod layers;
pub mod live_link;
pub mod map;
pub mod measures;
pub mod patch;
pub mod place_marker;
pub mod planet_view;
pub mod preferences;
pub mod recovery;
pub mod ruler;
pub mod scene_settings;
pub mod search;
pub mod start;
pub mod tour;
pub mod variants;
pub mod view_settings;

use bevy::app::{PluginGroup, PluginGroupBuilder};

/// All features of the window except [`drive`], which plays scripts of user actions.
pub struct FeaturePlugins;

impl PluginGroup for FeaturePlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(recovery::RecoveryPlugin)
            .add(layers::LayersPlugin)
            .add(brush::BrushPlugin)
            .add(erosion::ErosionPlugin)
            .add(place_marker::PlaceMarkerPlugin)
            .add(charts::ChartsPlugin)
            .add(curves::CurvesPlugin)
            .add(ground_menu::GroundMenuPlugin)
            .add(scene_settings::SceneSettingsPlugin)
            .add(variants::VariantsPlugin)
            .add(view_settings::ViewSettingsPlugin)
            .add(camera::CameraPlugin)
            .add(planet_view::PlanetViewPlugin)
            .add(measures::MeasuresPlugin)
            .add(ruler::RulerPlugin)
            .add(map::MapPlugin)
            .add(graph::GraphPlugin)
            .add(biomes::BiomesPlugin)
            .add(ground_rules::GroundRulesPlugin)
            .add(import::ImportPlugin)
            .add(export::ExportPlugin)
            .add(patch::PatchPlugin)
            .add(live_link::LiveLinkPlugin)
            .add(compare::ComparePlugin)
            .add(benchmark::BenchPlugin)
            .add(construction::ConstructionPlugin)
            .add(cut_out::CutOutPlugin)
            .add(preferences::PreferencesPlugin)
            .add(search::SearchPlugin)
            .add(start::StartPlugin)
            .add(tour::TourPlugin)
            .add(history::HistoryPlugin)
            .add(help::HelpPlugin)
    }
}

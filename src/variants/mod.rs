//! Variants of a scene, each of which is a whole scene, and thumbnails of these variants.
//!
//! | item | purpose |
//! |---|---|
//! | [`seeds`], [`presets`], [`sweep`], [`table`], [`combinations`], [`neighbours`] | variants of a scene |
//! | [`ThumbnailService`] | draws thumbnails of variants in the background, the newest request first |
//! | [`sheet`](fn@sheet) | draws thumbnails side by side in one image |
//! | [`randomised`](fn@randomised) | a layer with random parameter values near the current values |
//! | [`param_variants`] | variants that show the effect of a node's parameters |
//! | [`kept_picture`] | a scene's image from a cache folder |
//! | [`PlannedBatch`] | evaluates and writes the variants of a batch |

mod batch;
mod node_pictures;
mod param_ref;
mod picture_cache;
mod randomised;
mod scene_variant;
mod sheet;
mod thumbnail_service;

pub use batch::{BatchError, BatchProduct, BatchReport, BatchRequest, PlannedBatch, SeedChoice};
pub use node_pictures::{node_scene, param_variants, scene_below_node};
pub use param_ref::{ParamRef, VariantError};
pub use picture_cache::{kept_picture, picture};
pub use randomised::randomised;
pub use scene_variant::{
    KeyFigures, MOST_VARIANTS, STORE_BYTES, SceneVariant, Size, Thumbnail, VariantNeighbours, VariantSweep,
    combinations, draw, draw_all, neighbours, presets, seeds, sweep, table,
};
pub use sheet::{columns, sheet};
pub use thumbnail_service::{FinishedThumbnail, ThumbnailService};

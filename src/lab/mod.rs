//! The laboratory: what nodes cost, whether a preview tells the truth, and what else a scene could be.
//!
//! | | |
//! |---|---|
//! | [`bench()`] | nodes against each other in time, memory, growth, consistency, threads, extremes (document 001) |
//! | [`parity()`] | a scene at half its resolution beside the full one: drift in metres, rivers in common, a word |
//! | [`seeds`], [`presets`], [`sweep`], [`table`], [`combinations`], [`neighbours`] | variants of a scene, each a scene of its own |
//! | [`ThumbnailService`] | draws variants in the background, the newest order first |
//! | [`sheet`](fn@sheet) | thumbnails side by side in one picture |
//!
//! Nothing here decides a height: it evaluates scenes and runs nodes, and looks at what comes out.

mod bench;
mod extremes;
mod instruments;
mod loading;
mod param_ref;
mod parity;
mod picture_cache;
mod report;
mod sheet;
pub mod stats;
mod subject;
mod thumbnail_service;
mod variants;

pub use bench::{BenchError, BenchPlan, BenchProgress, Extremes, OBSERVATION, bench};
pub use instruments::{Instruments, Machine, Stopwatch};
pub use loading::TerrainFile;
pub use param_ref::{ParamRef, VariantError};
pub use parity::{
    CLOSE_OVERLAP, CLOSE_SHARE, Parity, TRUE_OVERLAP, TRUE_SHARE, Verdict, channel_overlap, compare, half_samples,
    parity,
};
pub use picture_cache::{kept_picture, picture};
pub use report::{BenchCell, Benchmark, Consistency, Disagreement, Extreme, Findings, Growth};
pub use sheet::{columns, sheet};
pub use stats::{Estimate, PowerLaw};
pub use subject::{BenchSubject, ExtremeCase, NodeSubject, Site, SubjectError, document_001, document_002, subjects};
pub use thumbnail_service::{FinishedThumbnail, ThumbnailService};
pub use variants::{
    Glance, MOST_VARIANTS, STORE_BYTES, SceneVariant, Size, Thumbnail, VariantNeighbours, VariantSweep, combinations,
    draw, draw_all, neighbours, presets, seeds, sweep, table,
};

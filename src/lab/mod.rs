//! The laboratory: what nodes cost, whether a preview tells the truth, and what else a scene could be.
//!
//! | | |
//! |---|---|
//! | [`bench()`] | nodes against each other in time, memory, growth, consistency, threads, extremes (document 001) |
//! | [`parity()`] | a scene at half its resolution beside the full one: drift in metres, rivers in common, a word |
//! | [`seeds`], [`presets`], [`sweep`], [`table`], [`neighbours`] | variants of a scene, each a scene of its own |
//! | [`Maker`] | draws variants in the background, the newest order first |
//! | [`sheet`](fn@sheet) | thumbnails side by side in one picture |
//!
//! Nothing here decides a height: it evaluates scenes and runs nodes, and looks at what comes out.

mod bench;
mod extremes;
mod instruments;
mod knob;
mod maker;
mod parity;
mod report;
mod sheet;
pub mod stats;
mod subject;
mod variants;

pub use bench::{BenchError, Extremes, OBSERVATION, Plan, Progress, bench};
pub use instruments::{Instruments, Machine, Stopwatch};
pub use knob::{Knob, VariantError};
pub use maker::{Made, Maker};
pub use parity::{
    CLOSE_OVERLAP, CLOSE_SHARE, Parity, TRUE_OVERLAP, TRUE_SHARE, Verdict, channel_overlap, compare, half_samples,
    parity,
};
pub use report::{Benchmark, Cell, Consistency, Disagreement, Extreme, Findings, Growth};
pub use sheet::{columns, sheet};
pub use stats::{Estimate, PowerLaw};
pub use subject::{Corner, NodeSubject, Site, Subject, SubjectError, document_001, subjects};
pub use variants::{
    Glance, Neighbours, Size, Sweep, Thumbnail, Variant, draw, draw_all, neighbours, presets, seeds, sweep, table,
};

//! The benchmark: compares nodes by time, memory, growth, consistency, threads and extremes, as in the lecture on
//! terrain in games.
//!
//! The benchmark only runs and measures nodes; no heights depend on it.

mod bench;
mod extremes;
pub mod findings;
mod instruments;
mod loading;
mod report;
pub mod stats;
mod subject;
pub mod summary;

pub use bench::{BenchError, BenchPlan, BenchProgress, Extremes, OBSERVATION, bench};
pub use instruments::{Instruments, Machine, Stopwatch};
pub use loading::TerrainFile;
pub use report::{BenchCell, Benchmark, Consistency, Disagreement, Extreme, Findings, Growth};
pub use stats::{Estimate, PowerLaw};
pub use subject::{BenchSubject, ExtremeCase, NodeSubject, Site, SubjectError, document_001, document_002, subjects};

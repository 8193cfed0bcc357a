//! The laboratory: what nodes cost, whether a preview tells the truth, and what else a scene could be.
//!
//! - [`bench`]: nodes against each other in time, memory, growth, consistency, threads and extremes (document 001's
//!   confrontation).

mod bench;
mod extremes;
mod instruments;
mod report;
pub mod stats;
mod subject;

pub use bench::{BenchError, Extremes, OBSERVATION, Plan, Progress, bench, content_hash};
pub use instruments::{Instruments, Machine, Stopwatch};
pub use report::{Benchmark, Cell, Consistency, Disagreement, Extreme, Growth, Result as SubjectResult};
pub use stats::{Estimate, PowerLaw};
pub use subject::{Corner, NodeSubject, Site, Subject, SubjectError, document_001, subjects};

//! Measures.

mod report;
mod values;
mod voids;

//! Tests of the measures of terrain.

mod report;
mod values;
mod voids;

//! What a terrain is like, in numbers.

mod slopes;

pub use slopes::{Slopes, slopes};

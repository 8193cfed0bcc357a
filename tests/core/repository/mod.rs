//! The source tree itself: its rules, fuzzing corpus and examples.

mod corpus;
mod examples;
mod tidy;

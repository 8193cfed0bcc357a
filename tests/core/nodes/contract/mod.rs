//! The contract of every node in the catalogue. The tests iterate over the list, so a new node is tested automatically.

mod catalogue;
mod help;
mod processes;
mod silent;

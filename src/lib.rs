//! # Talweg
//! A real-time 3D terrain editor: a stack of generators, filters and erosions, edited in a panel, computed in the
//! background, seen in 3D at once, and watched while it erodes. Scenes are RON text. The same binary works without a
//! window.
//!
//! ## How data flows (one direction)
//! ```text
//!  panel ──edit──▶ Document { Scene, History }              main thread, plain data
//!    ▲                │ revision += 1
//!    │ names, units,  ▼
//!    │ ranges, help  Worker: Request { revision, Scene, quality, playhead }     newest wins
//!  Params            │ eval::evaluate: content key → cached? else node.fill / apply / start … step … step
//!    │               │      between steps and bands of rows: superseded? → stop
//!    ▼               ▼
//!  RON · CLI · help  Report { revision, Preview | Frame | Done(Arc<Terrain>) }
//!                    │ stale revisions are dropped
//!                    ▼
//!             height + normal textures ──▶ tessellated patches ──▶ screen
//! ```
//! The command line calls the same [`eval::evaluate`] without the app. Nothing flows back.
//!
//! ## Invariants
//! 1. Only `app` names bevy or egui: this library compiles neither.
//! 2. Evaluation is a pure function of (scene, resolution, playhead): no clock, no global random, no
//!    files but the heightmaps and pictures that the scene names, which count by their contents.
//! 3. Same scene, same bits: any thread count, any processor, editor or command line. Heights are decided by + - × ÷ √,
//!    comparisons, integers and the `libm` crate (`clippy.toml` forbids the rest); nothing is summed in thread order.
//!    A node whose law changes raises its version, and old scenes say so when they are opened.
//! 4. Heights are `f32` fractions of `relief_metres`, positions fractions of the side; [`nodes::Context`] converts.
//!    Resolution only changes sampling: iterations are counted at the scene's own resolution and scaled elsewhere, or
//!    go [from coarse to fine](nodes::multiscale) through grids that do not depend on it.
//! 5. User data never panics and never hangs: parameters are clamped to their hard range on load, with a warning that
//!    names them; unknown keys, wrong versions and truncated files are errors with line and column.
//! 6. A file is never half-written: temporary file in the same folder, flush, sync, rename.
//! 7. The interface never waits: what takes long runs on the worker, and a running evaluation stops within 50 ms.
//! 8. Volume is conserved where a process claims it, and its [`nodes::MassBalance`] proves it.
//!
//! ## Where things are
//! Floors, the lowest first: a folder names only those that stand before it in this list. `tests/core/tidy.rs` reads
//! the list.
//!
//! | folder | what it holds |
//! |---|---|
//! | [`param`] | one description of a parameter: value, unit, hard range, slider range, sentence |
//! | [`field`] | the grid and its neighbours, terrain with data maps, random streams, slopes |
//! | [`io`] | heightmaps and images in, heightmaps and films out |
//! | [`hydrology`] | where water goes: flow graph, depressions, areas, lakes, streams |
//! | [`construction`] | terrain from pieces: primitives, operators, bounds, sphere tracing |
//! | [`brush`] | strokes of a brush: where a hand went and with what, and where that acts |
//! | [`planet`] | what a planet is besides its stack: its air, sun, climate, projections |
//! | [`mesh`] | the ground as triangles: to a given error, with walls and water; files of meshes, read as heights too |
//! | [`web_map`] | pyramids of tiles for maps in browsers |
//! | [`appearance_files`] | palettes, biome tables, rules of materials and of plants and stones, as their files describe them |
//! | [`nodes`] | generators, filters, erosion: one file a node, and the one list of them |
//! | [`planet_detail`] | the ground of a planet at any resolution, down to a metre, by position alone |
//! | [`scene`] | scene, layer, blend, mask; the RON file; undo history; the examples; patches of planets |
//! | [`preferences`] | how people like planets drawn, what they opened last; kept in small files between runs |
//! | [`recovery`] | unsaved work of editors that ended, earlier versions of scene files |
//! | [`appearance`] | terrain in colour: biomes, relief images, traced views; shared by editor and command line |
//! | [`measure`] | what a terrain is like, in numbers: form, drainage, playability; what real terrain has; how two differ |
//! | [`eval`] | runs a stack: cache, blend and mask, timeline of key frames, background worker; how much memory that takes |
//! | [`export`] | one evaluation, many products: maps, engines, tiles, the scene inside every file |
//! | [`tiles`] | builds in tiles: plan, tasks, files of tiles, products of all of them |
//! | [`timelapse`] | time-lapse films of a process |
//! | [`benchmark`] | what nodes cost in time and memory, and how that grows |
//! | [`variants`] | what else a scene could be, with thumbnails |
//! | [`cli`] | one file a subcommand |
//! | `python` | the extension module of the Python package: the same scenes, nodes and words; a Rust package of its own |
//! | `app` | the program: Bevy and egui, document, commands, panels, 3D view, camera; a Rust package of its own |
//!
//! Tests walk lists rather than items: `tests/core/contract.rs` the node catalogue, `tests/core/scenes.rs` everything
//! in `saves/`, `tests/panel/` the commands and panels, `tests/window/` the real editor on a virtual screen.
//!
//! ## Deliberately absent
//! - No node graph: the stack is a list. A layer sees what is below it, and a mask says where it acts.
//! - No GPU in the evaluation: it could not give the same bits everywhere.

#![warn(missing_docs)]

#[cfg(test)]
extern crate self as talweg;

pub use talweg_construction as construction;
pub use talweg_ground::{brush, choices, field, hydrology, io, mesh, param, params, planet};
pub use talweg_nodes as nodes;
pub use talweg_nodes::planet_detail;

pub mod appearance;
pub mod appearance_files;
pub mod benchmark;
pub mod eval;
pub mod export;
pub mod measure;
pub mod preferences;
pub mod recovery;
pub mod scene;
pub mod tiles;
pub mod timelapse;
pub mod variants;
pub mod web_map;

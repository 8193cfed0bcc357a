//! # Talweg
//! A real-time 3D terrain editor. A terrain is a stack of generators, filters and erosions that the user edits in a
//! panel. Talweg computes the terrain in the background, shows it in 3D immediately, and animates erosions while they
//! run. Scenes are RON text. The same binary also runs without a window.
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
//! The command line calls the same [`eval::evaluate`] without the app. No data flows backwards.
//!
//! ## Invariants
//! 1. Only `app` uses bevy or egui: this library does not depend on them.
//! 2. Evaluation is a pure function of (scene, resolution, playhead). It reads no clock and no global random state. The
//!    only files that it reads are the heightmaps, pictures and other scenes that the scene names, identified by their
//!    contents.
//! 3. The same scene gives the same bits with any thread count, on any processor, in the editor or on the command line.
//!    Heights are computed with + - × ÷ √, comparisons, integers and the `libm` crate only (`clippy.toml` forbids the
//!    rest), and no sum depends on the order of threads. A node whose algorithm changes raises its version, and opening
//!    an older scene reports the change.
//! 4. Heights are `f32` fractions of `relief_metres`, positions are fractions of the side; [`nodes::Context`] converts.
//!    Resolution only changes the sampling. Iterations are counted at the scene's own resolution and scaled at others,
//!    or run [from coarse to fine](nodes::multiscale) through grids that do not depend on the resolution.
//! 5. No user data causes a panic or a hang. Loading clamps parameters to their hard range, with a warning that names
//!    them. Unknown keys, wrong versions and truncated files are errors with line and column.
//! 6. A file is never half-written: write a temporary file in the same folder, flush, sync, rename.
//! 7. The interface never waits: slow work runs on the worker, and a running evaluation stops within 50 ms.
//! 8. Where a process claims to conserve volume, its [`nodes::MassBalance`] proves it.
//!
//! ## Where things are
//! The first table lists the crates, each a folder of `src/`. A crate uses only crates above it in this table, and the
//! compiler refuses any other import.
//!
//! | crate | folder | contents |
//! |---|---|---|
//! | [`talweg_ground`] | `ground` | parameters, grids, files, hydrology, brush strokes, planets, meshes |
//! | [`talweg_construction`] | `construction` | terrain from construction trees: primitives, operators, bounds, sphere tracing |
//! | [`talweg_nodes`] | `nodes` | generators, filters, erosion: one file for each node, and the one list of all nodes |
//! | `talweg` | the other folders | this library: scenes, evaluation, colours, measures, exports; it re-exports the crates above |
//! | `talweg_server` | `server` | the local server: other programs follow finished terrains, and agents work on scenes |
//! | `talweg_cli` | `cli` | the command line: one file for each subcommand |
//! | `talweg_app` | `app` | the program: Bevy and egui, document, commands, panels, 3D view, camera |
//! | `talweg_python` | `python` | extension module of the Python package, with the same names |
//!
//! The next table lists the folders of this library. A folder uses only folders above it in this table.
//! `tests/core/repository/tidy.rs` reads the table and checks this rule; [`talweg_ground`] and `talweg_app` have tables
//! of their own.
//!
//! | folder | contents |
//! |---|---|
//! | [`web_map`] | tile pyramids: map images in several zoom levels for web browsers |
//! | [`appearance_files`] | file formats of palettes, biome tables, material rules, plants and stones |
//! | [`user_state`] | the program's folder for this user; the files outside its folder that each scene may use |
//! | [`scene`] | scene, layer, blend, mask, references; the RON file; undo history; the examples; patches of planets |
//! | [`preferences`] | planet display settings and recent files, kept in small files between runs |
//! | [`recovery`] | storage of unsaved work from previous sessions, and of earlier versions of scene files |
//! | [`scene_files`] | changes of scene files that keep their text: builds, relative paths, packed files |
//! | [`terrain_attributes`] | maps that every terrain has: slope, aspect, curvatures, drainage, wetness, sky view, sunshine |
//! | [`appearance`] | terrain in colour: biomes, relief images, ray-traced views; shared by editor and command line |
//! | [`measure`] | measures: shape, drainage, playability; reference values of real terrain; comparison of two terrains |
//! | [`eval`] | evaluates a stack: cache, blend and mask, timeline of key frames, background worker, memory estimates |
//! | [`export`] | many products from one evaluation: maps, engine presets, tiles, the scene embedded in every file |
//! | [`tiles`] | tiled builds: plan, tasks, tile files, products of all tiles |
//! | [`timelapse`] | time-lapse videos of a process |
//! | [`benchmark`] | time and memory that nodes need, and the growth of both with the resolution |
//! | [`variants`] | variants of a scene, with thumbnails |
//!
//! Each test iterates over a complete list, so that new items are tested too: `tests/core/nodes/contract/` over nodes,
//! `tests/core/scene/scenes.rs` over all scenes in `saves/`, `tests/panel/` over the commands and panels.
//! `tests/window/` runs the real editor on a virtual screen.
//!
//! ## Deliberately absent
//! - No node graph to edit: the stack is a list, and the only way to edit. A layer receives the result of the layers
//!   below it, and a mask limits its area. Where a result is needed once more, a reference reads it: the terrain, a
//!   data map or the mask of another layer, group or branch, also of another scene file ([`scene::LayerReader`]). Masks
//!   and *Reference* layers read in this one way. A reference that would need its own result is refused.
//! - No GPU in the evaluation: different GPUs give different bits.

#![warn(missing_docs)]

pub use talweg_construction as construction;
pub use talweg_ground::{brush, choices, field, hydrology, io, mesh, param, params, planet};
pub use talweg_nodes as nodes;
pub use talweg_nodes::planet_detail;

/// The user guide, as Markdown.
pub const USER_GUIDE: &str = include_str!("../docs/guide.md");

pub mod appearance;
pub mod appearance_files;
pub mod benchmark;
pub mod eval;
pub mod export;
pub mod measure;
pub mod preferences;
pub mod recovery;
pub mod scene;
pub mod scene_files;
pub mod terrain_attributes;
pub mod tiles;
pub mod timelapse;
pub mod user_state;
pub mod variants;
pub mod web_map;

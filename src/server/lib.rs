//! The local server: other programs on this computer follow finished terrains, and agents work on the scenes of one
//! folder over the Model Context Protocol (MCP).
//!
//! The server listens on the loopback interface only. Every request needs the token of the server, which is random
//! unless the user chose one. Requests of browser pages are refused. `docs/server.md` describes the protocol.
//!
//! | file or folder | contents |
//! |---|---|
//! | `feed` | the latest finished terrain, and the programs that wait for the next one |
//! | `file_product` | a file of a terrain, as [`talweg::export`] writes it |
//! | `scene_folder` | the folder that contains all scenes and exports of agents |
//! | `agent_work` | loads, changes and evaluates the scenes of the folder |
//! | `arguments` | the arguments of a tool, checked against their list |
//! | `tools` | the tools of agents: one list, and one file for each subject |
//! | `mcp` | the tools as a server of the Model Context Protocol |
//! | `http` | the addresses of the server, and who may ask |
//! | `running` | starts and ends the server |
//! | `address_file` | the file that tells programs of the same user the address and token of a running server |

#![warn(missing_docs)]

mod address_file;
mod agent_work;
mod arguments;
mod feed;
mod file_product;
mod http;
mod mcp;
mod running;
mod scene_folder;
mod tools;

pub use address_file::{ADDRESS_FILE, address_file};
pub use agent_work::AgentWork;
pub use feed::{FinishedTerrain, TerrainFeed};
pub use running::{Server, ServerError, ServerOptions, serve_standard_streams};
pub use scene_folder::SceneFolder;

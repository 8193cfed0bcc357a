//! The tools of agents. [`TOOLS`] lists them all.
//!
//! | file | contents |
//! |---|---|
//! | `scenes` | lists, reads, writes and changes scenes, and describes nodes |
//! | `changes` | changes of a scene: set a value; add, move, rename and remove layers |
//! | `terrain` | evaluates, measures, reads maps, draws pictures and exports |

mod changes;
mod scenes;
mod terrain;

use serde_json::Value;
use talweg::field::Control;

use crate::agent_work::AgentWork;
use crate::arguments::{ArgumentKind, ArgumentSpec, Arguments};

/// The answer of a tool. Every answer has the key `hash`.
pub(crate) struct ToolAnswer {
    pub value: Value,
    /// A PNG picture beside the answer.
    pub picture: Option<Vec<u8>>,
}

impl From<Value> for ToolAnswer {
    fn from(value: Value) -> Self {
        Self { value, picture: None }
    }
}

/// A tool of agents.
pub(crate) struct AgentTool {
    pub name: &'static str,
    pub help: &'static str,
    pub arguments: &'static [ArgumentSpec],
    /// Whether the tool writes no files.
    pub is_read_only: bool,
    pub run: fn(&AgentWork, &Arguments, &Control) -> Result<ToolAnswer, String>,
}

const fn argument(name: &'static str, kind: ArgumentKind, help: &'static str) -> ArgumentSpec {
    ArgumentSpec { name, kind, is_required: false, help }
}

const fn required(name: &'static str, kind: ArgumentKind, help: &'static str) -> ArgumentSpec {
    ArgumentSpec { name, kind, is_required: true, help }
}

const SCENE: ArgumentSpec =
    required("scene", ArgumentKind::Text, "Scene file in the folder, such as island.ron, or name of a shipped example");
const SCENE_FILE: ArgumentSpec = required("scene", ArgumentKind::Text, "Scene file in the folder, such as island.ron");
const SIZE: ArgumentSpec = argument("size", ArgumentKind::Count, "Samples per side, instead of the scene's own number");
const REPLACE: ArgumentSpec =
    argument("replace", ArgumentKind::Truth, "Replace existing files; otherwise they are refused");

/// All tools, in the order in which an agent needs them.
pub(crate) const TOOLS: &[AgentTool] = &[
    AgentTool {
        name: "list_scenes",
        help: "List the scene files of the folder with their hashes, and the names of the shipped examples.",
        arguments: &[],
        is_read_only: true,
        run: scenes::list,
    },
    AgentTool {
        name: "describe_nodes",
        help: "List all generators, filters and erosions, or describe some of them with all their parameters, units \
               and ranges. The names `layer` and `scene` describe the blending and mask of every layer, and the \
               settings of the scene.",
        arguments: &[argument(
            "nodes",
            ArgumentKind::Texts,
            "Names of nodes, or `layer`, `scene`, `climate` or `planet`; without them, a short list of all nodes",
        )],
        is_read_only: true,
        run: scenes::describe_nodes,
    },
    AgentTool {
        name: "read_scene",
        help: "Describe a scene: its layers from the lowest to the highest, the values that differ from the defaults, \
               and its problems. With `text`, also the whole file in RON.",
        arguments: &[SCENE, argument("text", ArgumentKind::Truth, "Add the text of the scene file")],
        is_read_only: true,
        run: scenes::read,
    },
    AgentTool {
        name: "write_scene",
        help: "Write a scene file: from a text in RON, as a copy of another scene, or without layers. Nothing is \
               written if the text cannot be read.",
        arguments: &[
            SCENE_FILE,
            argument("text", ArgumentKind::Text, "Text of the scene file in RON"),
            argument("copy_of", ArgumentKind::Text, "Scene file in the folder, or shipped example, to copy"),
            REPLACE,
        ],
        is_read_only: false,
        run: scenes::write,
    },
    AgentTool {
        name: "change_scene",
        help: "Change a scene file: all changes, in order, or none of them. Layers are named by their name, or by their \
               number from 1, the lowest. A layer receives the result of the layers below it.",
        arguments: &[SCENE_FILE, required("changes", ArgumentKind::Objects, changes::HELP)],
        is_read_only: false,
        run: scenes::change,
    },
    AgentTool {
        name: "evaluate",
        help: "Evaluate a scene. The answer has the hash of the terrain, its lowest and highest height in metres, and \
               the names of its maps. Programs that follow the server receive the terrain.",
        arguments: &[SCENE, SIZE],
        is_read_only: true,
        run: terrain::evaluate,
    },
    AgentTool {
        name: "measure",
        help: "Measure a scene: heights, slopes, form, peaks with their positions, drainage, playability, climate. \
               A measure without a value is null, and `undefined` says why.",
        arguments: &[
            SCENE,
            SIZE,
            argument("limits", ArgumentKind::Texts, "Limits such as playable_slope=30; the answer lists them all"),
        ],
        is_read_only: true,
        run: terrain::measure,
    },
    AgentTool {
        name: "read_map",
        help: "Read a map of the terrain, such as heights, slope, flow or mask:LAYER: lowest, highest and mean value \
               with the positions of both, values at given positions, and a coarse grid of values. Positions are \
               fractions: x from west to east and y from north to south, both from 0 to 1. Heights are in metres.",
        arguments: &[
            SCENE,
            required("map", ArgumentKind::Text, "Name of the map; evaluate lists them"),
            SIZE,
            argument(
                "places",
                ArgumentKind::Places,
                "Positions [x, y] at which the map is read, between the samples too",
            ),
            argument("grid", ArgumentKind::Count, "Samples per side of a coarse grid, from 2 to 64, north row first"),
        ],
        is_read_only: true,
        run: terrain::read_map,
    },
    AgentTool {
        name: "picture",
        help: "Draw the terrain from above, or a planet from space, as a PNG picture.",
        arguments: &[
            SCENE,
            SIZE,
            argument("style", ArgumentKind::Text, "relief (colours, light and shadow), colours, or heights (grey)"),
            argument("width", ArgumentKind::Count, "Width in pixels, from 16 to 2048; 512 if omitted"),
            argument("height", ArgumentKind::Count, "Height in pixels, from 16 to 2048; 512 if omitted"),
            argument("file", ArgumentKind::Text, "Also write the picture to this .png file in the folder"),
            REPLACE,
        ],
        is_read_only: false,
        run: terrain::picture,
    },
    AgentTool {
        name: "export",
        help: "Write files of the terrain into the folder, as `talweg export` does. The ending of a file selects its \
               format: .png (16 bits), .r16, .r32, .tif, .exr, .asc, .glb, .obj, .ply, .stl, .csv (plants) and others.",
        arguments: &[
            SCENE,
            required("files", ArgumentKind::Texts, "Files in the folder, such as maps/island.png"),
            argument("what", ArgumentKind::Text, "The map in the files; heights if omitted"),
            argument("maps", ArgumentKind::Texts, "Further maps, each in its own file beside the first: NAME-MAP"),
            SIZE,
            REPLACE,
        ],
        is_read_only: false,
        run: terrain::export,
    },
];

//! `talweg serve`: starts the local server for other programs and agents.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use talweg_server::{AgentWork, SceneFolder, Server, ServerOptions, TerrainFeed, address_file, serve_standard_streams};

use super::input::{MemoryArgs, SceneArgs};
use super::watch::WatchedFiles;
use super::{CommandResult, print, print_message};
use talweg::eval::MemoryUse;

/// The port if none is given.
const PORT: u16 = 8417;
/// Time between two polls of a followed scene.
const POLL: Duration = Duration::from_millis(200);

/// Let other programs on this computer follow finished terrains, and let agents work in one folder (MCP)
#[derive(Args)]
#[command(after_help = "\
The server answers only on this computer, and only to programs that send its token. The token and the address are in the
file that the command prints. TALWEG_TOKEN sets a token; otherwise a new one is made at each start.

Programs fetch http://127.0.0.1:8417/v1/terrain and /v1/files/heights.r32. Agents use http://127.0.0.1:8417/mcp, or start
`talweg serve FOLDER --stdio` themselves. Agents read and write files in FOLDER only. docs/server.md describes both.
The editor has the same server: Tools > Live link.

Examples:
  talweg serve scenes
  talweg serve scenes --follow scenes/island.ron --size 1025
  talweg serve scenes --stdio")]
pub struct ServeArgs {
    /// Folder of the scenes and exports of agents
    folder: PathBuf,
    /// Speak with one agent over standard input and output, without a port
    #[arg(long, conflicts_with_all = ["port", "follow"])]
    stdio: bool,
    /// Port of the server; 0 takes any free port
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    port: u16,
    /// Evaluate this scene now and after each save, for programs that follow
    #[arg(long, value_name = "SCENE")]
    follow: Option<PathBuf>,
    /// Samples per side of the followed scene, instead of the scene's own number
    #[arg(long, value_name = "N", requires = "follow")]
    size: Option<u32>,
    /// Number of threads; 0 means one for each processor
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    memory: MemoryArgs,
}

pub fn run(args: &ServeArgs) -> CommandResult {
    args.memory.apply();
    let folder = SceneFolder::new(&args.folder)?;
    if args.stdio {
        return Ok(serve_standard_streams(AgentWork::new(folder, args.threads, None)?)?);
    }
    let feed = TerrainFeed::default();
    // A followed scene fills the feed alone, so that its followers do not receive the scenes of agents.
    let agents_feed = args.follow.is_none().then(|| feed.clone());
    let options = ServerOptions {
        port: args.port,
        token: std::env::var("TALWEG_TOKEN").ok().filter(|token| !token.is_empty()),
        agents: Some(AgentWork::new(folder, args.threads, agents_feed)?),
        address_file: address_file(),
    };
    let server = Server::start(feed.clone(), options)?;
    let place = address_file().map_or_else(String::new, |path| format!("  token in {}", path.display()));
    print(&format!("{}{place}\n", server.url()))?;
    match &args.follow {
        Some(scene) => follow(args, scene, &feed),
        None => {
            server.wait();
            Ok(())
        }
    }
}

/// Evaluates the scene after each save. An error in the scene is printed, and the last terrain stays.
fn follow(args: &ServeArgs, scene: &Path, feed: &TerrainFeed) -> CommandResult {
    loop {
        let watched = WatchedFiles::of_scene(scene);
        let scene_args = SceneArgs::plain(scene, args.size, args.threads, args.memory);
        let made = scene_args.load().and_then(|job| Ok((job.evaluate(&MemoryUse::EXPORT)?, job.scene)));
        match made {
            Ok((terrain, scene)) => feed.publish(&scene, &terrain),
            Err(failure) => print_message(&format!("{}: {}", scene.display(), failure.text())),
        }
        watched.wait(POLL);
    }
}

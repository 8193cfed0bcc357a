//! Starts and ends the server.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use rmcp::ServiceExt;
use talweg::eval::thread_pool;
use talweg::io::FileError;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::address_file::WrittenAddress;
use crate::agent_work::AgentWork;
use crate::feed::TerrainFeed;
use crate::http::{HttpParts, router};
use crate::mcp::AgentTools;

/// Time for which the end of the server waits for work that is being cancelled.
const LONGEST_END: Duration = Duration::from_secs(2);

/// The reason why the server could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Another program uses the port, or the system refuses it.
    #[error("port {port} cannot be used: {source}; give another port, or 0 for any free one")]
    Port {
        /// The wanted port.
        port: u16,
        /// The answer of the system.
        source: std::io::Error,
    },
    /// The folder of agents cannot be used.
    #[error("{path}: {source}; give a folder that exists")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The answer of the system.
        source: std::io::Error,
    },
    /// The threads cannot be started.
    #[error("the threads of the server cannot be started: {0}")]
    Threads(#[from] std::io::Error),
    /// The threads of the evaluation cannot be started.
    #[error("the threads of the evaluation cannot be started: {0}")]
    Pool(#[from] rayon::ThreadPoolBuildError),
    /// The file with the address and token cannot be written.
    #[error("the file with the address of the server: {0}")]
    AddressFile(#[from] FileError),
    /// The other side does not speak the protocol.
    #[error("the agent does not speak the Model Context Protocol: {0}")]
    Protocol(String),
}

/// The options of a server.
#[derive(Default)]
pub struct ServerOptions {
    /// The port; 0 takes any free port.
    pub port: u16,
    /// The token of requests; a random one if `None`.
    pub token: Option<String>,
    /// Where agents work; `None` gives them no tools.
    pub agents: Option<AgentWork>,
    /// The file that tells other programs the address and token; `None` writes none.
    pub address_file: Option<PathBuf>,
}

/// A running server. It ends when this value is dropped.
pub struct Server {
    address: SocketAddr,
    token: String,
    feed: TerrainFeed,
    end: CancellationToken,
    thread: Option<JoinHandle<()>>,
    _written: Option<WrittenAddress>,
}

impl Server {
    /// Starts a server that passes on the terrains of `feed`.
    ///
    /// # Errors
    /// If the port is taken, a thread cannot be started, or the address file cannot be written.
    pub fn start(feed: TerrainFeed, options: ServerOptions) -> Result<Self, ServerError> {
        let ServerOptions { port, token, agents, address_file } = options;
        let port_error = |source| ServerError::Port { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(port_error)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let token = token.unwrap_or_else(|| format!("{:032x}", rand::random::<u128>()));
        let end = CancellationToken::new();
        let parts = HttpParts {
            token: token.clone(),
            port: address.port(),
            feed: feed.clone(),
            pool: thread_pool(0)?,
            end: end.clone(),
        };
        let router = router(Arc::new(parts), agents.map(Arc::new));
        let runtime = runtime()?;
        let ended = end.clone();
        let serve = move || {
            runtime.block_on(async {
                let listener = match tokio::net::TcpListener::from_std(listener) {
                    Ok(listener) => listener,
                    Err(error) => return eprintln!("talweg: the server cannot listen: {error}"),
                };
                let closing = ended.clone();
                let serving = axum::serve(listener, router).with_graceful_shutdown(ended.cancelled_owned());
                tokio::select! {
                    result = serving => if let Err(error) = result { eprintln!("talweg: the server ended: {error}") },
                    // Open connections do not keep the program from ending.
                    () = async { closing.cancelled().await; tokio::time::sleep(LONGEST_END).await } => {}
                }
            });
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("talweg-server".into()).spawn(serve)?;
        let mut server = Self { address, token, feed, end, thread: Some(thread), _written: None };
        if let Some(path) = address_file {
            server._written = Some(WrittenAddress::new(&path, &server.url(), &server.token)?);
        }
        Ok(server)
    }

    /// The address of the server, such as `http://127.0.0.1:8417`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The token that every request must send.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The feed of the server.
    pub fn feed(&self) -> &TerrainFeed {
        &self.feed
    }

    /// Waits until the server ends by itself, because the system closed its socket.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end.cancel();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed.
            let _ = thread.join();
        }
    }
}

fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().thread_name("talweg-server").build()
}

/// Serves one agent over standard input and output, until it closes them. Nothing else may be printed meanwhile.
///
/// # Errors
/// If a thread cannot be started, or the other side does not speak the protocol.
pub fn serve_standard_streams(work: AgentWork) -> Result<(), ServerError> {
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let started = AgentTools(Arc::new(work)).serve(rmcp::transport::stdio()).await;
        let running = started.map_err(|error| ServerError::Protocol(error.to_string()))?;
        running.waiting().await.map(drop).map_err(|error| ServerError::Protocol(error.to_string()))
    });
    runtime.shutdown_background();
    served
}

//! The addresses of the server, and who may ask.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::json;
use talweg::eval::ThreadPool;
use talweg::field::Control;
use tokio_util::sync::CancellationToken;

use crate::agent_work::AgentWork;
use crate::feed::{FinishedTerrain, TerrainFeed};
use crate::file_product::{ProductError, file_product};
use crate::mcp::AgentTools;

/// Longest time for which a request waits for the next terrain.
const LONGEST_WAIT: f64 = 30.0;

/// What the addresses of a server need.
pub(crate) struct HttpParts {
    pub token: String,
    pub port: u16,
    pub feed: TerrainFeed,
    pub pool: ThreadPool,
    /// Is cancelled when the server ends.
    pub end: CancellationToken,
}

/// The addresses of a server. Agents get their tools only if there is a folder for them to work in.
pub(crate) fn router(parts: Arc<HttpParts>, agents: Option<Arc<AgentWork>>) -> Router {
    let mut router = Router::new().route("/v1/terrain", get(terrain)).route("/v1/files/{name}", get(file));
    if let Some(work) = agents {
        let config = StreamableHttpServerConfig::default().with_cancellation_token(parts.end.child_token());
        let tools = move || Ok(AgentTools(Arc::clone(&work)));
        let service = StreamableHttpService::new(tools, Arc::new(LocalSessionManager::default()), config);
        router = router.nest_service("/mcp", service);
    }
    router
        .fallback(|| async { refused(StatusCode::NOT_FOUND, "there are /v1/terrain, /v1/files/NAME and /mcp") })
        .layer(from_fn_with_state(Arc::clone(&parts), check_access))
        .with_state(parts)
}

fn refused(status: StatusCode, reason: &str) -> Response {
    (status, Json(json!({ "error": reason }))).into_response()
}

/// Refuses requests without the token, requests of browser pages, and requests for another host name, by which a page
/// could reach this computer (DNS rebinding).
async fn check_access(State(parts): State<Arc<HttpParts>>, request: Request, next: Next) -> Response {
    match access_error(request.headers(), &parts) {
        Some((status, reason)) => refused(status, reason),
        None => next.run(request).await,
    }
}

fn access_error(headers: &HeaderMap, parts: &HttpParts) -> Option<(StatusCode, &'static str)> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_own = |host: &&str| text(header::HOST) == format!("{host}:{}", parts.port);
    if !["127.0.0.1", "localhost"].iter().any(is_own) {
        return Some((StatusCode::FORBIDDEN, "the server answers only to 127.0.0.1 and localhost with its port"));
    }
    if headers.contains_key(header::ORIGIN) {
        return Some((StatusCode::FORBIDDEN, "the server does not answer to pages in a browser"));
    }
    let given = text(header::AUTHORIZATION).strip_prefix("Bearer ").unwrap_or_default();
    if !is_same(given, &parts.token) {
        return Some((
            StatusCode::UNAUTHORIZED,
            "send the header `Authorization: Bearer TOKEN` with the server's token",
        ));
    }
    None
}

/// Compares two texts in a time that does not depend on the number of equal characters.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TerrainQuery {
    /// Wait for a terrain with a higher revision.
    #[serde(default)]
    after: u64,
    /// Longest wait in seconds.
    #[serde(default)]
    wait: f64,
}

/// Describes the latest terrain with a higher revision than `after`; status 204 if none came within `wait` seconds.
async fn terrain(State(parts): State<Arc<HttpParts>>, Query(query): Query<TerrainQuery>) -> Response {
    if !(0.0..=LONGEST_WAIT).contains(&query.wait) {
        return refused(StatusCode::BAD_REQUEST, "wait: give 0 to 30 seconds");
    }
    let next = tokio::time::timeout(Duration::from_secs_f64(query.wait), parts.feed.next(query.after));
    let found = tokio::select! {
        found = next => found.ok().flatten(),
        () = parts.end.cancelled() => None,
    };
    match found {
        Some(found) => blocking(move || Json(found.description()).into_response()).await,
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileQuery {
    /// The revision that the caller expects; 0 accepts any.
    #[serde(default)]
    revision: u64,
}

/// The contents of a file of the latest terrain.
async fn file(
    State(parts): State<Arc<HttpParts>>,
    Path(name): Path<String>,
    Query(query): Query<FileQuery>,
) -> Response {
    let Some(latest) = parts.feed.latest() else {
        return refused(StatusCode::NOT_FOUND, "no terrain is finished yet");
    };
    if query.revision != 0 && query.revision != latest.revision {
        return refused(StatusCode::CONFLICT, "a newer terrain is finished; ask for /v1/terrain again");
    }
    let control = Arc::new(Control::default());
    // If the program hangs up, this future is dropped, and the work stops.
    let _stop = StopOnDrop(Arc::clone(&control));
    blocking(move || parts.pool.install(|| file_answer(&name, &latest, &control))).await
}

fn file_answer(name: &str, latest: &FinishedTerrain, control: &Control) -> Response {
    match file_product(name, &latest.scene, &latest.terrain, control) {
        Ok(bytes) => {
            let kind = if name.ends_with(".png") { "image/png" } else { "application/octet-stream" };
            let headers = [
                ("content-type", kind.to_string()),
                ("talweg-revision", latest.revision.to_string()),
                ("talweg-hash", latest.hash_text()),
            ];
            (headers, bytes).into_response()
        }
        Err(error @ (ProductError::Temporary(_) | ProductError::Scene(_))) => {
            refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string())
        }
        Err(error) => refused(StatusCode::BAD_REQUEST, &error.to_string()),
    }
}

/// Cancels the work when the request ends, finished or not.
struct StopOnDrop(Arc<Control>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs `work` in a thread in which it may take long.
async fn blocking(work: impl FnOnce() -> Response + Send + 'static) -> Response {
    let failed = |error: tokio::task::JoinError| refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string());
    tokio::task::spawn_blocking(work).await.unwrap_or_else(failed)
}

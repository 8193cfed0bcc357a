//! The tools of agents as a server of the Model Context Protocol.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use talweg::field::Control;

use crate::agent_work::AgentWork;
use crate::arguments::{Arguments, schema};
use crate::tools::{AgentTool, TOOLS, ToolAnswer};

/// Time between two messages about the progress of a tool.
const PROGRESS: Duration = Duration::from_millis(500);

const INSTRUCTIONS: &str = "Talweg makes terrains. A scene is a stack of layers: generators, filters and erosions, each \
    with parameters, blending and a mask; every layer receives the result of the layers below it. Start with \
    write_scene (a copy of an example, or an empty scene), change it with change_scene, and look at the result with \
    measure, read_map and picture. All scenes and exports are in one folder. The same scene gives the same hash on \
    every computer. Evaluate at a size of 129 or 257 while you try values. Land at the height of the sea does not rise \
    in an uplift, so begin with land above it.";

/// The tools on the scenes of one folder.
#[derive(Clone)]
pub(crate) struct AgentTools(pub Arc<AgentWork>);

impl ServerHandler for AgentTools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("talweg", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let text = format!("there is no tool `{}`; there are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(text, None));
        };
        let result = match Arguments::checked(tool.arguments, request.arguments) {
            Ok(arguments) => run(tool, Arc::clone(&self.0), arguments, &context).await,
            Err(error) => Err(error),
        };
        Ok(match result {
            Ok(answer) => answered(answer),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error)]),
        }
        .into())
    }
}

/// Runs a tool in a thread of its own, until it ends or the agent cancels it. Reports the progress if the agent asked
/// for it.
async fn run(
    tool: &'static AgentTool,
    work: Arc<AgentWork>,
    arguments: Arguments,
    context: &RequestContext<RoleServer>,
) -> Result<ToolAnswer, String> {
    let control = Arc::new(Control::default());
    let own = Arc::clone(&control);
    let mut running = tokio::task::spawn_blocking(move || (tool.run)(&work, &arguments, &own));
    let token = context.meta.get_progress_token();
    let mut last = 0.0;
    let ended = loop {
        tokio::select! {
            ended = &mut running => break ended,
            () = context.ct.cancelled(), if !control.is_cancelled() => control.cancel(),
            () = tokio::time::sleep(PROGRESS) => {
                let (layer, fraction) = control.progress();
                // The number of finished layers; it must only grow.
                let progress = layer as f64 + f64::from(fraction);
                if let Some(token) = token.clone().filter(|_| progress > last) {
                    last = progress;
                    // An agent that has gone receives nothing, and cancels by going.
                    let _ = context.peer.notify_progress(ProgressNotificationParam::new(token, progress)).await;
                }
            }
        }
    };
    ended.unwrap_or_else(|error| Err(format!("the tool {} failed: {error}", tool.name)))
}

fn described(tool: &AgentTool) -> Tool {
    Tool::new(tool.name, tool.help, Arc::new(schema(tool.arguments)))
        .with_annotations(ToolAnnotations::new().read_only(tool.is_read_only).open_world(false))
}

fn answered(answer: ToolAnswer) -> CallToolResult {
    let mut result = CallToolResult::structured(answer.value);
    if let Some(picture) = answer.picture {
        result.content.push(ContentBlock::image(STANDARD.encode(picture), "image/png"));
    }
    result
}

//! The protocol's side of the tools: what is listed, how a call is carried out.

use super::answer::{Refusal, bounded};
use super::args::{Args, schema};
use super::desk::Desk;
use super::resources;
use super::tools::{self, Effect, Spec};
use crate::projects::{Projects, peer};
use axum::http::request::Parts;
use backstory_store::{StoreError, Vault};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::sync::Arc;

/// What a model reads about the whole.
const INSTRUCTIONS: &str = "Backstory is the memory of every coding-agent session on this machine: what \
    was asked, decided, tried, broken and fixed, by any agent, in any project. Before you work on \
    something that may have been worked on before, call `recall` with the task in a sentence, or \
    `search` with words, names or an error message. When a command fails, call `errors` with its \
    output: it may have been fixed before. Answers carry backstory:// addresses; `read` tells all of \
    what is behind one. What the user wants kept for later, store with `remember`.";

/// The server's side of one connection.
#[derive(Clone, Debug)]
pub struct Mcp {
    desk: Arc<Desk>,
    projects: Arc<Projects>,
}

impl Mcp {
    /// Answers from this desk.
    pub fn new(desk: Arc<Desk>) -> Self {
        Self { desk, projects: Arc::default() }
    }

    /// Runs what touches files and rows where it keeps nobody else waiting.
    async fn blocking<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Desk) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        // Over HTTP every request says for itself where the agent works.
        let peer = context.extensions.get::<Parts>().and_then(|request| peer(&request.headers));
        let asked = self.clone();
        let done = tokio::task::spawn_blocking(move || match peer {
            None => work(&asked.desk),
            Some(peer) => work(&asked.desk_in(&peer)?),
        });
        let failed = || Refusal::new("This failed unexpectedly; try it once more.");
        done.await.unwrap_or_else(|_| Err(failed()))
    }

    /// The desk of an agent that works in what a plugin calls so.
    fn desk_in(&self, peer: &str) -> Result<Desk, StoreError> {
        let project = match Vault::open(&self.desk.archive.home) {
            Ok(vault) => self.projects.of(&vault, peer, self.desk.now().0)?,
            // Nobody worked anywhere yet.
            Err(StoreError::Missing(_)) => peer.to_owned(),
            Err(error) => return Err(error),
        };
        Ok(Desk { project: Some(project), ..self.desk.as_ref().clone() })
    }
}

fn tool(spec: &Spec) -> Tool {
    let hints = ToolAnnotations::new().open_world(false);
    let hints = match spec.effect {
        Effect::Reads => hints.read_only(true),
        Effect::Adds => hints.read_only(false).destructive(false),
        Effect::Changes => hints.read_only(false).destructive(true),
    };
    Tool::new(spec.name, spec.about, Arc::new(schema(spec.args))).annotate(hints)
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let abilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(abilities)
            .with_server_info(
                Implementation::new("backstory", env!("CARGO_PKG_VERSION")).with_title("Backstory"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all().map(tool).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::named(name).map(tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(spec) = tools::named(&request.name) else {
            let message = format!("there is no tool {:?}; tools/list names them", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let args = Args(request.arguments.unwrap_or_default());
        let answer = self.blocking(&context, move |desk| (spec.run)(desk, &args)).await;
        let block = |text: String| vec![ContentBlock::text(bounded(text))];
        Ok(match answer {
            Ok(text) => CallToolResult::success(block(text)).into(),
            Err(Refusal(text)) => CallToolResult::error(block(text)).into(),
        })
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let list = move |desk: &Desk| resources::list(desk, cursor.as_deref());
        let listed = self.blocking(&context, list).await;
        listed.map_err(|Refusal(text)| ErrorData::internal_error(text, None))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.blocking(&context, move |desk| resources::read(desk, &request.uri)).await;
        match read {
            Ok(result) => Ok(result.into()),
            Err(Refusal(text)) => Err(ErrorData::resource_not_found(text, None)),
        }
    }
}

//! The protocol's side: lists tools and calls them, in every revision that the library speaks.

#[cfg(test)]
mod tests;

use crate::catalog::Catalog;
use crate::context::Context;
use crate::instructions;
use crate::schema::Object;
use crate::tool::{Answer, Tool, ToolError};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    DiscoverResult, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How long a client may keep what never changes while a server runs.
const FRESH_MS: u64 = 3_600_000;

/// A server of one project. Clones share everything.
#[derive(Clone, Debug)]
pub struct Server {
    catalog: Arc<Catalog>,
    context: Context,
}

impl Server {
    /// A server of these tools.
    #[must_use]
    pub fn new(catalog: Catalog, context: Context) -> Self {
        Self { catalog: Arc::new(catalog), context }
    }

    /// Calls a tool on a thread that may block; its work is stopped when nobody waits any more.
    async fn run(
        &self,
        tool: Tool,
        arguments: Object,
        request: &RequestContext<RoleServer>,
    ) -> Ran {
        let waiting = Waiting(self.context.for_call());
        let context = waiting.0.clone();
        let work = tokio::task::spawn_blocking(move || {
            if context.stop().load(Ordering::Relaxed) {
                return Err(ToolError::new("cancelled"));
            }
            tool.call(&context, arguments)
        });
        tokio::select! {
            done = work => Ran::Done(done.unwrap_or_else(|_| {
                Err(ToolError::new("the tool broke off in the middle")
                    .remedy("this is a fault of aidd; call it in another way, and report it"))
            })),
            () = request.ct.cancelled() => Ran::Cancelled,
        }
    }
}

/// How a call went.
enum Ran {
    Done(Result<Answer<Value>, ToolError>),
    Cancelled,
}

/// A call that somebody waits for, until this is dropped.
struct Waiting(Context);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// An answer, or an error that the agent can read, as the protocol has it.
fn result(answer: Result<Answer<Value>, ToolError>) -> CallToolResult {
    match answer {
        Ok(answer) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
            result.structured_content = Some(answer.data);
            result
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let info = Implementation::new("aidd", env!("CARGO_PKG_VERSION"))
            .with_title("aidd")
            .with_description("A project's memory, and its rules as checks");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(info)
            .with_instructions(instructions::of(&self.catalog))
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.catalog.listed().map(Tool::listed).collect();
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.catalog.find(name).ok().map(Tool::listed)
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let found = self.catalog.find(&call.name);
        let tool = found.map_err(|message| ErrorData::invalid_params(message, None))?.clone();
        match self.run(tool, call.arguments.unwrap_or_default(), &request).await {
            Ran::Done(answer) => Ok(result(answer).into()),
            // The library sends no answer to what was cancelled.
            Ran::Cancelled => Err(ErrorData::internal_error("cancelled", None)),
        }
    }
}

//! The protocol's side: lists tools and calls them, in every revision that the library speaks.

#[cfg(test)]
mod tests;

use crate::THREADS;
use crate::catalog::Catalog;
use crate::context::Context;
use crate::dynamic::{self, Dynamic};
use crate::instructions;
use crate::schema::Object;
use crate::tool::{Answer, Tool, ToolError};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    DiscoverResult, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, ToolsCapability,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::Semaphore;

/// How long a client may keep what never changes while a server runs.
const FRESH_MS: u64 = 3_600_000;

/// A server of one project. Clones share everything.
#[derive(Clone, Debug)]
pub struct Server {
    catalog: Arc<Catalog>,
    context: Context,
    dynamic: Option<Arc<Dynamic>>,
    /// Room for tools at work; the door's own threads are never theirs.
    places: Arc<Semaphore>,
}

impl Server {
    /// A server of these tools.
    #[must_use]
    pub fn new(catalog: Catalog, context: Context) -> Self {
        let places = Arc::new(Semaphore::new(THREADS));
        Self { catalog: Arc::new(catalog), context, dynamic: None, places }
    }

    /// The same, with a list whose order follows what its one client is about.
    #[must_use]
    pub fn dynamic(self) -> Self {
        Self { dynamic: Some(Arc::default()), ..self }
    }

    /// Calls a tool on a thread that may block, when there is room. When nobody waits any more a
    /// call that has not begun never does, and one at work is told: checks of files stop at the next
    /// file, all else runs to its end, unheard.
    async fn run(
        &self,
        tool: Tool,
        arguments: Object,
        request: &RequestContext<RoleServer>,
    ) -> Ran {
        let waiting = Waiting(self.context.for_call());
        let context = waiting.0.clone();
        let places = self.places.clone();
        let work = async move {
            // It is never closed.
            let place = places.acquire_owned().await;
            let called = tokio::task::spawn_blocking(move || {
                let _place = place;
                if context.stop().load(Ordering::Relaxed) {
                    return Err(ToolError::new("cancelled"));
                }
                tool.call(&context, arguments)
            });
            called.await
        };
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
        let mut able = ServerCapabilities::builder().enable_tools().build();
        if let Some(tools) = able.tools.as_mut().filter(|_| self.dynamic.is_some()) {
            tools.list_changed = Some(true);
        }
        ServerConfig::new(able)
            .with_server_info(info)
            .with_instructions(instructions::of(&self.catalog))
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut info = self.get_info();
        // Who asks so gets the same list each time.
        info.capabilities.tools = Some(ToolsCapability::default());
        Ok(DiscoverResult::from_server_info(versions, info)
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools: Vec<rmcp::model::Tool> = self.catalog.listed().map(Tool::listed).collect();
        if let Some(dynamic) = self.dynamic.as_ref().filter(|_| dynamic::is_for(&request)) {
            dynamic.sort(&mut tools);
        }
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
        let arguments = call.arguments.unwrap_or_default();
        if let Some(dynamic) = self.dynamic.as_ref().filter(|_| dynamic::is_for(&request)) {
            dynamic.look_at(&arguments, &request.peer).await;
        }
        match self.run(tool, arguments, &request).await {
            Ran::Done(answer) => Ok(result(answer).into()),
            // The library sends no answer to what was cancelled.
            Ran::Cancelled => Err(ErrorData::internal_error("cancelled", None)),
        }
    }
}

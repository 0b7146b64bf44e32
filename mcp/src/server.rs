//! The protocol server: lists and calls tools, in every protocol revision that rmcp supports.

#[cfg(test)]
mod agent_text_tests;
mod call_result;
#[cfg(test)]
mod pages_tests;
mod params;
mod recording;
#[cfg(test)]
mod tests;

use crate::TOOL_THREADS;
use crate::catalog::Catalog;
use crate::context::Context;
use crate::dynamic::{self, DynamicOrder};
use crate::instructions;
use crate::recorder::{Facts, Recorder};
use crate::schema::Object;
use crate::tool::{Answer, Tool, ToolError};
use crate::{prompts, resources};
use aidd_guidance::PageKind;
use aidd_guidance::prompts::completions;
use aidd_memory::situation::OVERRIDE_VARIABLE;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CompletionInfo, CustomRequest, CustomResult, DiscoverResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Reference, ResourceContents, ServerCapabilities,
    ServerConfig, ToolsCapability,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::Semaphore;

/// Cache lifetime of lists that never change while a server runs, in milliseconds.
const LIST_TTL_MS: u64 = 3_600_000;

/// The server of one project. Clones share all state.
#[derive(Clone, Debug)]
pub struct Server {
    catalog: Arc<Catalog>,
    context: Context,
    dynamic: Option<Arc<DynamicOrder>>,
    recorder: Arc<Recorder>,
    /// Slots for running tools, so that tools never use the threads of the transport.
    slots: Arc<Semaphore>,
}

impl Server {
    /// Creates a server with these tools.
    #[must_use]
    pub fn new(catalog: Catalog, context: Context) -> Self {
        let slots = Arc::new(Semaphore::new(TOOL_THREADS));
        Self { catalog: Arc::new(catalog), context, dynamic: None, recorder: Arc::default(), slots }
    }

    /// Enables the dynamic order of the tool list.
    #[must_use]
    pub fn with_dynamic_order(self) -> Self {
        let forced = self.context.variable(OVERRIDE_VARIABLE);
        Self { dynamic: Some(Arc::new(DynamicOrder::new(forced))), ..self }
    }

    /// Runs a tool on a blocking thread when a slot is free. A cancelled call that has not started
    /// never runs. A running call is signalled: file checks stop at the next file; other tools
    /// complete, and their result is discarded.
    async fn run(
        &self,
        tool: Tool,
        arguments: Object,
        request: &RequestContext<RoleServer>,
    ) -> CallOutcome {
        let cancellation = CancelOnDrop(self.context.for_call());
        let context = cancellation.0.clone();
        let slots = self.slots.clone();
        let work = async move {
            // The semaphore is never closed.
            let slot = slots.acquire_owned().await;
            let task = tokio::task::spawn_blocking(move || {
                let _slot = slot;
                if context.stop().load(Ordering::Relaxed) {
                    return Err(ToolError::new("cancelled"));
                }
                tool.call(&context, arguments)
            });
            task.await
        };
        tokio::select! {
            result = work => CallOutcome::Done(result.unwrap_or_else(|_| {
                Err(ToolError::new("the tool panicked")
                    .remedy("this is a bug in aidd; try other arguments, and report it"))
            })),
            () = request.ct.cancelled() => CallOutcome::Cancelled,
        }
    }
}

impl Server {
    /// Runs `work` on a blocking thread.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Context) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let cancellation = CancelOnDrop(self.context.for_call());
        let context = cancellation.0.clone();
        let result = tokio::task::spawn_blocking(move || work(&context)).await;
        result.unwrap_or_else(|_| {
            Err(ErrorData::internal_error("the request handler panicked", None))
        })
    }
}

/// The result of a call.
enum CallOutcome {
    Done(Result<Answer<Value>, ToolError>),
    Cancelled,
}

/// Cancels the call when dropped.
struct CancelOnDrop(Context);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let info = Implementation::new("aidd", env!("CARGO_PKG_VERSION"))
            .with_title("aidd")
            .with_description("A project's memory and rule checks");
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_completions()
            .build();
        if let Some(tools) = capabilities.tools.as_mut().filter(|_| self.dynamic.is_some()) {
            tools.list_changed = Some(true);
        }
        ServerConfig::new(capabilities)
            .with_server_info(info)
            .with_instructions(instructions::render(&self.catalog))
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut info = self.get_info();
        // Clients that use `discover` always get the same list.
        info.capabilities.tools = Some(ToolsCapability::default());
        Ok(DiscoverResult::from_server_info(versions, info)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools: Vec<rmcp::model::Tool> = {
            let profile = self.catalog.profile();
            self.catalog.listed().map(|tool| tool.listed(profile)).collect()
        };
        if let Some(dynamic) = self.dynamic.as_ref().filter(|_| dynamic::can_reorder(&request)) {
            dynamic.sort(&mut tools);
        }
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.catalog.find(name).ok().map(|tool| tool.listed(self.catalog.profile()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let found = self.catalog.find(&call.name);
        let tool = found.map_err(|message| ErrorData::invalid_params(message, None))?;
        let tool = tool.called_as(&call.name);
        let arguments = call.arguments.unwrap_or_default();
        let size = call_result::Size::new(tool.name, &arguments, self.catalog.profile());
        if let Some(dynamic) = self.dynamic.as_ref().filter(|_| dynamic::can_reorder(&request)) {
            dynamic.detect_situation(&arguments, &request.peer).await;
        }
        let (name, started) = (tool.name, self.start());
        let mut facts = Facts::from_arguments(&arguments);
        match self.run(tool, arguments, &request).await {
            CallOutcome::Done(answer) => {
                facts.add_answer(name, &answer);
                let result = call_result::from_answer(answer, size);
                self.note_call(name, started, facts, &result, &request);
                Ok(result.into())
            }
            // rmcp sends no response to a cancelled request.
            CallOutcome::Cancelled => Err(ErrorData::internal_error("cancelled", None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::listed())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (uri, started) = (params.uri.clone(), self.start());
        let text = self.run_blocking(move |context| resources::read(context, &uri)).await?;
        self.note_resource(&params.uri, started, &text, &request);
        let mime = resources::mime(&params.uri);
        let contents = ResourceContents::text(text, params.uri).with_mime_type(mime);
        // Each edit of a page changes its text, so clients must not cache the result.
        let result = ReadResourceResult::new(vec![contents])
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private);
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let listed = |context: &Context| Ok(prompts::listed(context, &*library(context)?));
        Ok(ListPromptsResult::with_all_items(self.run_blocking(listed).await?)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (name, started) = (params.name.clone(), self.start());
        let get =
            move |context: &Context| prompts::get(context, &params.name, params.arguments.as_ref());
        let prompt = self.run_blocking(get).await?;
        self.note_prompt(&name, started, &request);
        Ok(prompt.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(params::error(request))
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = self.run_blocking(move |context| complete_argument(context, &params)).await?;
        let total = u32::try_from(values.len()).unwrap_or(u32::MAX);
        let has_more = values.len() > CompletionInfo::MAX_VALUES;
        let first_values = values.into_iter().take(CompletionInfo::MAX_VALUES).collect();
        let info = CompletionInfo::with_pagination(first_values, Some(total), has_more)
            .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }
}

fn library(context: &Context) -> Result<Arc<aidd_guidance::Library>, ErrorData> {
    context.library().map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Completions for the argument of a request.
fn complete_argument(
    context: &Context,
    params: &CompleteRequestParams,
) -> Result<Vec<String>, ErrorData> {
    let library = library(context)?;
    let (name, beginning) = (&*params.argument.name, &*params.argument.value);
    match &params.r#ref {
        Reference::Prompt(prompt) => {
            let page = library.get(PageKind::Prompts, &prompt.name).ok_or_else(|| {
                ErrorData::invalid_params(format!("unknown prompt `{}`", prompt.name), None)
            })?;
            Ok(completions(&library, page, name, beginning))
        }
        Reference::Resource(template) => {
            let arguments = params.context.as_ref().and_then(|context| context.arguments.as_ref());
            let category =
                arguments.and_then(|arguments| arguments.get("category")).map(String::as_str);
            resources::completions(&library, &template.uri, name, beginning, category).ok_or_else(
                || {
                    let message = format!("no `{{{name}}}` in {}", template.uri);
                    ErrorData::invalid_params(message, None)
                },
            )
        }
        _ => Ok(Vec::new()),
    }
}

//! Additional tools, prompts and resources that the protocol's conformance suite expects on a
//! server. Only with the feature `conformance`.
#![expect(deprecated, reason = "the revisions before 2026-07-28 are tested too")]

mod answers;
mod input_requests;
mod pages;

use crate::server::Server;
use answers::{call_tool, result};
use input_requests::InputRequestTools;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, DiscoverResult,
    ErrorData, GetPromptRequestParams, GetPromptResponse, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, Tool, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;
use std::sync::Arc;

type Result<T> = std::result::Result<T, ErrorData>;
type Request = RequestContext<RoleServer>;

/// The server with the tools, prompts and resources that the conformance suite expects.
#[derive(Clone)]
pub struct Fixtures {
    server: Server,
    input_request_tools: Arc<InputRequestTools>,
}

impl std::fmt::Debug for Fixtures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fixtures").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Fixtures {
    /// Wraps `server`.
    #[must_use]
    pub fn new(server: Server) -> Self {
        Self { server, input_request_tools: Arc::default() }
    }
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.server.get_info();
        info.capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_logging()
            .build();
        info
    }

    async fn discover(&self, request: Request) -> Result<DiscoverResult> {
        let mut found = self.server.discover(request).await?;
        found.capabilities = self.get_info().capabilities;
        // The lists never change, so subscriptions receive nothing.
        if let Some(resources) = &mut found.capabilities.resources {
            resources.subscribe = None;
        }
        Ok(found)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        request: Request,
    ) -> Result<ListToolsResult> {
        let mut list = self.server.list_tools(page, request).await?;
        list.tools.extend(answers::tools().into_iter().chain(input_requests::tools()));
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let added = answers::tools()
            .into_iter()
            .chain(input_requests::tools())
            .find(|tool| tool.name == name);
        added.or_else(|| self.server.get_tool(name))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        request: Request,
    ) -> Result<CallToolResponse> {
        if input_requests::tools().iter().any(|tool| tool.name == call.name) {
            return self.input_request_tools.call(&call, &request);
        }
        match call_tool(&call, &request).await? {
            Some(result) => Ok(result.into()),
            None => self.server.call_tool(call, request).await,
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListPromptsResult> {
        result(json!({"prompts": pages::prompts(), "ttlMs": 1000, "cacheScope": "public"}))
    }

    async fn get_prompt(
        &self,
        call: GetPromptRequestParams,
        _: Request,
    ) -> Result<GetPromptResponse> {
        pages::prompt(&call)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListResourcesResult> {
        result(json!({"resources": pages::resources(), "ttlMs": 1000, "cacheScope": "public"}))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListResourceTemplatesResult> {
        result(
            json!({"resourceTemplates": pages::templates(), "ttlMs": 1000, "cacheScope": "public"}),
        )
    }

    async fn read_resource(
        &self,
        call: ReadResourceRequestParams,
        _: Request,
    ) -> Result<ReadResourceResponse> {
        pages::resource(&call.uri)
    }

    async fn complete(&self, _: CompleteRequestParams, _: Request) -> Result<CompleteResult> {
        result(json!({"completion": {"values": ["paris", "park"], "total": 2, "hasMore": false}}))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Request) -> Result<()> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Request) -> Result<()> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Request) -> Result<()> {
        Ok(())
    }
}

//! The tool that checks the files which steer agents, and that counts what they cost.

use super::findings::Findings;
use super::{CheckParams, check};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_engine::check::family::SessionCost;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// Maximum number of files that are listed for each client.
const MAX_PARTS: usize = 5;

/// The findings in files that steer agents, and the tokens that each client loads.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AgentFindings {
    #[serde(flatten)]
    findings: Findings,
    /// The tokens that each client loads at the start of a session in the root.
    session_costs: Vec<ClientCost>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ClientCost {
    client: &'static str,
    /// The sum over all files.
    tokens: usize,
    /// The files with the most tokens.
    files: Vec<FileCost>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct FileCost {
    path: String,
    tokens: usize,
}

impl ClientCost {
    fn new(cost: SessionCost) -> Self {
        let tokens = cost.tokens();
        let mut parts = cost.parts;
        parts.sort_by_key(|part| std::cmp::Reverse(part.tokens));
        parts.truncate(MAX_PARTS);
        let files = parts.into_iter().map(|part| FileCost { path: part.path, tokens: part.tokens });
        Self { client: cost.client, tokens, files: files.collect() }
    }
}

pub(super) fn tools() -> Vec<Tool> {
    let tool = Tool::new(
        "aidd_check_agents",
        "Check agent files",
        "Checks AGENTS.md, CLAUDE.md, rules, skills, hooks, permissions and MCP servers: dead paths \
         and commands, structure, risks; counts the tokens that each client loads at the start. \
         Use after changing instructions; without arguments, checks all.",
        check_agents,
    );
    vec![tool.in_profiles(&[Profile::Tools, Profile::Plan])]
}

fn check_agents(
    context: &Context,
    params: CheckParams,
) -> Result<Answer<AgentFindings>, ToolError> {
    let CheckParams { file_path, content, limit } = params;
    let is_all = file_path.is_none() && content.is_none();
    let file_path = if is_all { Some(".".to_owned()) } else { file_path };
    // In one file, the values of variables can be secrets; a directory contains other files.
    let is_file = content.is_some()
        || file_path.as_deref().is_some_and(|path| Path::new(path).extension().is_some());
    let rules: &[&str] = if is_file { &["agents/*", "secrets/*"] } else { &["agents/*"] };
    let rules: Vec<String> = rules.iter().map(|&rule| rule.to_owned()).collect();
    let params = CheckParams { file_path, content, limit };
    let answer = check(context, &params, &rules, Some("AGENTS.md"))?;
    let project = context.project()?;
    let costs = project.distribution().session_costs(&project.disk);
    let session_costs: Vec<ClientCost> = costs.into_iter().map(ClientCost::new).collect();
    let mut text = answer.text;
    if !session_costs.is_empty() {
        text.push_str("\n\nTokens at the start of a session:\n");
    }
    for cost in &session_costs {
        let files: Vec<String> =
            cost.files.iter().map(|file| format!("{} {}", file.path, file.tokens)).collect();
        let _ = writeln!(text, "- {}: {} ({})", cost.client, cost.tokens, files.join(", "));
    }
    let text = text.trim_end().to_owned();
    Ok(Answer::new(AgentFindings { findings: answer.data, session_costs }, text))
}

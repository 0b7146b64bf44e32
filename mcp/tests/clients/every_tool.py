"""Calls every tool that a server lists, in each profile: once successfully, and once with an unknown
argument. Reads every resource and prompt. The lists come from the server: a tool without a call here,
or a template without an example, is an error.

    every_tool.py AIDD DIR

DIR has a repository for each profile: DIR/engine/shop, with `tests/agents/repositories/shop.txt`.
"""

import asyncio
import json
import os
import re
import sys

from agent import check, connected
from mcp.shared.exceptions import MCPError
from mcp.types import PromptReference, ResourceTemplateReference
from repositories import git, make, write

AIDD, FOLDER, REPOSITORY = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
PROVIDER = {"provider": "p", "model": "m", "modelId": "m-1", "client": "every_tool.py"}
# Only `plan` lists output schemas, so the answers of all tools are validated there.
PROFILES = ["engine", "lean", "core", "memory", "tools", "index", "aifp", "plan"]

# In the order of the calls: later ones need results of earlier ones, by name in `known`.
CALLS = [
    ("aidd_bootstrap", lambda known: {"task": "Add refunds", "tokenBudget": "minimal"}),
    ("aidd_session", lambda known: {"action": "start", "branch": "feature/refunds", "aiProvider": PROVIDER}),
    ("aidd_observation", lambda known: {"sessionId": known["aidd_session"], "type": "insight", "title": "Slow"}),
    ("aidd_memory_add_decision", lambda known: {"decision": "Refunds are rows", "reasoning": "Several to an order"}),
    ("aidd_pack", lambda known: {"action": "build"}),
    ("aidd_memory_edit_decision", lambda known: {"id": known["aidd_memory_add_decision"], "topic": "refunds"}),
    ("aidd_memory_add_mistake", lambda known: {"error": "TypeError: amount is undefined", "fix": "Parse it",
                                               "rootCause": "No amount in a webhook", "prevention": "A schema"}),
    ("aidd_memory_edit_mistake", lambda known: {"id": known["aidd_memory_add_mistake"], "fix": "Parse the webhook"}),
    ("aidd_memory_add_convention", lambda known: {"convention": "Money is cents", "example": "1999n"}),
    ("aidd_memory_edit_convention", lambda known: {"id": known["aidd_memory_add_convention"], "rationale": "Exact"}),
    ("save_decision", lambda known: {"topic": "queue", "decision": "No queue yet", "reasoning": "Ten mails a day"}),
    ("save_insight", lambda known: {"content": "Webhooks come twice"}),
    ("save_checkpoint", lambda known: {"summary": "Refunds are next", "nextSteps": ["migration"]}),
    ("load_checkpoint", lambda known: {}),
    ("load_context", lambda known: {"topic": "queue"}),
    ("search_by_topic", lambda known: {"topic": "queue"}),
    ("search_by_context", lambda known: {"query": "how do we send mail"}),
    ("search_recent", lambda known: {"limit": 3}),
    ("aidd_memory_search", lambda known: {"query": "refunds"}),
    ("aidd_memory_get", lambda known: {"ids": [known["save_decision"]]}),
    ("aidd_memory_context", lambda known: {"anchor": known["save_decision"]}),
    ("aidd_diagnose_error", lambda known: {"error": "TypeError: amount is undefined\n    at refund (apps/api/src/orders.ts:3:9)"}),
    ("evolve_outcome", lambda known: {"id": known["save_decision"], "outcome": "PARTIAL", "reason": "Mails were lost"}),
    ("evolve_supersede", lambda known: {"id": known["save_decision"], "decision": "A queue in Redis", "reasoning": "Mails were lost"}),
    ("aidd_lifecycle_get", lambda known: {}),
    ("aidd_lifecycle_init", lambda known: {"feature": "refunds"}),
    ("aidd_lifecycle_list", lambda known: {}),
    ("aidd_lifecycle_status", lambda known: {"lifecycleId": known["aidd_lifecycle_init"]}),
    ("aidd_lifecycle_advance", lambda known: {"lifecycleId": known["aidd_lifecycle_init"], "force": True, "reason": "A trial"}),
    ("aidd_branch", lambda known: {"action": "save", "branch": "feature/refunds", "pendingTasks": ["migration"]}),
    ("aidd_memory_export", lambda known: {}),
    ("aidd_memory_import", lambda known: {"dryRun": True, "path": "older.json"}),
    ("aidd_memory_prune", lambda known: {"type": "convention", "id": known["aidd_memory_add_convention"], "reason": "Wrong"}),
    ("aidd_project_health", lambda known: {}),
    ("aidd_suggest_next", lambda known: {"task": "Add refunds"}),
    ("aidd_optimize_context", lambda known: {"budget": 400}),
    ("aidd_detect_project", lambda known: {}),
    ("aidd_get_config", lambda known: {}),
    ("aidd_classify_task", lambda known: {"description": "Add a refunds endpoint to the API"}),
    ("aidd_get_routing_table", lambda known: {"phase": "BUILD"}),
    ("aidd_get_competency_matrix", lambda known: {"filter": "Caching"}),
    ("aidd_get_agent", lambda known: {"agent": "backend-engineer"}),
    ("aidd_scaffold", lambda known: {"preset": "minimal", "dryRun": True}),
    ("aidd_query_tkb", lambda known: {"query": "message queue", "limit": 3}),
    ("aidd_get_tkb_entry", lambda known: {"name": "fastify"}),
    ("aidd_tech_compatibility", lambda known: {"technologies": ["fastify", "zod"]}),
    ("aidd_apply_heuristics", lambda known: {"decision": "Keep refunds in PostgreSQL instead of MongoDB"}),
    ("aidd_verify_version", lambda known: {"packages": ["next"]}),
    ("aidd_plan_migration", lambda known: {"framework": "next"}),
    ("aidd_check_compliance", lambda known: {"filePath": "apps/api/src/orders.ts"}),
    ("aidd_scan_secrets", lambda known: {"filePath": "apps"}),
    ("aidd_validate_dockerfile", lambda known: {"content": "FROM debian:latest\n"}),
    ("aidd_validate_mermaid", lambda known: {"content": "flowchart LR\n  a --> b\n"}),
    ("aidd_validate_dependencies", lambda known: {"content": '{"dependencies": {"left-pad": "*"}}'}),
    ("aidd_check_agents", lambda known: {"content": "Run `make build`.\n", "filePath": "AGENTS.md"}),
    ("aidd_validate_i18n", lambda known: {"content": '{"save": "Enregistrer",}', "filePath": "locales/fr.json"}),
    ("aidd_validate_openapi", lambda known: {"content": "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\n"}),
    ("aidd_audit_accessibility", lambda known: {"content": "<a href='/'></a>"}),
    ("aidd_audit_performance", lambda known: {"content": "window.onunload = save;\n", "filePath": "src/main.js"}),
    ("aidd_validate_design_tokens", lambda known: {"content": '{"gap": {"$value": 4}}\n'}),
    ("aidd_validate_sql", lambda known: {"content": "DELETE FROM orders;\n"}),
    ("aidd_validate_tests", lambda known: {"content": "it.only('adds', () => {})\n"}),
    ("aidd_validate_tkb_entry", lambda known: {"content": "# Fastify\n", "filePath": "knowledge/backend/x.md"}),
    ("aidd_suggest_rule", lambda known: {"sentence": "NEVER use `eval()`"}),
    ("aidd_explain_violation", lambda known: {"rule": "latest-tag"}),
    ("aidd_ci_diff_check", lambda known: {"base": "main"}),
    ("aidd_ci_report", lambda known: {"format": "markdown"}),
    ("aidd_check_quality_gates", lambda known: {"phase": "BUILD"}),
    ("aidd_generate_commit_message", lambda known: {}),
    ("aidd_explore", lambda known: {"query": "how are refunds stored", "files": ["apps/api/src/orders.ts"]}),
    ("aidd_impact", lambda known: {"diff": "HEAD"}),
    ("aidd_map", lambda known: {"tokens": 400, "focus": ["apps/api"]}),
    ("aidd_query", lambda known: {"sql": "SELECT path FROM files LIMIT 3"}),
    ("aidd_work", lambda known: {"action": "add", "title": "Refunds", "level": "milestone"}),
    ("aidd_project", lambda known: {"action": "name", "kind": "theme", "name": "money", "paths": ["apps/api"]}),
    ("aidd_directive", lambda known: {"action": "list"}),
    ("search_directives", lambda known: {"keyword": "make this function pure"}),
    ("get_directive", lambda known: {"name": "fp_purity"}),
    ("get_all_directives", lambda known: {}),
    ("aifp_run", lambda known: {"command": "add refunds"}),
    ("aifp_git_status", lambda known: {}),
    ("get_project_context", lambda known: {"context_type": "full"}),
    ("get_project_files", lambda known: {"language": "typescript"}),
    ("get_project_functions", lambda known: {}),
    ("get_project_status", lambda known: {}),
    ("get_project_tasks", lambda known: {"status": "pending"}),
    ("query_mcp_db", lambda known: {"sql": "SELECT name FROM directives LIMIT 3"}),
    ("aidd_model_performance", lambda known: {}),
    ("aidd_model_recommend", lambda known: {"task": "Add refunds"}),
    ("aidd_evolution_analyze", lambda known: {}),
    ("aidd_draft_create", lambda known: {"category": "skills", "title": "Check refunds",
                                         "content": "# Check refunds\n\n1. Compare the ledger with the provider.\n"}),
    ("aidd_draft_list", lambda known: {}),
    ("aidd_evolution_review", lambda known: {"id": known["aidd_draft_create"]}),
    ("aidd_draft_approve", lambda known: {"id": known["aidd_draft_create"]}),
    ("aidd_evolution_status", lambda known: {}),
    ("aidd_evolution_revert", lambda known: {"id": known["aidd_draft_approve"], "reason": "A trial"}),
    ("query_project_db", lambda known: {"sql": "SELECT path, language FROM files LIMIT 3"}),
]

# Tools without data in this project: the arguments, and a part of the error.
REFUSED = {
    "aidd_model_compare": ({"models": ["large-1", "small-1"]}, "no session with the model `large-1`"),
}

# An example name for each resource template; its completions must include the name.
NAMES = {
    "aidd://specs/{name}": {"name": "lifecycle"},
    "aidd://rules/{name}": {"name": "security"},
    "aidd://skills/{agent}": {"agent": "backend-engineer"},
    "aidd://workflows/{name}": {"name": "bug-fix"},
    "aidd://templates/{name}": {"name": "adr"},
    "aidd://knowledge/{category}/{entry}": {"category": "backend", "entry": "fastify"},
    "aidd://packs/{ticket}/{pack}": {"ticket": "current", "pack": "semantic"},
}
PROMPTS = {
    "aidd_plan_task": {"task": "Add refunds", "stakes": "high"},
    "aidd_review_code": {"code": "let a: any = 1;"},
    "aidd_security_audit": {"scope": "apps/api"},
    "aidd_select_technology": {"need": "A queue for mails", "candidates": "redis, rabbitmq"},
    "aidd_start_feature": {"feature": "Refunds"},
}


def project(profile):
    """A repository with staged changes, and memories in an older format."""
    root = os.path.join(FOLDER, profile, "shop")
    make(REPOSITORY, root)
    write(root, "older.json", json.dumps({"decisions": [{"decision": "Use Fastify", "reasoning": "Fast"}]}))
    write(root, "apps/api/src/refunds.ts", "export const refunds = [];\n")
    git(root, "add", "apps")
    return root


async def calls(call):
    listed = set(call.listed)
    written = [name for name, _ in CALLS]
    check(len(set(written)) == len(written), "several calls of one tool:", written)
    known = {}
    for name, arguments in CALLS:
        if name in listed:
            answer = await call(name, **arguments(known))
            known[name] = answer.get("id") or answer.get("lifecycleId") or ""
    for name in sorted(listed & set(REFUSED)):
        arguments, part = REFUSED[name]
        said = await call.refused(name, **arguments)
        check(part in said, name, "has another error:", said)
    missing = sorted(listed - set(written) - set(REFUSED))
    check(not missing, "no call for", missing, "; add one to CALLS of every_tool.py")
    for name in sorted(listed):
        said = await call.refused(name, noSuchThing=1)
        check("unknown argument `noSuchThing`" in said, name, "does not report the argument:", said)
    return listed


async def refused(call, name):
    try:
        said = await call.refused(name)
    except MCPError as error:
        said = str(error)
    check(name in said, "unlisted tool not named:", said)
    return said


async def pages(call):
    client = call.client
    for resource in (await client.list_resources()).resources:
        await call.page(resource.uri)
    forms = [form.uri_template for form in (await client.list_resource_templates()).resource_templates]
    check(sorted(forms) == sorted(NAMES), "templates and examples differ:", forms)
    for form in forms:
        before, uri = {}, form
        for name in re.findall(r"{(\w+)}", form):
            value = NAMES[form][name]
            offered = await client.complete(ResourceTemplateReference(uri=form), {"name": name, "value": value[:2]}, before)
            check(value in offered.completion.values, form, name, "is not completed:", offered)
            before[name], uri = value, uri.replace("{" + name + "}", value)
        await call.page(uri)
    prompts = (await client.list_prompts()).prompts
    check(sorted(prompt.name for prompt in prompts) == sorted(PROMPTS), "prompts without an example:", prompts)
    for prompt in prompts:
        text = await call.prompt(prompt.name, **PROMPTS[prompt.name])
        given = list(PROMPTS[prompt.name].values())[0]
        check(given in text, prompt.name, "ignores its argument:", text)
    offered = await client.complete(PromptReference(name="aidd_start_feature"), {"name": "phase", "value": "B"})
    check(offered.completion.values == ["BUILD"], offered)
    return len(forms) + len((await client.list_resources()).resources), len(prompts)


async def run():
    everything = set()
    for profile in PROFILES:
        async with connected(AIDD, ["mcp", "--profile", profile], project(profile)) as call:
            listed = await calls(call)
            everything |= listed
            summary = f"{profile}: {len(listed)} tools"
            unlisted = sorted(everything - listed)
            if profile == "engine":
                summary += ", {} resources, {} prompts".format(*await pages(call))
            elif profile == "plan":
                check(not unlisted, "`plan` does not list", unlisted)
                check(listed == set(call.schemas), "no output schema:", sorted(listed - set(call.schemas)))
            elif profile == "lean":
                check(unlisted, "`lean` lists all tools")
                await call("aidd_get_config")
            else:
                await refused(call, unlisted[0])
            print(summary)


asyncio.run(run())

"""A working session in one of three repositories, through the Python SDK: the agent starts, reads the
context, decides, writes something that breaks a rule, fixes it, commits, and resumes the next morning.
Each request and its answer is printed, as one JSON object per line.

    days.py AIDD DIR REPOSITORY

REPOSITORY is one of tests/agents/repositories; it is created in DIR, which is empty.
"""

import asyncio
import json
import os
import sys

from agent import check, connected
from repositories import DAYS, git, make, write
from mcp.types import ResourceTemplateReference

AIDD = os.path.abspath(sys.argv[1])
NAME = os.path.splitext(os.path.basename(sys.argv[3]))[0]
PROJECT = os.path.join(os.path.abspath(sys.argv[2]), NAME)
DAY = DAYS[NAME]
PROVIDER = {"provider": "p", "model": "m", "modelId": "m-1", "client": "days.py"}
# The budget of an answer is recorded before the request.
BUDGETS = []


def say(request, answer, data=""):
    budget = BUDGETS.pop() if BUDGETS else None
    print(json.dumps({"request": request, "answer": answer, "data": data, "budget": budget}))


def within(tokens):
    BUDGETS.append(tokens)


def writes(path, text):
    write(PROJECT, path, text)
    say(f"(writes {path})", text.replace(DAY.secret, "TOKEN"))


def rules(found):
    return sorted({finding["rule"] for finding in found["findings"]})


def agent():
    return connected(AIDD, ["mcp"], PROJECT, heard=say)


async def begins(call):
    """Context before planning."""
    within(1200)
    start = await call("aidd_bootstrap", task=DAY.task, aiProvider=PROVIDER, memorySessionId="thread-1")
    check(start["tokens"] <= start["budget"] == 1200, start)
    await call("aidd_detect_project")
    task = await call("aidd_classify_task", description=DAY.task, files=DAY.files)
    role = task["roles"][0] if task["roles"] else DAY.role
    if not task["roles"]:
        await call("aidd_get_competency_matrix", filter=role)
    await call("aidd_get_agent", agent=role)
    workflow = task.get("workflow", "feature-branch")
    names = await call.client.complete(
        ResourceTemplateReference(uri="aidd://workflows/{name}"), {"name": "name", "value": workflow[:3]}
    )
    say(f"complete aidd://workflows/{{name}} {workflow[:3]}", "\n".join(names.completion.values))
    check(workflow in names.completion.values, names)
    await call.page(f"aidd://workflows/{workflow}")
    return start["sessionId"]


async def weighs(call):
    """Knowledge about the technologies, and objections to the plan."""
    await call("aidd_memory_search", query=DAY.decision["topic"])
    found = await call("aidd_query_tkb", limit=3, **DAY.query)
    check(DAY.found in json.dumps(found), DAY.found, "is not found:", found)
    await call("aidd_get_tkb_entry", name=DAY.found, section="Trade-offs")
    await call("aidd_tech_compatibility", technologies=DAY.compatible)
    await call("aidd_verify_version", packages=DAY.versions)
    await call("aidd_apply_heuristics", decision=DAY.decision["decision"],
               context=DAY.decision["reasoning"], stakes="high", limit=3)
    await call("aidd_plan_migration", **DAY.migration)


async def decides(call, session):
    decision = await call("save_decision", sessionId=session, **DAY.decision)
    await call("aidd_memory_add_convention", sessionId=session, **DAY.convention)
    return decision["id"]


async def builds(call, session):
    """Breaks a rule, gets the finding, fixes it."""
    for path, text in DAY.wrong.items():
        writes(path, text)
    broken = set()
    for path in DAY.wrong:
        found = await call("aidd_check_compliance", filePath=path)
        broken |= set(rules(found))
        check(DAY.secret not in json.dumps(found), "the secret is shown:", found)
    check(set(DAY.broken) <= broken, "not all of", DAY.broken, "were found:", broken)
    await call("aidd_explain_violation", rule=DAY.broken[0])
    changes = await call("aidd_ci_diff_check")
    check(set(DAY.broken) <= set(rules(changes)), DAY.broken, changes)
    for path, text in DAY.right.items():
        writes(path, text)
    changes = await call("aidd_ci_diff_check")
    check(not changes["findings"], "findings left:", changes)
    await call("aidd_observation", sessionId=session, type="tool_outcome", title="The tests pass",
               command=DAY.tests, exitCode=0)
    await call("aidd_suggest_next")
    await call("aidd_check_quality_gates", phase="BUILD")


async def hands_over(call, session):
    git(PROJECT, "add", "--all")
    staged = await call("aidd_generate_commit_message")
    kind = staged.get("type", staged["convention"]["types"][0])
    description = DAY.summary[0].lower() + DAY.summary[1:]
    git(PROJECT, "commit", "-q", "-m", f"{kind}: {description}")
    await call("aidd_ci_report")
    await call("save_checkpoint", sessionId=session, summary=DAY.summary, nextSteps=DAY.next)
    await call("aidd_session", action="end", id=session, output=DAY.summary,
               tasksPending=DAY.next, outcome={"testsPassing": True})


async def returns(call, decision):
    """The next morning: the decisions are known again, in every budget."""
    within(400)
    start = await call("aidd_bootstrap", tokenBudget="minimal", aiProvider=PROVIDER, memorySessionId="thread-1")
    check(start["tokens"] <= 400, start)
    await call("load_checkpoint")
    found = await call("aidd_memory_search", query=DAY.question)
    check(found["results"][0]["id"] == decision, "the decision is not found first:", found)
    within(300)
    await call("aidd_optimize_context", budget=300, sections=["memory", "session"])
    within(3000)
    full = await call("aidd_bootstrap", tokenBudget="full")
    check(full["tokens"] <= 3000, full)
    check(DAY.decision["topic"] in await call.page("aidd://memory/decisions"), "no decision")


async def day():
    make(sys.argv[3], PROJECT)
    async with agent() as call:
        session = await begins(call)
        await weighs(call)
        decision = await decides(call, session)
        await builds(call, session)
        await hands_over(call, session)
    say("(the next morning)", "")
    async with agent() as call:
        await returns(call, decision)


asyncio.run(day())

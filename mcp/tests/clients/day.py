"""A session through the Python SDK that survives a crash of the server: what it decides, what its
branch and then the whole team remembers.

    day.py AIDD PROJECT [auto|legacy]

PROJECT is a Git repository with a commit. Exits with an error at the first failed check; `legacy`
uses the handshake of older clients.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys

from agent import check, connected

AIDD, PROJECT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
MODE = sys.argv[3] if len(sys.argv) > 3 else "auto"
PROVIDER = {"provider": "p", "model": "m", "modelId": "m-1", "client": "day.py"}


def servers():
    """The aidd processes that this process started."""
    listed = subprocess.run(["ps", "-o", "pid=,ppid=,args="], capture_output=True, text=True)
    rows = (line.split(None, 2) for line in listed.stdout.splitlines())
    return [int(pid) for pid, parent, args in rows if int(parent) == os.getpid() and AIDD in args]


def agent(project=PROJECT):
    return connected(AIDD, ["mcp"], project, MODE)


async def morning():
    """Starts a session, takes notes, decides; then the server is killed."""
    known = {}
    try:
        async with agent() as call:
            session = await call("aidd_session", action="start", branch="feat/pay", aiProvider=PROVIDER,
                                 name="payments", input="add refunds", memorySessionId="thread-1")
            known["session"] = session["id"]
            await call("aidd_observation", sessionId=session["id"], type="insight",
                       title="The ledger rounds half to even", narrative="Seen in ledger/round.ts",
                       filesRead=["ledger/round.ts"])
            decision = await call("save_decision", topic="refund storage",
                                  decision="Refunds are rows of their own, linked to the payment",
                                  reasoning="Partial refunds come several to a payment", confidence=0.8)
            known["decision"] = decision["id"]
            await call("aidd_memory_add_mistake", error="TypeError: amount is undefined",
                       rootCause="The webhook of a test has no amount", fix="Read it from the charge",
                       prevention="Parse webhooks by their schema", sessionId=session["id"])
            await call("aidd_memory_add_convention", convention="Money is whole cents in a bigint",
                       example="const price = 1999n", rationale="No rounding on the way")
            await call("aidd_session", action="update", id=session["id"],
                       tasksPending=["webhook", "docs"], filesModified=["refund.ts"])
            said = await call.refused("aidd_memory_search", quary="refund")
            check("query" in said, "the nearest argument is not named:", said)
            [server] = servers()
            os.kill(server, signal.SIGKILL)
            await call("aidd_session", action="list")
            check(False, "a killed server answered")
    except AssertionError:
        raise
    except BaseException as error:  # The client reports the exit of its server in different ways.
        broken = [error]
        while broken:
            one = broken.pop()
            if isinstance(one, AssertionError):
                raise
            broken += getattr(one, "exceptions", ())
    check("decision" in known, "the server exited too early")
    return known


async def noon(known):
    """Resumes after the crash, finishes and merges the branch."""
    async with agent() as call:
        session = await call("aidd_session", action="get", id=known["session"])
        state = session.get("session", session)
        check(state["tasksPending"] == ["webhook", "docs"], state)
        found = await call("aidd_memory_search", query="how do we store refunds")
        ids = [hit["id"] for hit in found["results"]]
        check(ids and ids[0] == known["decision"], "the decision is not found first:", found)
        around = await call("aidd_memory_context", anchor=known["decision"], depth=2)
        check(around["anchor"]["id"] == known["decision"], around)
        entries = await call("aidd_memory_get", ids=[known["decision"], "decision_1_gone"])
        check(len(entries["entries"]) == 1 and "decision_1_gone" in json.dumps(entries), entries)
        again = await call("aidd_session", action="start", branch="feat/pay", aiProvider=PROVIDER,
                           memorySessionId="thread-1", parentSessionId=known["session"])
        await call("aidd_session", action="update", id=again["id"], tasksCompleted=["webhook"],
                   decisions=[{"decision": "Webhooks are retried for a day", "reasoning": "The bank does too"}])
        for one in (known["session"], again["id"]):
            await call("aidd_session", action="end", id=one, output="done",
                       outcome={"testsPassing": True, "complianceScore": 90, "reverts": 0, "reworks": 0})
        branch = await call("aidd_branch", action="get", branch="feat/pay")
        check("retried for a day" in json.dumps(branch), "the session's decision is not on its branch:", branch)
        merged = await call("aidd_branch", action="merge", branch="feat/pay")
        twice = await call("aidd_branch", action="merge", branch="feat/pay")
        check(merged["promoted"], "nothing became permanent:", merged)
        again = sorted(twice["known"])
        check(not twice["promoted"] and set(merged["promoted"]) <= set(again), "merged twice:", twice)
        failed = await call("evolve_outcome", id=known["decision"], outcome="PARTIAL",
                            reason="Fees are not covered")
        check(failed["id"] == known["decision"] and failed["outcome"] == "PARTIAL", failed)
        newer = await call("evolve_supersede", id=known["decision"],
                           decision="Refunds and their fees are rows of one ledger",
                           reasoning="A fee without a refund is common")
        topic = await call("search_by_topic", topic="refund storage")
        check(newer["id"] in json.dumps(topic) and known["decision"] in json.dumps(topic), topic)
        first = await call("aidd_memory_search", query="how do we store refunds")
        check(first["results"][0]["id"] == newer["id"], "a superseded decision comes first:", first)
        await call("save_checkpoint", summary="Refunds work; the fees are next",
                   nextSteps=["fees"], openFiles=["refund.ts"])
        known["newer"] = newer["id"]


async def evening(known):
    """A teammate's clone has everything through Git, except what is local to one checkout."""
    clone = PROJECT + "-clone"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "-C", PROJECT, "add", "-A"], check=True)
    subprocess.run([*git, "-C", PROJECT, "commit", "-qm", "chore: memory"], check=True)
    subprocess.run(["git", "clone", "-q", PROJECT, clone], check=True)
    async with agent(clone) as call:
        found = await call("aidd_memory_search", query="환불은 어디에 저장하나 refunds ledger")
        check(newer_first(found, known), found)
        retried = await call("aidd_memory_search", query="webhooks retried for a day")
        check("retried for a day" in json.dumps(retried), "what the branch decided is lost:", retried)
        diagnosed = await call("aidd_diagnose_error", error="TypeError: amount is undefined\n    at refund (refund.ts:3:9)")
        check("charge" in json.dumps(diagnosed), "the known fix is missing:", diagnosed)
        sessions = await call("aidd_session", action="list")
        check(known["session"] not in json.dumps(sessions), "sessions are not shared:", sessions)
    async with agent() as call:
        checkpoint = await call("load_checkpoint")
        check("fees are next" in json.dumps(checkpoint), checkpoint)
        check((await call("aidd_project_health")) is not None)


def newer_first(found, known):
    return bool(found["results"]) and found["results"][0]["id"] == known["newer"]


async def day():
    known = await morning()
    await noon(known)
    await evening(known)
    check(not servers(), "servers still running:", servers())
    print("all checks passed")


asyncio.run(day())

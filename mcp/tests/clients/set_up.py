"""Starts the server from the files that a client reads, and checks what every project is promised:
guidance, memory, checks. The clients are read from standard input, as JSON: name, command, args.

    set_up.py PROJECT
"""

import asyncio
import json
import os
import sys

from agent import check, connected

PROJECT = os.path.abspath(sys.argv[1])


async def run():
    for name, command, args in json.load(sys.stdin):
        args = [word.replace("${workspaceFolder}", PROJECT) for word in args]
        # The environment of a client; the SDK would pass on less.
        async with connected(command, args, PROJECT, env=dict(os.environ)) as call:
            await call("aidd_bootstrap", task="Add a login page")
            topic = f"login of {name}"
            kept = await call("save_decision", topic=topic, decision="Sessions live in cookies", reasoning="One server")
            found = await call("aidd_memory_search", query=topic)
            check(kept["id"] in json.dumps(found), name, "does not find the saved memory:", found)
            checked = await call("aidd_check_compliance", filePath="Dockerfile", content="FROM debian:latest\n")
            check("dockerfile/latest-tag" in json.dumps(checked), name, "checks nothing:", checked)
        print(name)


asyncio.run(run())

"""Shared by the scripts in this directory: a client of the Python SDK that checks answers against the
schemas of the server. An answer has text and data; some clients show a model only the data (such as
Claude Code 2.1.197), others only the text, so each must be sufficient."""

import json
import re
from contextlib import asynccontextmanager

from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters


def check(holds, *said):
    if not holds:
        raise AssertionError(" ".join(str(part) for part in said))


class Agent:
    """Calls tools; `heard`, if set, is called with each request and its answer."""

    def __init__(self, client, heard=None):
        self.client = client
        self.schemas = {}
        self.listed = set()
        self.heard = heard or (lambda *_, **__: None)

    async def look_around(self):
        check(self.client.server_info.name == "aidd", self.client.server_info)
        check(self.client.instructions, "no instructions")
        tools = (await self.client.list_tools()).tools
        names = [tool.name for tool in tools]
        check(names == sorted(names), "tools are not sorted by name")
        for tool in tools:
            check(tool.description and tool.annotations, tool.name, "has no description or annotations")
            Draft202012Validator.check_schema(tool.input_schema)
            self.listed.add(tool.name)
            # Only the profile `plan` lists output schemas.
            if tool.output_schema:
                Draft202012Validator.check_schema(tool.output_schema)
                self.schemas[tool.name] = Draft202012Validator(tool.output_schema)

    async def _ask(self, tool, arguments):
        result = await self.client.call_tool(tool, arguments)
        text = "\n".join(block.text for block in result.content)
        data = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
        self.heard(f"{tool} {json.dumps(arguments, ensure_ascii=False)}", text, data=data)
        return result, text

    async def __call__(self, tool, **arguments):
        result, text = await self._ask(tool, arguments)
        check(not result.is_error, tool, arguments, "failed:", text)
        check(text.strip(), tool, "has no text")
        data = result.structured_content
        if data is None:
            # The data would repeat a long text.
            check(len(text) >= 400, tool, "has neither data nor a long text:", text)
            return {"text": text}
        if tool in self.schemas:
            self.schemas[tool].validate(data)
        # The data must contain most words of a long text; short texts state counts of the data.
        words = set(re.findall(r"\w{4,}", text))
        missing = sorted(word for word in words if word not in json.dumps(data, ensure_ascii=False))
        check(len(text) < 600 or len(missing) * 3 < len(words), tool, "has words only in its text:", missing)
        return data

    async def refused(self, tool, **arguments):
        result, text = await self._ask(tool, arguments)
        check(result.is_error, tool, arguments, "should be refused")
        return text

    async def page(self, uri):
        """The text of a resource."""
        read = await self.client.read_resource(uri)
        text = "\n".join(content.text for content in read.contents)
        self.heard(f"read {uri}", text)
        check(text.strip(), uri, "is empty")
        return text

    async def prompt(self, name, **arguments):
        """The text of a prompt."""
        got = await self.client.get_prompt(name, arguments)
        text = "\n".join(message.content.text for message in got.messages)
        self.heard(f"prompt {name} {json.dumps(arguments, ensure_ascii=False)}", text)
        check(text.strip(), name, "is empty")
        return text


@asynccontextmanager
async def connected(command, args, project, mode="auto", heard=None, env=None):
    """An agent with the server that `command` starts in `project`. By default, the server lists all
    tools, and every answer has data."""
    if "--profile" not in args:
        args = [*args, "--profile", "plan"]
    server = StdioServerParameters(command=command, args=args, cwd=project, env=env)
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        agent = Agent(client, heard)
        await agent.look_around()
        yield agent

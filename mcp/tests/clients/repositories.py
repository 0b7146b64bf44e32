"""The three repositories of `tests/agents/repositories`: how they are created, and the task of an
agent in each."""

import os
import subprocess
from dataclasses import dataclass, field


def git(root, *args, at="2026-11-02T09:00:00Z"):
    words = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false",
             "-c", "core.autocrlf=false", "-C", root, *args]
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **dates})


def write(root, path, text):
    place = os.path.join(root, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def make(description, root):
    """Creates the repository that a file describes: its commits, and the branch to work on."""
    os.makedirs(root)
    git(root, "init", "-q", "-b", "main")
    with open(description, encoding="utf-8") as file:
        parts = file.read().split("\n=== ")[1:]
    for day, part in enumerate(parts, start=2):
        title, *files = part.split("\n--- ")
        kind, name = title.strip().split(" ", 1)
        if kind == "branch":
            git(root, "checkout", "-q", "-b", name)
            continue
        for file in files:
            path, text = file.split("\n", 1) if "\n" in file else (file, "")
            write(root, path, text.rstrip("\n") + "\n" if text.strip() else "")
        git(root, "add", "--all")
        git(root, "commit", "-q", "-m", name, at=f"2026-11-{day:02}T09:00:00Z")


@dataclass
class Day:
    task: str
    files: list
    # A question to the knowledge base, and an entry that must be among the results.
    query: dict
    found: str
    compatible: list
    versions: list
    migration: dict
    decision: dict
    # In other words than the decision.
    question: str
    convention: dict
    # The first version, the rules that it breaks, and the fix.
    wrong: dict
    broken: list
    right: dict
    tests: str
    summary: str
    next: list = field(default_factory=list)
    # The role, if the task alone does not determine it.
    role: str = "backend-engineer"
    # Occurs in `wrong`, and must not occur in any answer.
    secret: str = "\0"


# A token that is valid only after concatenation.
TOKEN = "gh" + "p_" + "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T"

REFUNDS = """\
import type { FastifyInstance } from "fastify";
import { z } from "zod";

export type RefundRequest = { orderId: string; amount: number };
const body = z.object({ orderId: z.uuid(), amount: z.number() });

export async function refunds(server: FastifyInstance): Promise<void> {
  server.post("/", async (request) => body.parse(request.body as any));
}
"""

STATEMENT = """\
use crate::Posting;

pub fn statement(postings: &[Posting], account: u32) -> Vec<i64> {
    let first = postings.iter().find(|posting| posting.account == account).unwrap();
    todo!("from {first:?} on")
}
"""

STATEMENT_DONE = """\
use crate::Posting;

/// The balance of an account after each of its postings.
pub fn statement(postings: &[Posting], account: u32) -> Vec<i64> {
    let own = postings.iter().filter(|posting| posting.account == account);
    own.scan(0, |balance, posting| {
        *balance += posting.cents;
        Some(*balance)
    })
    .collect()
}
"""

QUIET = '''\
"""When a person is not to be disturbed."""

from datetime import time


def is_quiet(now: time, begins: time, ends: time) -> bool:
    """Whether a time of day lies in hours that may pass midnight."""
    if begins <= ends:
        return begins <= now < ends
    return now >= begins or now < ends
'''

DAYS = {
    "shop": Day(
        task="Add refunds to the orders API: a refund belongs to an order and never exceeds it",
        files=["apps/api/src/refunds.ts", "apps/api/migrations/003_refunds.sql"],
        query={"query": "schema validation", "useCase": "validate requests of an HTTP API"},
        found="Zod",
        compatible=["fastify", "zod", "postgresql", "redis"],
        versions=["next", "react", "fastify"],
        migration={"framework": "next", "targetVersion": "16"},
        decision={
            "topic": "refund storage",
            "decision": "Refunds are rows of their own in PostgreSQL, linked to the order",
            "reasoning": "Partial refunds come several to an order; a column on orders would hold only their sum",
            "alternatives": ["A column refunded_cents on orders"],
            "confidence": 0.8,
        },
        question="where do we keep money given back to a customer",
        convention={
            "convention": "Each route has its Zod schema next to it",
            "example": "const body = z.object({ amount: z.bigint() })",
        },
        wrong={"apps/api/src/refunds.ts": REFUNDS},
        broken=["shop/money", "compliance/any-type"],
        right={
            "apps/api/src/refunds.ts": REFUNDS.replace(": number", ": Cents")
            .replace("z.number()", "z.bigint()")
            .replace(" as any", "")
            .replace('"fastify";\n', '"fastify";\nimport type { Cents } from "@shop/money";\n'),
            "docs/refunds.md": "# Refunds\n\n`POST /refunds` takes the id of an order and an amount in cents.\n",
        },
        tests="pnpm test",
        summary="Refunds are taken; the migration comes next",
        next=["migration 003", "show refunds on the site"],
    ),
    "ledger": Day(
        task="Show the statement of an account: its balance after each posting",
        files=["crates/ledger-core/src/statement.rs"],
        query={"query": "Rust web framework", "category": "backend"},
        found="Axum",
        compatible=["axum", "tokio", "postgresql", "actix-web"],
        versions=["axum", "tokio"],
        migration={"framework": "axum", "targetVersion": "0.8"},
        decision={
            "topic": "statement balances",
            "decision": "Balances of a statement are computed from the postings, and not stored",
            "reasoning": "A stored balance and the postings it sums up can differ; 10,000 postings are summed in under 1 ms",
            "alternatives": ["A table of balances by day"],
        },
        question="do we save the balance of an account anywhere",
        convention={
            "convention": "Errors of the library are enums by thiserror",
            "example": "#[derive(Debug, Error)] pub enum StatementError {}",
        },
        wrong={"crates/ledger-core/src/statement.rs": STATEMENT},
        broken=["compliance/rust-unwrap", "compliance/rust-unfinished", "compliance/rust-undocumented"],
        right={
            "crates/ledger-core/src/statement.rs": STATEMENT_DONE,
            "docs/statements.md": "# Statements\n\nThe balance of an account after each of its postings, in cents.\n",
        },
        tests="cargo test --workspace",
        summary="The library makes statements; the route is missing",
        next=["GET /accounts/{id}/statement"],
    ),
    "notify": Day(
        task="Hold notices back during the quiet hours of the person they go to",
        files=["src/notify/quiet.py", "src/notify/tasks.py"],
        query={"query": "task queue for Python"},
        found="Celery",
        compatible=["fastapi", "celery", "redis", "rabbitmq"],
        versions=["fastapi", "pydantic", "sqlalchemy"],
        migration={"framework": "sqlalchemy", "targetVersion": "2.0"},
        decision={
            "topic": "quiet hours",
            "decision": "A notice that falls into quiet hours is sent with an eta by Celery, and not dropped",
            "reasoning": "People want the notice, only later; Redis keeps tasks with an eta in memory, at most 2,000 a night",
            "alternatives": ["A table of pending notices that a timer reads"],
        },
        question="what happens to a message at night",
        convention={
            "convention": "Times of day carry the time zone of the person they are for",
            "example": "now.astimezone(person.zone).time()",
        },
        wrong={
            "src/notify/quiet.py": QUIET,
            "src/notify/settings.py": f'MAIL_TOKEN = "{TOKEN}"\n',
            "Dockerfile": "FROM python:latest\nWORKDIR /srv\nADD . .\nRUN pip install uv && uv sync --frozen\n"
            'CMD ["uv", "run", "uvicorn", "notify.main:app"]\n',
        },
        broken=["dockerfile/latest-tag", "secrets/github-personal-access-token"],
        right={
            "src/notify/settings.py": 'import os\n\nMAIL_TOKEN = os.environ["MAIL_TOKEN"]\n',
            "Dockerfile": "FROM python:3.13-slim\nWORKDIR /srv\nCOPY . .\n"
            "RUN pip install --no-cache-dir uv==0.8.4 && uv sync --frozen\nUSER nobody\n"
            'CMD ["uv", "run", "uvicorn", "notify.main:app"]\n',
        },
        tests="uv run pytest",
        summary="Quiet hours are known; tasks do not ask for them yet",
        next=["eta in tasks.deliver"],
        secret=TOKEN,
    ),
}

"""Small web layer: sessions, routing, caching and request helpers."""
from __future__ import annotations

import hashlib
import json
import os
import random
import secrets
import time
import urllib.request
from collections import OrderedDict
from dataclasses import dataclass, field
from urllib.parse import unquote_plus

REASONS = {400: "Bad Request", 404: "Not Found", 429: "Too Many Requests", 500: "Server Error"}
SESSION_TTL = 1800

_hits: dict[str, int] = {}
_windows: dict[str, tuple[int, int]] = {}
_profiles: dict[str, dict] = {}


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


@dataclass
class Session:
    ident: str
    last_seen: float
    data: dict = field(default_factory=dict)

    def touch(self) -> None:
        self.last_seen = time.time()

    def idle_for(self, now: float) -> float:
        return max(0.0, now - self.last_seen)

    def expired(self) -> bool:
        return self.idle_for(time.time()) > SESSION_TTL

    def ensure(self, key: str, default):
        return self.data.setdefault(key, default)

    def export(self) -> str:
        visible = {k: v for k, v in self.data.items() if not k.startswith("_")}
        return json.dumps(visible, sort_keys=True)


@dataclass
class LruCache:
    capacity: int
    entries: OrderedDict = field(default_factory=OrderedDict)

    def get(self, key: str, default=None):
        if key not in self.entries:
            return default
        self.entries.move_to_end(key)
        return self.entries[key]

    def peek(self, key: str, default=None):
        return self.entries.get(key, default)

    def put(self, key: str, value) -> None:
        self.entries[key] = value
        self.entries.move_to_end(key)
        while len(self.entries) > self.capacity:
            self.entries.popitem(last=False)

    def keys_by_prefix(self, prefix: str) -> list[str]:
        found = [key for key in self.entries if key.startswith(prefix)]
        found.sort()
        return found


@dataclass
class Router:
    routes: dict = field(default_factory=dict)

    def add(self, method: str, path: str, handler) -> None:
        self.routes[(method.upper(), normalize_path(path))] = handler

    def allowed(self, path: str) -> list[str]:
        wanted = normalize_path(path)
        return sorted(method for method, known in self.routes if known == wanted)

    def dispatch(self, request: Request) -> tuple[int, str]:
        handler = self.routes.get((request.method, normalize_path(request.path)))
        if handler is None:
            return render_error(404, request.path)
        return handler(request)


def normalize_path(path: str) -> str:
    parts: list[str] = []
    for piece in path.split("/"):
        if piece in ("", "."):
            continue
        if piece == "..":
            if parts:
                parts.pop()
            continue
        parts.append(piece)
    return "/" + "/".join(parts)


def parse_query(raw: str) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for pair in raw.split("&"):
        if not pair:
            continue
        key, _, value = pair.partition("=")
        result.setdefault(unquote_plus(key), []).append(unquote_plus(value))
    return result


def etag_for(body: bytes) -> str:
    digest = hashlib.sha256()
    digest.update(body)
    return '"' + digest.hexdigest()[:16] + '"'


def harden(headers: dict[str, str]) -> dict[str, str]:
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("Referrer-Policy", "same-origin")
    return headers


def response_headers(body: bytes, mime: str) -> dict[str, str]:
    headers = {"Content-Type": mime, "Content-Length": str(len(body))}
    headers["ETag"] = etag_for(body)
    return harden(headers)


def render_error(status: int, detail: str) -> tuple[int, str]:
    reason = REASONS.get(status, "Error")
    return status, json.dumps({"error": reason, "detail": detail})


def new_session_ident() -> str:
    return secrets.token_urlsafe(18)


def open_session(locale: str) -> Session:
    session = Session(new_session_ident(), time.time())
    session.ensure("locale", locale)
    return session


def session_at(ident: str, now: float, locale: str) -> Session:
    session = Session(ident, now)
    session.ensure("locale", locale)
    session.data["created"] = now
    return session


def handle_echo(request: Request) -> tuple[int, str]:
    if request.method != "POST":
        return render_error(400, "POST required")
    try:
        parsed = json.loads(request.body or b"null")
    except ValueError as exc:
        return render_error(400, str(exc))
    return 200, json.dumps({"path": request.path, "body": parsed})


def handle_upload(request: Request) -> tuple[int, str]:
    name = etag_for(request.body).strip('"')
    with open(f"/var/tmp/uploads/{name}.bin", "wb") as handle:
        handle.write(request.body)
    return 200, json.dumps({"stored": name})


def handle_profile(request: Request) -> tuple[int, str]:
    ident = request.path.rsplit("/", 1)[-1]
    profile = _profiles.get(ident)
    if profile is None:
        return render_error(404, ident)
    return 200, json.dumps(profile)


def save_profile(ident: str, profile: dict) -> None:
    _profiles[ident] = dict(profile)


def count_hit(path: str) -> int:
    _hits[path] = _hits.get(path, 0) + 1
    return _hits[path]


def busiest(limit: int) -> list[tuple[str, int]]:
    ranked = sorted(_hits.items(), key=lambda pair: -pair[1])
    return ranked[:limit]


def allow_request(address: str, per_minute: int) -> bool:
    window = int(time.time() // 60)
    start, used = _windows.get(address, (window, 0))
    if start != window:
        used = 0
    _windows[address] = (window, used + 1)
    return used < per_minute


def backoff_schedule(attempts: int, seed: int) -> list[float]:
    rng = random.Random(seed)
    delays = []
    for attempt in range(attempts):
        delays.append(2**attempt * (0.5 + rng.random()))
    return delays


def jittered(base: float) -> float:
    return base * (0.5 + random.random())


def retry_plan(base: float, attempts: int) -> list[float]:
    return [round(jittered(base * 2**n), 3) for n in range(attempts)]


def page_of(items: list, page: int, size: int) -> dict:
    start = (page - 1) * size
    return {"items": items[start : start + size], "more": start + size < len(items)}


def upstream_url(path: str) -> str:
    host = os.getenv("UPSTREAM_HOST", "localhost:8080")
    return f"http://{host}{normalize_path(path)}"


def fetch_upstream(path: str) -> bytes:
    with urllib.request.urlopen(upstream_url(path), timeout=5) as reply:
        return reply.read()


def guarded(handler):
    def wrapper(request: Request) -> tuple[int, str]:
        try:
            return handler(request)
        except ValueError as exc:
            return render_error(400, str(exc))

    return wrapper


def first_success(handlers: list, request: Request):
    for handler in handlers:
        status, payload = handler(request)
        if status < 400:
            return status, payload
    return render_error(500, "no handler succeeded")

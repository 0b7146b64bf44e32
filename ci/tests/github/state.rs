//! The state of the GitHub mock, and its responses.

use super::{Answer, BOT, HEAD, Request, TOKEN, error, shapes};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The contents of the server; tests set them up and inspect them.
#[derive(Default)]
pub(crate) struct State {
    /// The head of every pull request, if it is not [`HEAD`].
    pub(crate) head: Option<String>,
    /// `METHOD path` of each request, in order; numbers and hashes are not masked.
    pub(crate) log: Vec<String>,
    /// Whether the token is read-only, as on a pull request from a fork.
    pub(crate) read_only: bool,
    /// Whether the token belongs to a person, so that `GET /user` succeeds.
    pub(crate) person: bool,
    /// Comments of pull requests, each with its `issue`.
    pub(crate) comments: Vec<Value>,
    /// Check runs as received, with all annotations and `id`.
    pub(crate) check_runs: Vec<Value>,
    /// Reviews as received.
    pub(crate) reviews: Vec<Value>,
    /// Comments of reviews.
    pub(crate) review_comments: Vec<Value>,
    /// Lines that the diff shows, by path; review comments elsewhere are rejected.
    pub(crate) diff: BTreeMap<String, Vec<(u64, u64)>>,
    /// Uploads to code scanning.
    pub(crate) sarifs: Vec<Value>,
    /// The processing states of uploads, one per query; the last one is repeated.
    pub(crate) processing: Vec<Value>,
    /// Pull requests that the list endpoints return. Those with `fork` are omitted from the list
    /// for a commit, as on GitHub.
    pub(crate) pulls: Vec<Value>,
    /// The merge base that every comparison returns.
    pub(crate) merge_base: String,
    /// Requests that differ from the documentation.
    pub(crate) invalid_requests: Vec<String>,
}

impl State {
    /// Applies a request to the state and returns the response.
    pub(super) fn answer(&mut self, request: &Request, path: &str) -> Answer {
        if request.header("authorization") != Some(&format!("Bearer {TOKEN}")) {
            return Answer::error(401, "Bad credentials");
        }
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        if path == "/user" {
            return self.user();
        }
        let Some(path) = path.strip_prefix("/repos/octo/demo/") else {
            return Answer::error(404, "Not Found");
        };
        let parts: Vec<&str> = path.split('/').collect();
        let route = route(&parts);
        let body = match self.body(request, &route, query) {
            Ok(body) => body,
            Err(problem) => {
                self.invalid_requests.push(format!("{} {route}: {problem}", request.method));
                return Answer::error(400, &problem);
            }
        };
        if self.read_only && request.method != "GET" {
            return Answer::error(403, "Resource not accessible by integration");
        }
        self.route(&request.method, &parts, query, body)
    }

    /// Validates a request against the documented schema and returns its body.
    fn body(&self, request: &Request, route: &str, query: &str) -> Result<Value, String> {
        if matches!(&*request.method, "GET" | "DELETE") {
            let names = match &*request.method {
                "GET" => shapes::query(route).ok_or("no such route")?,
                _ if route == "issues/comments/N" => &[],
                _ => return Err("no such route".into()),
            };
            for (name, value) in pairs(query) {
                if !names.contains(&&*name) {
                    return Err(format!("undocumented parameter {name}"));
                }
                if name == "per_page" && !(1..=100).contains(&value.parse().unwrap_or(0)) {
                    return Err(format!("invalid `per_page`: {value}"));
                }
            }
            return if request.body.is_empty() {
                Ok(Value::Null)
            } else {
                Err("unexpected body".into())
            };
        }
        let schema = shapes::body(&request.method, route).ok_or("no such route")?;
        let body = serde_json::from_slice(&request.body).map_err(|error| error.to_string())?;
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let errors: Vec<String> = validator
            .iter_errors(&body)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        let mut errors = errors;
        errors.extend(annotations(&body).filter_map(invalid_position));
        if errors.is_empty() { Ok(body) } else { Err(errors.join("; ")) }
    }

    fn route(&mut self, method: &str, parts: &[&str], query: &str, body: Value) -> Answer {
        match (method, parts) {
            ("POST", ["check-runs"]) => self.new_check_run(body),
            ("PATCH", ["check-runs", id]) => self.add_annotations(id, &body),
            ("GET", ["check-runs", id]) => match find(&mut self.check_runs, id) {
                Some(run) => Answer::new(200, check_run(run)),
                None => Answer::error(404, "Not Found"),
            },
            ("GET", ["commits", _, "check-runs"]) => {
                let runs: Vec<Value> = self.check_runs.iter().map(check_run).collect();
                Answer::new(200, json!({ "total_count": runs.len(), "check_runs": runs }))
            }
            ("GET", ["issues", issue, "comments"]) => {
                page(self.comments.iter().filter(|comment| comment["issue"] == *issue), query)
            }
            ("POST", ["issues", issue, "comments"]) => {
                let comment = self.comment(issue, &self.current_user(), &body["body"]);
                Answer::new(201, comment)
            }
            ("PATCH", ["issues", "comments", id]) => match find(&mut self.comments, id) {
                Some(comment) => {
                    comment["body"] = body["body"].clone();
                    Answer::new(200, comment.clone())
                }
                None => Answer::error(404, "Not Found"),
            },
            ("DELETE", ["issues", "comments", id]) => {
                self.comments.retain(|comment| !has_id(comment, id));
                Answer::new(204, Value::Null)
            }
            ("GET", ["pulls", _, "comments"]) => page(self.review_comments.iter(), query),
            ("POST", ["pulls", _, "reviews"]) => self.review(body),
            ("POST", ["code-scanning", "sarifs"]) => {
                self.sarifs.push(body);
                let id = "47177e22-5596-11eb-80a1-c1e54ef945c6";
                Answer::new(202, json!({ "id": id, "url": "https://api.github.com/sarifs" }))
            }
            ("GET", ["code-scanning", "sarifs", _]) => {
                let last = self.processing.len() <= 1;
                let status = self.processing.first().cloned();
                let status = if last { status } else { Some(self.processing.remove(0)) };
                Answer::new(200, status.unwrap_or(json!({ "processing_status": "complete" })))
            }
            ("GET", ["compare", between]) => {
                let has_two_revisions = between.split_once("...").is_some();
                assert!(has_two_revisions, "expected two revisions: {between}");
                let commit = json!({ "sha": self.merge_base });
                Answer::new(
                    200,
                    json!({ "status": "ahead", "total_commits": 2, "base_commit": commit,
                        "merge_base_commit": commit, "commits": [commit], "files": [] }),
                )
            }
            ("GET", ["commits", sha, "pulls"]) => {
                let listed = |pull: &&Value| pull["head"]["sha"] == *sha && pull["fork"] != true;
                page(self.pulls.iter().filter(listed), query)
            }
            ("GET", ["pulls"]) => {
                let head = pairs(query).find(|pair| pair.0 == "head").map(|pair| pair.1);
                let of_head = |pull: &&Value| {
                    let head = head.as_deref();
                    head.is_none_or(|head| pull["head"]["label"] == head) && pull["state"] == "open"
                };
                page(self.pulls.iter().filter(of_head), query)
            }
            _ => Answer::error(404, "Not Found"),
        }
    }

    fn current_user(&self) -> Value {
        if self.person {
            json!({ "id": 7, "login": "mona", "type": "User" })
        } else {
            json!({ "id": BOT, "login": "github-actions[bot]", "type": "Bot" })
        }
    }

    fn user(&self) -> Answer {
        if self.person {
            Answer::new(200, self.current_user())
        } else {
            Answer::error(403, "Resource not accessible by integration")
        }
    }

    /// Adds a comment by `user`.
    pub(crate) fn comment(&mut self, issue: &str, user: &Value, body: &Value) -> Value {
        let id = self.comments.last().map_or(1, |last| last["id"].as_u64().unwrap_or(0) + 1);
        self.comments.push(json!({
            "id": id,
            "issue": issue,
            "html_url": format!("https://github.com/octo/demo/pull/{issue}#issuecomment-{id}"),
            "user": user,
            "body": body,
            "created_at": "2026-11-22T00:00:00Z",
            "author_association": "NONE",
        }));
        self.comments[self.comments.len() - 1].clone()
    }

    fn new_check_run(&mut self, mut run: Value) -> Answer {
        run["id"] = json!(self.check_runs.len() + 1);
        self.check_runs.push(run.clone());
        Answer::new(201, check_run(&run))
    }

    fn add_annotations(&mut self, id: &str, body: &Value) -> Answer {
        let Some(run) = find(&mut self.check_runs, id) else {
            return Answer::error(404, "Not Found");
        };
        let mut all: Vec<Value> = annotations(run).cloned().collect();
        all.extend(annotations(body).cloned());
        run["output"] = body["output"].clone();
        run["output"]["annotations"] = all.into();
        Answer::new(200, check_run(run))
    }

    fn review(&mut self, body: Value) -> Answer {
        const REFUSED: &str = "Unprocessable Entity";
        if body["commit_id"] != *self.head.as_deref().unwrap_or(HEAD) {
            let why = ["The commit is not part of the pull request"];
            return Answer::new(422, error(422, REFUSED, &why));
        }
        let comments = body["comments"].as_array().cloned().unwrap_or_default();
        for comment in &comments {
            let line = comment["line"].as_u64().unwrap_or(0);
            let start = comment["start_line"].as_u64();
            let path = comment["path"].as_str().unwrap_or_default();
            let hunks = self.diff.get(path).cloned().unwrap_or_default();
            let shown = hunks.iter().any(|hunk| hunk.0 <= start.unwrap_or(line) && line <= hunk.1);
            if !shown || start.is_some_and(|start| start >= line) {
                let why = ["Pull request review thread line must be part of the diff"];
                return Answer::new(422, error(422, REFUSED, &why));
            }
        }
        for mut comment in comments {
            comment["id"] = json!(self.review_comments.len() + 1);
            self.review_comments.push(comment);
        }
        self.reviews.push(body);
        Answer::new(200, json!({ "id": self.reviews.len(), "state": "COMMENTED" }))
    }
}

/// The route with `N` instead of each number, hash and name.
fn route(parts: &[&str]) -> String {
    let names = [
        "check-runs",
        "code-scanning",
        "comments",
        "commits",
        "compare",
        "issues",
        "pulls",
        "reviews",
        "sarifs",
    ];
    let plain = parts.iter().map(|part| if names.contains(part) { *part } else { "N" });
    plain.collect::<Vec<_>>().join("/")
}

fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (name.to_owned(), value.replace("%3A", ":").replace("%2F", "/"))
    })
}

fn page<'a>(entries: impl Iterator<Item = &'a Value>, query: &str) -> Answer {
    let number = |name: &str, default: usize| {
        let value = pairs(query).find(|pair| pair.0 == name).map(|pair| pair.1);
        value.map_or(default, |value| value.parse().expect("a number"))
    };
    let (size, page) = (number("per_page", 30), number("page", 1));
    let entries: Vec<&Value> = entries.skip((page - 1) * size).take(size).collect();
    Answer::new(200, json!(entries))
}

fn has_id(entry: &Value, id: &str) -> bool {
    id.parse().is_ok_and(|id: u64| entry["id"] == id)
}

fn find<'a>(entries: &'a mut [Value], id: &str) -> Option<&'a mut Value> {
    entries.iter_mut().find(|entry| has_id(entry, id))
}

fn annotations(body: &Value) -> impl Iterator<Item = &Value> {
    body["output"]["annotations"].as_array().into_iter().flatten()
}

/// Limits that GitHub documents only in prose, not in its schema: columns require a single line,
/// and the end cannot come before the start.
fn invalid_position(annotation: &Value) -> Option<String> {
    let at = |name: &str| annotation[name].as_u64();
    let lines = at("start_line") <= at("end_line");
    let columns = match (at("start_column"), at("end_column")) {
        (None, None) => true,
        (Some(start), Some(end)) => at("start_line") == at("end_line") && start <= end,
        _ => false,
    };
    (!lines || !columns).then(|| format!("invalid position: {annotation}"))
}

/// A check run as GitHub shows it.
fn check_run(run: &Value) -> Value {
    let id = &run["id"];
    json!({
        "id": id,
        "name": run["name"],
        "head_sha": run["head_sha"],
        "external_id": run["external_id"],
        "html_url": format!("https://github.com/octo/demo/runs/{id}"),
        "status": run["status"],
        "conclusion": run["conclusion"],
        "output": {
            "title": run["output"]["title"],
            "summary": run["output"]["summary"],
            "text": null,
            "annotations_count": annotations(run).count(),
        },
    })
}

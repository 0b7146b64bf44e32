//! Tests that can reach a function over HTTP: test files that contain the path, the name or the helper of
//! a route whose handler reaches it. Requests are not followed, so such a test is only possible.

use super::context::TEST_DEPTH;
use super::{Reader, RouteRow};
use crate::IndexError;
use crate::facts::MAX_BYTES;
use aidd_engine::text::files::Files;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Maximum number of symbols that the search for handlers visits.
const MAX_VISITED: usize = 400;
/// Maximum number of routes whose tests are searched.
const MAX_ROUTES: u32 = 120;
/// Maximum number of lines after the start of a declaration in which its name is searched.
const MAX_LINES: usize = 6;
/// Minimum length of the fixed start of a path.
const MIN_START: usize = 3;
/// The functions that return the address of a named route.
const ADDRESS_FUNCTIONS: [&str; 8] = [
    "reverse(",
    "reverse_lazy(",
    "redirect(",
    "resolve_url(",
    "route(",
    "to_route(",
    "url(",
    "url_for(",
];

/// What of a route a test can contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Wanted {
    /// The segments of the path; `None` for a parameter.
    segments: Vec<Option<String>>,
    /// The name of the route.
    name: Option<String>,
    /// The helpers of Rails that return the address.
    helpers: Vec<String>,
}

impl Reader {
    /// The routes whose handlers are the symbols `ids`, contain them, or call them within
    /// [`TEST_DEPTH`] calls.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn routes_to(&self, ids: &[i64]) -> Result<Vec<RouteRow>, IndexError> {
        let above = "SELECT r.source FROM refs r WHERE r.target = ?1 AND r.source IS NOT NULL
            AND r.kind IN ('call', 'new') UNION SELECT parent FROM symbols WHERE id = ?1 AND parent IS NOT NULL";
        let is_handler = "SELECT 1 FROM declared_routes WHERE handler = ?1 LIMIT 1";
        let mut seen: BTreeSet<i64> = ids.iter().copied().collect();
        let mut pending: VecDeque<(i64, usize)> = ids.iter().map(|id| (*id, 0)).collect();
        let mut routes: Vec<RouteRow> = Vec::new();
        while let Some((id, depth)) = pending.pop_front() {
            if !self.rows(is_handler, &[&id], |row| row.get::<_, i64>(0))?.is_empty() {
                routes.extend(self.routes_of(id, MAX_ROUTES)?);
            }
            if depth == TEST_DEPTH || seen.len() > MAX_VISITED {
                continue;
            }
            for next in self.rows(above, &[&id], |row| row.get::<_, i64>(0))? {
                if seen.insert(next) {
                    pending.push_back((next, depth + 1));
                }
            }
        }
        routes.sort_by(|a, b| (&a.path, &a.method).cmp(&(&b.path, &b.method)));
        routes.truncate(MAX_ROUTES as usize);
        Ok(routes)
    }

    /// The handlers of routes in the file at `path`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn handlers_in(&self, path: &str) -> Result<Vec<i64>, IndexError> {
        let sql = "SELECT DISTINCT s.id FROM declared_routes r JOIN symbols s ON s.id = r.handler
            JOIN files f ON f.id = s.file WHERE f.path = ?1";
        self.rows(sql, &[&path], |row| row.get(0))
    }

    /// The test files that contain the path, the name or the helper of one of `routes`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn http_tests(
        &self,
        routes: &[RouteRow],
        files: &dyn Files,
    ) -> Result<Vec<String>, IndexError> {
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        for route in routes {
            let lines = texts.entry(&route.file).or_insert_with(|| read(files, &route.file));
            let declaration = lines.lines().skip(route.line.saturating_sub(1) as usize);
            let found = Wanted {
                segments: segments(&route.path),
                name: name(declaration),
                helpers: if route.framework == "rails" { helpers(&route.path) } else { Vec::new() },
            };
            if !wanted.contains(&found) {
                wanted.push(found);
            }
        }
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let sql = "SELECT path FROM files f WHERE f.test
            OR EXISTS(SELECT 1 FROM symbols s WHERE s.file = f.id AND s.test) ORDER BY path";
        let tests: Vec<String> = self.rows(sql, &[], |row| row.get(0))?;
        let contains = |path: &String| {
            let text = read(files, path);
            wanted.iter().any(|wanted| wanted.is_in(&text))
        };
        Ok(tests.into_iter().filter(contains).collect())
    }
}

fn read(files: &dyn Files, path: &str) -> String {
    let bytes = files.read(path, MAX_BYTES).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The segments of a path.
fn segments(path: &str) -> Vec<Option<String>> {
    let path = path.trim_start_matches('^').trim_end_matches('$').trim_end_matches("(.:format)");
    let parts = path.split('/').filter(|part| !part.is_empty());
    let is_fixed = |part: &str| !part.contains(['{', '}', '<', '>', ':', '*', '[', '(', '\\', '?']);
    parts.map(|part| is_fixed(part).then(|| part.to_owned())).collect()
}

/// The name of the route that is declared in `lines`: `name="x"`, `.name('x')`, `name: "x"`.
fn name<'l>(lines: impl Iterator<Item = &'l str>) -> Option<String> {
    for line in lines.take(MAX_LINES) {
        for (at, _) in line.match_indices("name") {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let rest = line[at + "name".len()..].trim_start();
            let Some(rest) = rest.strip_prefix(['=', '(', ':']) else { continue };
            let rest = rest.trim_start();
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
                continue;
            };
            if line[..at].ends_with(is_word) {
                continue;
            }
            let inner = &rest[1..];
            return inner.find(quote).map(|end| inner[..end].to_owned()).filter(|n| n.len() > 2);
        }
        let end = line.trim_end();
        if end.ends_with(';') || end.ends_with("),") || end.ends_with(')') {
            return None;
        }
    }
    None
}

/// The helpers of Rails for a path, without `_path` and `_url`: `/accounts/:id/edit` → `edit_account`.
fn helpers(path: &str) -> Vec<String> {
    let all = segments(path);
    let (mut names, mut action): (Vec<String>, Option<&str>) = (Vec::new(), None);
    for (at, segment) in all.iter().enumerate() {
        let Some(word) = segment else { continue };
        let is_last = at + 1 == all.len();
        if is_last && at > 0 && matches!(&**word, "new" | "edit") {
            action = Some(word.as_str());
            if word == "new"
                && let Some(last) = names.pop()
            {
                names.push(singular(&last));
            }
            continue;
        }
        names.push(match all.get(at + 1) {
            Some(None) => singular(&word.replace('-', "_")),
            _ => word.replace('-', "_"),
        });
    }
    if names.is_empty() {
        return Vec::new();
    }
    let name: Vec<&str> = action.into_iter().chain(names.iter().map(String::as_str)).collect();
    vec![name.join("_")]
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let stem = ["sses", "shes", "ches", "xes"].iter().any(|end| word.ends_with(end));
    let cut = if stem { 2 } else { usize::from(word.ends_with('s') && !word.ends_with("ss")) };
    word[..word.len() - cut].to_owned()
}

impl Wanted {
    fn is_in(&self, text: &str) -> bool {
        self.has_path(text) || self.has_name(text) || self.has_helper(text)
    }

    /// Whether a string in `text` has the path, with values or placeholders as parameters.
    fn has_path(&self, text: &str) -> bool {
        let fixed: Vec<&str> = self.segments.iter().map_while(|part| part.as_deref()).collect();
        let start = fixed.join("/");
        if start.len() < MIN_START || !start.contains(|c: char| c.is_alphabetic()) {
            return false;
        }
        let rest = &self.segments[fixed.len()..];
        text.match_indices(&start).any(|(at, _)| {
            let before = &text[..at];
            let is_start = match before.strip_suffix('/') {
                Some(host) => host.ends_with(['"', '\'', '`', '}']),
                None => before.ends_with(['"', '\'', '`']),
            };
            is_start && is_path_end(&text[at + start.len()..], rest)
        })
    }

    fn has_name(&self, text: &str) -> bool {
        let Some(name) = &self.name else { return false };
        text.match_indices(name.as_str()).any(|(at, _)| {
            let before =
                text[..at].trim_end_matches(|c: char| c.is_alphanumeric() || "-_:.".contains(c));
            let after = &text[at + name.len()..];
            let opening = before.strip_suffix(['"', '\'']).unwrap_or_default();
            after.starts_with(['"', '\''])
                && ADDRESS_FUNCTIONS.iter().any(|function| opening.ends_with(function))
        })
    }

    fn has_helper(&self, text: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        self.helpers.iter().any(|helper| {
            text.match_indices(helper.as_str()).any(|(at, _)| {
                let after = &text[at + helper.len()..];
                let after = after.strip_prefix("_path").or_else(|| after.strip_prefix("_url"));
                !text[..at].ends_with(is_word)
                    && after.is_some_and(|after| !after.starts_with(is_word))
            })
        })
    }
}

/// Whether the string continues with these segments and then ends. Where a parameter is added with an
/// operator, the string ends before it.
fn is_path_end(text: &str, segments: &[Option<String>]) -> bool {
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    let mut text = text;
    for segment in segments {
        let Some(rest) = text.strip_prefix('/') else {
            return segment.is_none() && text.starts_with(QUOTES);
        };
        text = match segment {
            Some(word) => match rest.strip_prefix(word.as_str()) {
                Some(after) => after,
                None => return false,
            },
            None if rest.starts_with(QUOTES) => return true,
            None => {
                let is_end = |c: char| matches!(c, '/' | '"' | '\'' | '`' | '\n' | '#' | '?');
                let value = rest.strip_prefix("#{").unwrap_or(rest);
                &value[value.find(is_end).unwrap_or(value.len())..]
            }
        };
    }
    let text = text.strip_prefix('/').unwrap_or(text);
    text.starts_with(['"', '\'', '`', '?', '#'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(path: &str) -> Wanted {
        Wanted { segments: segments(path), name: None, helpers: helpers(path) }
    }

    #[test]
    fn strings_with_the_path_are_found() {
        let found = [
            ("/ping/{code}", "self.url = \"/ping/%s\" % code"),
            ("/ping/<uuid:code>/fail/", "client.post(f\"/ping/{self.check.code}/fail/\")"),
            ("api/songs/{song}", "$this->putAs(\"api/songs/{$song->id}\", $data)"),
            ("/api/songs/{song}", "getJson('api/songs/' . $song->id)"),
            ("/accounts/:id", "get \"/accounts/#{account.id}\""),
            ("/users", "request(app).get(`/users?page=${page}`)"),
            ("/users/:id", "fetch(`${base}/users/7`)"),
        ];
        for (path, text) in found {
            assert!(wanted(path).has_path(text), "{path} in {text}");
        }
        let others = [
            ("/ping/{code}", "client.get(\"/ping/x/fail\")"),
            ("/ping/{code}/fail", "client.get(\"/ping/x\")"),
            ("/users", "import x from './users'"),
            ("/users", "# the users of \"app/users\""),
            ("/{id}", "get('/7')"),
            ("/", "get('/')"),
            ("/users", "get('/usersettings')"),
        ];
        for (path, text) in others {
            assert!(!wanted(path).has_path(text), "{path} in {text}");
        }
    }

    #[test]
    fn names_and_helpers_are_found() {
        let line = ["    path(\"ping/\", views.ping, name=\"hc-ping\"),"];
        let django = Wanted { name: name(line.into_iter()), ..Wanted::default() };
        assert_eq!(django.name.as_deref(), Some("hc-ping"));
        assert!(django.has_name("url = reverse(\"api:hc-ping\", args=[1])"));
        assert!(!django.has_name("assert kind == \"hc-ping\""));
        assert_eq!(name(["Route::get('a', B::class)", "  ->name('a.show');"].into_iter()), None);
        let laravel = ["Route::get('a', B::class)->name('a.show');"];
        assert_eq!(name(laravel.into_iter()).as_deref(), Some("a.show"));
        let helper = |path: &str| wanted(path).helpers.pop().unwrap_or_default();
        assert_eq!(helper("/accounts"), "accounts");
        assert_eq!(helper("/accounts/:id"), "account");
        assert_eq!(helper("/accounts/new"), "new_account");
        assert_eq!(helper("/accounts/:id/edit"), "edit_account");
        assert_eq!(helper("/categories/:category_id/entries"), "category_entries");
        assert!(wanted("/accounts/:id").has_helper("get account_url(@account)"));
        assert!(!wanted("/accounts/:id").has_helper("get edit_account_url(@account)"));
    }
}

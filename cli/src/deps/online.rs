//! Asks registries for the versions of the project's dependencies: the registries that the
//! project's own tools are configured for. No credentials are sent. Whatever a registry does not
//! answer is "not checked".

use super::NOT_CHECKED;
use aidd_engine::forms::dependencies::table::{DependencyRow, DependencyTable, PublishedVersions};
use aidd_engine::project::declared::Origin;
use aidd_engine::project::ranges::compare;
use aidd_engine::project::registries::answer::{Published, Request, read, request};
use aidd_engine::project::registries::{self, Package, UserSettings};
use aidd_engine::project::stack::Ecosystem;
use aidd_engine::text::files::Files;
use aidd_report::one_line;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering as AtomicOrdering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// The time limit for one request.
const REQUEST_TIME: Duration = Duration::from_secs(15);

/// The time limit for all requests.
const TOTAL_TIME: Duration = Duration::from_secs(180);

/// Maximum number of simultaneous requests.
const CONNECTIONS: usize = 8;

/// Maximum size of a response in bytes. The response for a package of npm with thousands of versions
/// has several megabytes.
const MAX_RESPONSE: u64 = 48 << 20;

/// Maximum number of redirections of one request.
const MAX_REDIRECTS: u32 = 3;

/// Maximum length in characters of a text from a registry.
const MAX_TEXT: usize = 160;

/// The outcome of the requests for one package, or of one request.
#[derive(Clone)]
enum Outcome {
    Published(Published),
    Missing,
    NotChecked(String),
}

/// The key of a question: packages with the same registries and name are queried once.
type Question = (Ecosystem, String, Vec<Request>);

/// Asks the registries of all dependencies, and adds the answers to the rows of `table`. Returns the
/// hosts that were queried.
pub(super) fn ask(table: &mut DependencyTable, files: &dyn Files) -> BTreeSet<String> {
    let user = user_settings();
    let questions: Vec<Option<Result<Question, String>>> =
        table.dependencies.iter().map(|row| question(row, files, &user)).collect();
    let mut answers: BTreeMap<Question, Outcome> = BTreeMap::new();
    {
        let wanted: BTreeSet<&Question> =
            questions.iter().flatten().filter_map(|question| question.as_ref().ok()).collect();
        answers.extend(send_all(&wanted.into_iter().collect::<Vec<_>>()));
    }
    let hosts =
        answers.keys().flat_map(|(.., requests)| requests).map(|request| host(&request.url));
    let hosts = hosts.collect();
    for (row, question) in table.dependencies.iter_mut().zip(questions) {
        match question {
            None => {}
            Some(Err(why)) => row.published = Some(PublishedVersions::NotChecked(why)),
            Some(Ok(question)) => {
                let outcome = answers.get(&question).cloned();
                let outcome =
                    outcome.unwrap_or_else(|| Outcome::NotChecked("not queried".to_owned()));
                add_to_row(row, outcome);
            }
        }
    }
    hosts
}

/// What to query for a row, or why nothing is queried; `None` if the package is not from a registry.
fn question(
    row: &DependencyRow,
    files: &dyn Files,
    user: &UserSettings,
) -> Option<Result<Question, String>> {
    if row.origin != Origin::Registry {
        return None;
    }
    let package = Package {
        manifest: &row.manifest,
        ecosystem: row.ecosystem,
        name: &row.name,
        registry: row.registry.as_deref(),
        repositories: &row.repositories,
    };
    let to_requests = |urls: Vec<String>| {
        let requests = urls.iter().map(|url| request(row.ecosystem, url, &row.name));
        requests.collect::<Option<Vec<Request>>>().ok_or_else(|| "the name is not valid".to_owned())
    };
    let requests = registries::find(files, user, package)
        .map_err(|error| error.to_string())
        .and_then(to_requests);
    Some(requests.map(|requests| (row.ecosystem, row.name.clone(), requests)))
}

/// Sends the requests of all questions, several at a time.
fn send_all(questions: &[&Question]) -> BTreeMap<Question, Outcome> {
    let agent = agent();
    let deadline = Instant::now() + TOTAL_TIME;
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS.min(questions.len()) {
            scope.spawn(|| {
                while let Some(question) = questions.get(next.fetch_add(1, AtomicOrdering::Relaxed))
                {
                    let outcome = if Instant::now() < deadline {
                        answer(&agent, question)
                    } else {
                        let seconds = TOTAL_TIME.as_secs();
                        Outcome::NotChecked(format!("time limit of {seconds} s exceeded"))
                    };
                    let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                    answers.insert((*question).clone(), outcome);
                }
            });
        }
    });
    answers.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The answer of the first registry that has the package.
fn answer(agent: &Agent, (ecosystem, name, requests): &Question) -> Outcome {
    let mut missing_at = Vec::new();
    for request in requests {
        match send(agent, *ecosystem, name, request) {
            Outcome::Missing => missing_at.push(host(&request.url)),
            other => return other,
        }
    }
    // A project of Maven or Gradle can have repositories that its manifest does not list.
    if *ecosystem == Ecosystem::Maven {
        let hosts = missing_at.join(", ");
        return Outcome::NotChecked(format!("not in {hosts}; other repositories are not queried"));
    }
    Outcome::Missing
}

fn send(agent: &Agent, ecosystem: Ecosystem, name: &str, request: &Request) -> Outcome {
    let host = host(&request.url);
    let not_checked = |why: &str| Outcome::NotChecked(format!("{host}: {why}"));
    let response = agent.get(&request.url).header("accept", request.accept).call();
    let mut response = match response {
        Ok(response) => response,
        Err(error) => return not_checked(&error.to_string()),
    };
    match response.status().as_u16() {
        200 => {}
        404 | 410 => return Outcome::Missing,
        status @ (401 | 403) => {
            return not_checked(&format!("HTTP {status}; no credentials are sent"));
        }
        status => return not_checked(&format!("HTTP {status}")),
    }
    match response.body_mut().with_config().limit(MAX_RESPONSE).read_to_string() {
        Err(error) => not_checked(&error.to_string()),
        Ok(text) => match read(ecosystem, name, &text) {
            Some(published) => Outcome::Published(published),
            None => not_checked("the response does not list versions"),
        },
    }
}

/// The HTTP client. It uses the proxy that the environment sets, and the certificates of the system.
fn agent() -> Agent {
    let native = rustls_native_certs::load_native_certs().certs;
    let certificates: Vec<Certificate<'static>> =
        native.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
    let roots = match certificates.is_empty() {
        true => RootCerts::WebPki,
        false => RootCerts::from(certificates),
    };
    Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(REQUEST_TIME))
        .max_redirects(MAX_REDIRECTS)
        .user_agent(concat!("aidd/", env!("CARGO_PKG_VERSION")))
        .tls_config(TlsConfig::builder().root_certs(roots).build())
        .build()
        .into()
}

/// The host and port of a URL.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default().to_owned()
}

fn add_to_row(row: &mut DependencyRow, outcome: Outcome) {
    let published = match outcome {
        Outcome::NotChecked(why) => {
            row.published = Some(PublishedVersions::NotChecked(shorten(&why)));
            return;
        }
        Outcome::Missing => {
            row.notes.push("not in the registry".to_owned());
            row.published = Some(PublishedVersions::Missing);
            return;
        }
        Outcome::Published(published) => published,
    };
    for version in &row.locked {
        // Go and Composer write some versions with, some without `v` and a suffix.
        let is_exact = !matches!(row.ecosystem, Ecosystem::Go | Ecosystem::Composer);
        if let Some(why) = published.withdrawn(version) {
            row.notes.push(shorten(&format!("{version} is {why}")));
        } else if is_exact && !published.has(version) {
            row.notes.push(format!("{version} is not in the registry"));
        }
    }
    let Some(latest) = published.latest else {
        let why = "the registry has no stable version";
        row.published = Some(PublishedVersions::NotChecked(why.to_owned()));
        return;
    };
    let latest = shorten(&latest);
    let is_newer =
        |locked: &String| compare(row.ecosystem, &latest, locked) == Some(Ordering::Greater);
    if row.locked.is_empty() || row.locked.iter().all(is_newer) {
        row.notes.push(format!("newest version {latest}"));
    }
    row.published = Some(PublishedVersions::Latest(latest));
}

/// The beginning of a text from a registry, on one line.
fn shorten(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The settings in the environment and in the home directory of the user.
fn user_settings() -> UserSettings {
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let home = std::env::home_dir();
    let read = |path: Option<PathBuf>| fs::read_to_string(path?).ok();
    let in_home = |path: &str| read(home.as_ref().map(|home| home.join(path)));
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let config = variable("XDG_CONFIG_HOME");
    let in_config = |path: &str| {
        let dir = config.clone().or_else(|| home.as_ref().map(|home| home.join(".config")));
        read(dir.map(|dir| dir.join(path)))
    };
    let cargo_home = variable("CARGO_HOME").map(|dir| dir.join("config.toml"));
    UserSettings {
        variables,
        npmrc: read(variable("NPM_CONFIG_USERCONFIG")).or_else(|| in_home(".npmrc")),
        cargo: read(cargo_home).or_else(|| in_home(".cargo/config.toml")),
        pip: read(variable("PIP_CONFIG_FILE"))
            .or_else(|| in_config("pip/pip.conf"))
            .or_else(|| in_home(".pip/pip.conf")),
        go: read(variable("GOENV")).or_else(|| in_config("go/env")),
        maven: in_home(".m2/settings.xml"),
    }
}

/// The summary of the newer versions, in one line.
pub(super) fn summary(rows: &[DependencyRow], hosts: &BTreeSet<String>) -> String {
    let mut counts = (0, 0, 0);
    let mut reasons: BTreeSet<&str> = BTreeSet::new();
    for row in rows {
        match &row.published {
            Some(PublishedVersions::Latest(latest)) => {
                counts.0 += usize::from(row.notes.iter().any(|note| {
                    note.strip_prefix("newest version ") == Some(latest) && !row.locked.is_empty()
                }));
            }
            Some(PublishedVersions::Missing) => counts.1 += 1,
            Some(PublishedVersions::NotChecked(why)) => {
                counts.2 += 1;
                reasons.insert(why);
            }
            None => {}
        }
    }
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let queried = if hosts.is_empty() { "no registry".to_owned() } else { hosts.join(", ") };
    let (newer, missing, unknown) = counts;
    let mut text = format!(
        "newer versions: {newer} available, {missing} not in the registry, {unknown} {NOT_CHECKED}; queried {queried}"
    );
    for why in reasons.iter().take(MAX_REASONS) {
        text.push_str("\n  not checked: ");
        text.push_str(why);
    }
    if reasons.len() > MAX_REASONS {
        text.push_str(&format!("\n  {} more reasons", reasons.len() - MAX_REASONS));
    }
    text
}

/// Maximum number of reasons in the summary.
const MAX_REASONS: usize = 5;

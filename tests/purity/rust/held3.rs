//! Router, sessions and configuration of a small embedded web console.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::env;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, RwLock};
use std::time::{Duration, Instant};

#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Default)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

#[derive(Debug, Clone)]
pub struct Config {
    pub port: u16,
    pub root: String,
}

pub trait Handler {
    fn handle(&self, request: &Request) -> Reply;
}

type Sessions = Arc<RwLock<BTreeMap<u32, Instant>>>;

const REASONS: [(u16, &str); 4] = [
    (200, "OK"),
    (302, "Found"),
    (404, "Not Found"),
    (500, "Server Error"),
];
static NEXT_SESSION: AtomicU32 = AtomicU32::new(1);
static CONFIG: LazyLock<Config> = LazyLock::new(load_config);
static MIME: LazyLock<BTreeMap<&str, &str>> =
    LazyLock::new(|| BTreeMap::from([("html", "text/html"), ("js", "text/javascript")]));
static FLASH: Mutex<Option<String>> = Mutex::new(None);

thread_local! {
    static RECENT: RefCell<Vec<String>> = RefCell::default();
}

pub fn load_config() -> Config {
    let port = env::var("CONSOLE_PORT")
        .ok()
        .and_then(|p| p.parse().ok())
        .unwrap_or(7000);
    Config {
        port,
        root: env::var("CONSOLE_ROOT").unwrap_or_else(|_| "public".into()),
    }
}

pub fn parse_config(text: &str) -> Config {
    let mut config = Config {
        port: 7000,
        root: String::from("public"),
    };
    for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
        match key.trim() {
            "port" => config.port = value.trim().parse().unwrap_or(config.port),
            "root" => config.root = value.trim().to_string(),
            _ => continue,
        }
    }
    config
}

pub fn override_config(config: &mut Config, args: &[String]) {
    for pair in args.chunks_exact(2) {
        if pair[0] == "--port" {
            config.port = pair[1].parse().unwrap_or(config.port);
        }
    }
}

pub fn configured(base: &Config, args: &[String]) -> Config {
    let mut config = base.clone();
    override_config(&mut config, args);
    config
}

pub fn base_url() -> String {
    format!("http://localhost:{}", CONFIG.port)
}

pub fn absolute(path: &str) -> String {
    format!("{}/{}", base_url(), path.trim_start_matches('/'))
}

pub fn mime_for(path: &str) -> &'static str {
    let ext = path.rsplit('.').next().unwrap_or("");
    MIME.get(ext).copied().unwrap_or("application/octet-stream")
}

pub fn reason(status: u16) -> &'static str {
    match REASONS.iter().find(|(code, _)| *code == status) {
        Some((_, text)) => text,
        None => "Unknown",
    }
}

impl FromStr for Request {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut lines = text.lines();
        let mut head = lines.next().ok_or("empty request")?.split(' ');
        let (Some(method), Some(path)) = (head.next(), head.next()) else {
            return Err("bad request line".into());
        };
        let mut headers = BTreeMap::new();
        for line in lines.take_while(|line| !line.is_empty()) {
            if let Some((name, value)) = line.split_once(':') {
                headers.insert(name.to_lowercase(), value.trim().to_string());
            }
        }
        Ok(Request {
            method: method.into(),
            path: path.into(),
            headers,
        })
    }
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(&name.to_lowercase()).map(String::as_str)
    }

    pub fn session(&self) -> Option<u32> {
        let cookies = self.header("cookie")?;
        let mut pairs = cookies
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == "session")?.1.parse().ok()
    }

    pub fn strip_prefix(&mut self, prefix: &str) -> bool {
        match self.path.strip_prefix(prefix).map(str::to_owned) {
            Some(rest) => {
                self.path = rest;
                true
            }
            None => false,
        }
    }

    pub fn remember(&self) -> usize {
        RECENT.with_borrow_mut(|recent| {
            recent.push(self.path.clone());
            recent.len()
        })
    }
}

impl Reply {
    pub fn text(body: &str) -> Reply {
        Reply::default()
            .status(200)
            .with("content-type", "text/plain")
            .body(body)
    }

    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_string(), value.to_string()));
        self
    }

    pub fn body(self, body: &str) -> Self {
        Reply {
            body: body.to_owned(),
            ..self
        }
    }

    pub fn set_header(&mut self, name: &str, value: String) -> Option<String> {
        let slot = self.headers.iter_mut().find(|(n, _)| n == name)?;
        Some(std::mem::replace(&mut slot.1, value))
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.body.len() + 64);
        let _ = write!(out, "HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            let _ = write!(out, "{name}: {value}\r\n");
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(self.body.as_bytes());
        out
    }

    pub fn send(&self, stream: &mut TcpStream) -> io::Result<()> {
        stream.write_all(&self.encode())?;
        stream.flush()
    }
}

pub fn set_flash(message: &str) {
    *FLASH.lock().unwrap() = Some(message.to_string());
}

pub fn take_flash() -> Option<String> {
    FLASH.lock().ok()?.take()
}

pub fn page(title: &str, content: &str) -> Reply {
    let notice = take_flash()
        .map(|text| format!("<p>{text}</p>"))
        .unwrap_or_default();
    Reply::text(&format!("<h1>{title}</h1>{notice}{content}"))
}

pub fn fragment(title: &str, content: &str) -> Reply {
    let mut html = String::from("<section>");
    html += &format!("<h2>{title}</h2>");
    html += content;
    html += "</section>";
    Reply::text(&html)
}

pub fn redirect(path: &str) -> Reply {
    Reply::default()
        .status(302)
        .with("location", &absolute(path))
}

pub fn new_session(sessions: &Sessions) -> u32 {
    let id = NEXT_SESSION.fetch_add(1, Ordering::Relaxed);
    sessions.write().unwrap().insert(id, Instant::now());
    id
}

pub fn evict(sessions: &Sessions, now: Instant, ttl: Duration) {
    let mut guard = sessions.write().unwrap();
    guard.retain(|_, opened| now.duration_since(*opened) < ttl);
}

pub fn expired(opened: &BTreeMap<u32, Instant>, ttl: Duration) -> Vec<u32> {
    opened
        .iter()
        .filter(|(_, at)| at.elapsed() >= ttl)
        .map(|(id, _)| *id)
        .collect()
}

pub fn expired_at(opened: &BTreeMap<u32, Instant>, now: Instant, ttl: Duration) -> Vec<u32> {
    let old = |at: &Instant| now.duration_since(*at) >= ttl;
    opened
        .iter()
        .filter(|(_, at)| old(at))
        .map(|(id, _)| *id)
        .collect()
}

pub fn matches(pattern: &str, path: &str) -> Option<Vec<String>> {
    let (left, right): (Vec<_>, Vec<_>) = (pattern.split('/').collect(), path.split('/').collect());
    if left.len() != right.len() {
        return None;
    }
    let mut captured = vec![];
    for (part, given) in left.into_iter().zip(right) {
        if part.starts_with(':') {
            captured.push(given.to_string());
        } else if part != given {
            return None;
        }
    }
    Some(captured)
}

pub fn dispatch(routes: &[(String, Box<dyn Handler>)], request: &Request) -> Reply {
    match routes
        .iter()
        .find(|(pattern, _)| matches(pattern, &request.path).is_some())
    {
        Some((_, handler)) => handler.handle(request),
        None => Reply::default().status(404),
    }
}

pub fn dispatch_logged(routes: &[(String, Box<dyn Handler>)], request: &Request) -> Reply {
    let reply = dispatch(routes, request);
    println!("{} {} {}", request.method, request.path, reply.status);
    reply
}

pub fn around<T>(before: impl FnOnce(), body: impl FnOnce() -> T) -> T {
    before();
    body()
}

pub fn read_request(stream: &mut TcpStream) -> io::Result<Request> {
    let mut buffer = [0; 4096];
    let n = stream.read(&mut buffer)?;
    let text = String::from_utf8_lossy(&buffer[..n]);
    text.parse()
        .map_err(|why: String| io::Error::new(io::ErrorKind::InvalidData, why))
}

pub fn serve(config: &Config, routes: &[(String, Box<dyn Handler>)]) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", config.port))?;
    for stream in listener.incoming() {
        let mut stream = stream?;
        let request = read_request(&mut stream)?;
        dispatch(routes, &request).send(&mut stream)?;
    }
    Ok(())
}

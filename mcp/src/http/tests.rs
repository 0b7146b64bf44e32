//! Tests the access control of the HTTP server.

use super::*;
use crate::profile::Profile;
use crate::testing::server;
use hyper::body::Frame;
use serde_json::{Value, json};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

const TOKEN: &str = "correct-horse-battery";

fn local_options() -> HttpOptions {
    HttpOptions { address: "127.0.0.1:0".into(), ..HttpOptions::default() }
}

fn with_token(name: &str) -> Option<String> {
    (name == TOKEN_VARIABLE).then(|| TOKEN.to_owned())
}

fn no_variables(_: &str) -> Option<String> {
    None
}

/// A running server.
struct RunningServer {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Result<()>>,
    _folder: tempfile::TempDir,
}

async fn start_server(options: HttpOptions, environment: Environment) -> RunningServer {
    let folder = tempfile::tempdir().expect("a directory");
    let server = server(folder.path(), Profile::Engine);
    let (report_address, address) = oneshot::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(async move {
        let end = async {
            let _ = stopped.await;
        };
        serve(
            server,
            &options,
            environment,
            |address| report_address.send(address).expect("received"),
            end,
        )
        .await
    });
    let address = address.await.expect("an address");
    RunningServer { address, stop, serving, _folder: folder }
}

/// Sends a request with additional headers; returns status and body.
async fn send(
    address: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.expect("connected");
    let mut head = format!(
        "POST {path} HTTP/1.1\r\nContent-Length: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\n",
        body.len()
    );
    if !headers.iter().any(|(name, _)| *name == "Host") {
        head += &format!("Host: {address}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all(head.as_bytes()).await.expect("written");
    stream.write_all(b"\r\n").await.expect("written");
    // The server can close the connection before the whole request is written.
    let _ = stream.write_all(body.as_bytes()).await;
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response).await;
    let response = String::from_utf8_lossy(&response).into_owned();
    let status = response.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    (status, response)
}

fn initialize_request() -> String {
    let info = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string()
}

fn block_on(test: impl Future<Output = ()>) {
    Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(test);
}

fn validation_error(options: &HttpOptions, environment: Environment) -> String {
    options.validate(environment).expect_err("refused").to_string()
}

#[test]
fn a_non_loopback_address_requires_a_token() {
    let listen_on =
        |address: &str| HttpOptions { address: address.into(), ..HttpOptions::default() };
    assert!(validation_error(&listen_on("0.0.0.0:80"), no_variables).contains("requires a token"));
    assert!(validation_error(&listen_on("[::]:80"), no_variables).contains("requires a token"));
    assert!(
        validation_error(&listen_on("192.168.1.5:80"), no_variables).contains("requires a token")
    );
    assert!(listen_on("0.0.0.0:80").validate(with_token).is_ok());
    for address in ["127.0.0.1:80", "[::1]:80", "localhost:80"] {
        assert!(listen_on(address).validate(no_variables).is_ok(), "{address}");
    }
    assert!(
        validation_error(&listen_on("8080"), no_variables).contains("not an address with a port")
    );
    assert!(
        validation_error(&listen_on("127.0.0.1:80"), |_| Some("short".into()))
            .contains("must have at least 16")
    );
    let with_space = |_: &str| Some("sixteen characters".to_owned());
    assert!(
        validation_error(&listen_on("127.0.0.1:80"), with_space).contains("invalid in a header")
    );
}

#[test]
fn the_token_is_the_first_line_of_its_file() {
    let folder = tempfile::tempdir().expect("a directory");
    let file = folder.path().join("token");
    let options = HttpOptions { token_file: Some(file.clone()), ..local_options() };
    assert!(validation_error(&options, with_token).contains("token"));
    std::fs::write(&file, format!("{TOKEN}\nand a note\n")).expect("written");
    assert_eq!(
        options.validate(no_variables).expect("valid options").token.as_deref(),
        Some(TOKEN)
    );
    std::fs::write(&file, "\n").expect("written");
    assert!(validation_error(&options, with_token).contains("must have at least 16"));
}

#[test]
fn local_requests_are_accepted() {
    block_on(async {
        let running = start_server(local_options(), no_variables).await;
        let (status, response) = send(running.address, "/mcp", &[], &initialize_request()).await;
        assert_eq!(status, 200, "{response}");
        assert!(response.contains(r#""name":"aidd""#), "{response}");
        let local = [("Origin", "http://localhost:3000")];
        assert_eq!(send(running.address, "/mcp", &local, &initialize_request()).await.0, 200);
        assert_eq!(send(running.address, "/mcp/", &[], &initialize_request()).await.0, 200);
        assert_eq!(send(running.address, "/", &[], &initialize_request()).await.0, 404);
    });
}

#[test]
fn foreign_origins_are_rejected() {
    block_on(async {
        let running = start_server(local_options(), no_variables).await;
        for headers in [
            ("Origin", "https://evil.example.com"),
            ("Origin", "null"),
            ("Origin", "http://localhost.evil.example.com"),
            ("Host", "evil.example.com"),
        ] {
            let (status, response) =
                send(running.address, "/mcp", &[headers], &initialize_request()).await;
            assert_eq!(status, 403, "{headers:?}: {response}");
        }
        let options = HttpOptions {
            origins: vec!["https://app.example.com".into()],
            hosts: vec!["box.example.com".into()],
            ..local_options()
        };
        let running = start_server(options, no_variables).await;
        let named = [("Origin", "https://app.example.com"), ("Host", "box.example.com")];
        assert_eq!(send(running.address, "/mcp", &named, &initialize_request()).await.0, 200);
        let other = [("Origin", "https://app.example.org")];
        assert_eq!(send(running.address, "/mcp", &other, &initialize_request()).await.0, 403);
    });
}

/// Sends a CORS preflight request.
async fn preflight(address: SocketAddr, origin: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.expect("connected");
    let head = format!(
        "OPTIONS /mcp HTTP/1.1\r\nHost: {address}\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization,content-type,mcp-protocol-version\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("written");
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response).await;
    let response = String::from_utf8_lossy(&response).to_lowercase();
    let status = response.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    (status, response)
}

/// The value of a response header.
fn header<'a>(response: &'a str, name: &str) -> Option<&'a str> {
    let head = response.split("\r\n\r\n").next().unwrap_or_default();
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

#[test]
fn a_web_page_of_an_allowed_origin_can_call_the_server() {
    block_on(async {
        let page = "https://app.example.com";
        let options = HttpOptions { origins: vec![page.into()], ..local_options() };
        let running = start_server(options, with_token).await;
        let (status, response) = preflight(running.address, page).await;
        assert_eq!(status, 204, "{response}");
        assert_eq!(header(&response, "access-control-allow-origin"), Some(page));
        let methods = header(&response, "access-control-allow-methods").expect("methods");
        assert!(
            ["get", "post", "delete"].iter().all(|method| methods.contains(method)),
            "{methods}"
        );
        let headers = header(&response, "access-control-allow-headers").expect("headers");
        let headers: Vec<&str> = headers.split(", ").collect();
        for name in ["authorization", "content-type", "mcp-protocol-version", "mcp-session-id"] {
            assert!(headers.contains(&name), "{headers:?}");
        }
        // After the preflight, the browser sends the request; the page can read the session id and
        // the error.
        let authorization = format!("Bearer {TOKEN}");
        let with_token = [("Origin", page), ("Authorization", &*authorization)];
        for (headers, expected) in [(&with_token[..], 200), (&with_token[..1], 401)] {
            let (status, response) =
                send(running.address, "/mcp", headers, &initialize_request()).await;
            assert_eq!(status, expected, "{response}");
            assert_eq!(header(&response, "access-control-allow-origin"), Some(page), "{response}");
            assert_eq!(header(&response, "access-control-expose-headers"), Some("mcp-session-id"));
            assert!(header(&response, "vary").is_some_and(|vary| vary.contains("Origin")));
        }
        for other in ["https://evil.example.com", "null"] {
            let (status, response) = preflight(running.address, other).await;
            assert!((400..500).contains(&status), "{response}");
            assert!(!response.contains("access-control-allow"), "{response}");
        }
        let plain = [("Authorization", &*authorization)];
        let (_, response) = send(running.address, "/mcp", &plain, &initialize_request()).await;
        assert_eq!(header(&response, "access-control-allow-origin"), None, "{response}");
    });
}

#[test]
fn requests_without_the_token_are_rejected() {
    block_on(async {
        let running = start_server(local_options(), with_token).await;
        let send_authorization = |value: String| async move {
            send(running.address, "/mcp", &[("Authorization", &value)], &initialize_request()).await
        };
        let (status, response) = send(running.address, "/mcp", &[], &initialize_request()).await;
        assert_eq!(status, 401, "{response}");
        assert!(response.to_lowercase().contains("www-authenticate: bearer"), "{response}");
        for authorization in [
            "Bearer".to_owned(),
            "Bearer ".to_owned(),
            format!("Basic {TOKEN}"),
            format!("Bearer {TOKEN}x"),
            format!("Bearer {}", &TOKEN[1..]),
            format!("Bearer {}", &TOKEN[..TOKEN.len() - 1]),
            format!("Bearer {}", TOKEN.to_uppercase()),
        ] {
            assert_eq!(send_authorization(authorization.clone()).await.0, 401, "{authorization}");
        }
        assert_eq!(send_authorization(format!("Bearer {TOKEN}")).await.0, 200);
        assert_eq!(send_authorization(format!("bearer  {TOKEN}")).await.0, 200);
        // Paths outside the endpoint also require the token.
        assert_eq!(send(running.address, "/", &[], "").await.0, 401);
    });
}

#[test]
fn large_requests_are_rejected() {
    block_on(async {
        let running = start_server(local_options(), no_variables).await;
        let (status, _) =
            send(running.address, "/mcp", &[], &" ".repeat(MAX_REQUEST_BYTES + 1)).await;
        assert_eq!(status, 413);
        let (status, response) = send(running.address, "/mcp", &[], "no message").await;
        assert!((400..500).contains(&status), "{response}");
        assert_eq!(send(running.address, "/mcp", &[], &initialize_request()).await.0, 200);
    });
}

#[test]
fn the_newest_revision_needs_no_session() {
    block_on(async {
        let running = start_server(local_options(), no_variables).await;
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": "aidd_echo", "arguments": {"text": "hello"}, "_meta": meta});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers = [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "aidd_echo"),
        ];
        let (status, response) = send(running.address, "/mcp", &headers, &call.to_string()).await;
        assert_eq!(status, 200, "{response}");
        let data = response.lines().find_map(|line| {
            let line = line.strip_prefix("data:").unwrap_or(line).trim();
            serde_json::from_str::<Value>(line).ok().filter(|value| value.get("id").is_some())
        });
        let data = data.unwrap_or_else(|| panic!("{response}"));
        assert_eq!(data["result"]["structuredContent"]["text"], "hello");
    });
}

#[test]
fn the_server_shuts_down_with_open_connections() {
    block_on(async {
        let running = start_server(local_options(), no_variables).await;
        let mut idle = TcpStream::connect(running.address).await.expect("connected");
        idle.write_all(b"POST /mcp HTTP/1.1\r\n").await.expect("written");
        let start = Instant::now();
        running.stop.send(()).expect("received");
        running.serving.await.expect("no panic").expect("a clean exit");
        assert!(start.elapsed() < SHUTDOWN_TIMEOUT * 3, "{:?}", start.elapsed());
        assert!(TcpStream::connect(running.address).await.is_err());
    });
}

#[test]
fn slow_headers_and_bodies_do_not_keep_other_clients_out() {
    block_on(async {
        let running = start_server(local_options(), no_variables).await;
        let address = running.address;
        let mut slow = Vec::new();
        for rest in ["", "Content-Length: 1000\r\n\r\n{"] {
            for _ in 0..MAX_CONNECTIONS + 12 {
                let mut stream = TcpStream::connect(address).await.expect("connected");
                let sent = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\n{rest}");
                stream.write_all(sent.as_bytes()).await.expect("written");
                slow.push(stream);
            }
            let start = Instant::now();
            assert_eq!(send(address, "/mcp", &[], &initialize_request()).await.0, 200);
            assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        }
    });
}

/// A body of which nothing arrives.
struct SilentBody;

impl hyper::body::Body for SilentBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

#[test]
fn a_body_that_does_not_arrive_times_out() {
    block_on(async {
        let response = read_body(SilentBody, Duration::from_millis(20)).await.expect_err("late");
        assert_eq!(response.status(), StatusCode::REQUEST_TIMEOUT);
    });
}

#[test]
fn an_incomplete_body_is_reported() {
    block_on(async {
        let running = start_server(local_options(), no_variables).await;
        let mut stream = TcpStream::connect(running.address).await.expect("connected");
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 1000\r\n\r\n{{",
            running.address
        );
        stream.write_all(head.as_bytes()).await.expect("written");
        stream.shutdown().await.expect("shut down");
        let mut response = String::new();
        stream.read_to_string(&mut response).await.expect("read");
        assert!(response.starts_with("HTTP/1.1 400"), "{response:?}");
        assert_eq!(send(running.address, "/mcp", &[], &initialize_request()).await.0, 200);
    });
}

#[test]
fn an_address_in_use_is_reported() {
    block_on(async {
        let first = start_server(local_options(), no_variables).await;
        let other = HttpOptions { address: first.address.to_string(), ..HttpOptions::default() };
        let server = server(Path::new("."), Profile::Engine);
        let error = serve(server, &other, no_variables, |_| {}, std::future::pending()).await;
        assert!(format!("{:#}", error.expect_err("refused")).contains("cannot listen on"));
    });
}

#[test]
fn tokens_must_match_exactly() {
    assert!(constant_time_eq(b"abc", b"abc"));
    for other in [b"abd".as_slice(), b"ab", b"abcd", b"", b"Abc"] {
        assert!(!constant_time_eq(other, b"abc"));
    }
}

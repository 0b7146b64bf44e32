//! Streamable HTTP for multiple clients; only on loopback addresses unless a token is set.

mod cors;
mod slots;
#[cfg(test)]
mod tests;

use crate::Environment;
use anyhow::{Context as _, Result, bail, ensure};
use cors::Origins;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use slots::{Slot, Slots};
use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Path of the endpoint.
pub const PATH: &str = "/mcp";

/// Maximum size of a request body, in bytes.
const MAX_REQUEST_BYTES: usize = 4 << 20;

/// Maximum number of concurrent connections.
const MAX_CONNECTIONS: usize = 128;

/// Time after which a connection whose client is slow loses its slot to a new one.
const EVICTION_GRACE: Duration = Duration::from_millis(250);

/// Timeout for the request headers.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout for the request body, after the headers.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum time to wait for pending responses when the server shuts down.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Environment variable with the token.
const TOKEN_VARIABLE: &str = "AIDD_MCP_TOKEN";

/// Minimum length of a token, in characters.
const MIN_TOKEN_LENGTH: usize = 16;

/// Address and access settings of the server.
#[derive(Clone, Debug, Default)]
pub struct HttpOptions {
    /// Address such as `127.0.0.1:8765`; port 0 selects a free port.
    pub address: String,
    /// File whose first line clients must send as `Authorization: Bearer …`; without a file, the
    /// token is read from the variable `AIDD_MCP_TOKEN`.
    pub token_file: Option<PathBuf>,
    /// Host names of this machine that requests can use, in addition to loopback names.
    pub hosts: Vec<String>,
    /// Origins of web pages that can call the server (`https://app.example.com`), in addition to
    /// the origins of this machine.
    pub origins: Vec<String>,
}

/// Validated settings.
#[derive(Debug)]
struct ValidatedOptions {
    address: SocketAddr,
    token: Option<Arc<str>>,
}

impl HttpOptions {
    /// Validates the address and the token.
    fn validate(&self, environment: Environment) -> Result<ValidatedOptions> {
        let address = self.address.replace("localhost:", "127.0.0.1:");
        let address: SocketAddr = address.parse().with_context(|| {
            format!("`{}` is not an address with a port, such as 127.0.0.1:8765", self.address)
        })?;
        let token = self.token(environment)?;
        if let Some(token) = &token {
            ensure!(
                token.chars().count() >= MIN_TOKEN_LENGTH,
                "the token must have at least {MIN_TOKEN_LENGTH} characters"
            );
            let is_plain = token.bytes().all(|byte| byte.is_ascii_graphic());
            ensure!(is_plain, "the token contains characters that are invalid in a header");
        } else if !address.ip().is_loopback() {
            bail!(
                "{address} is reachable from other machines and requires a token; set {TOKEN_VARIABLE} or pass --token-file"
            );
        }
        Ok(ValidatedOptions { address, token: token.as_deref().map(Arc::from) })
    }

    fn token(&self, environment: Environment) -> Result<Option<String>> {
        let Some(file) = &self.token_file else {
            return Ok(environment(TOKEN_VARIABLE).filter(|token| !token.is_empty()));
        };
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        Ok(Some(text.lines().next().unwrap_or_default().trim().to_owned()))
    }

    /// The accepted `Host` values, as protection against DNS rebinding.
    fn allowed_hosts(&self, ip: IpAddr) -> Vec<String> {
        let mut hosts = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
        if !ip.is_loopback() {
            hosts.push(ip.to_string());
        }
        hosts.extend(self.hosts.iter().cloned());
        hosts
    }

    fn allowed_origins(&self) -> Vec<String> {
        let local = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:*"));
        local.into_iter().chain(self.origins.iter().cloned()).collect()
    }

    fn config(
        &self,
        ip: IpAddr,
        has_token: bool,
        cancellation: CancellationToken,
    ) -> StreamableHttpServerConfig {
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(self.allowed_origins())
            .enforce_origin_validation()
            .with_max_request_body_bytes(MAX_REQUEST_BYTES)
            .with_cancellation_token(cancellation);
        // With a token, any host name is accepted, because a machine can have many host names.
        if has_token && self.hosts.is_empty() && !ip.is_loopback() {
            config.disable_allowed_hosts()
        } else {
            config.with_allowed_hosts(self.allowed_hosts(ip))
        }
    }
}

/// Serves clients until `shutdown` completes.
///
/// # Errors
/// Fails when the address cannot be bound.
pub async fn serve<H>(
    handler: H,
    options: &HttpOptions,
    environment: Environment,
    on_listening: impl FnOnce(SocketAddr),
    shutdown: impl Future<Output = ()>,
) -> Result<()>
where
    H: ServerHandler + Clone + Send + Sync + 'static,
{
    let ValidatedOptions { address, token } = options.validate(environment)?;
    let listener =
        TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    on_listening(address);
    let stop = CancellationToken::new();
    let protocol = StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(LocalSessionManager::default()),
        options.config(address.ip(), token.is_some(), stop.child_token()),
    );
    let access =
        Arc::new(AccessControl { token, origins: Origins::new(&options.allowed_origins()) });
    let connections = TaskTracker::new();
    let slots = Slots::new(MAX_CONNECTIONS, EVICTION_GRACE);
    let accepting = async {
        loop {
            let Ok((stream, peer)) = listener.accept().await else {
                // The error can be temporary, such as too many open files.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let slot = Arc::new(slots.take(peer.ip()).await);
            let (protocol, access, stop) = (protocol.clone(), access.clone(), stop.clone());
            connections.spawn(async move {
                tokio::select! {
                    () = handle_connection(stream, protocol, access, slot.clone(), stop) => {}
                    () = slot.evicted() => {}
                }
            });
        }
    };
    tokio::select! {
        () = accepting => {}
        () = shutdown => {}
    }
    stop.cancel();
    connections.close();
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, connections.wait()).await;
    Ok(())
}

type Protocol<H> = StreamableHttpService<H, LocalSessionManager>;
type Body = BoxBody<Bytes, Infallible>;

/// Access checks before a request is handled.
struct AccessControl {
    token: Option<Arc<str>>,
    origins: Origins,
}

/// Serves one connection. On shutdown, finishes the current request of the connection.
async fn handle_connection<H>(
    stream: TcpStream,
    protocol: Protocol<H>,
    access: Arc<AccessControl>,
    slot: Arc<Slot>,
    stop: CancellationToken,
) where
    H: ServerHandler + Clone + Send + Sync + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let (protocol, access, slot) = (protocol.clone(), access.clone(), slot.clone());
        async move { Ok::<_, Infallible>(respond(request, &protocol, &access, &slot).await) }
    });
    let serving = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(serving);
    tokio::select! {
        // Connection errors are not reported here, because the client sees them.
        _ = serving.as_mut() => return,
        () = stop.cancelled() => serving.as_mut().graceful_shutdown(),
    }
    let _ = serving.await;
}

/// Adds CORS headers to the response for an allowed origin.
async fn respond<H>(
    request: Request<Incoming>,
    protocol: &Protocol<H>,
    access: &AccessControl,
    slot: &Arc<Slot>,
) -> Response<Body>
where
    H: ServerHandler + Clone + Send + Sync + 'static,
{
    let Some(origin) = access.origins.allowed(request.headers()) else {
        return respond_without_cors(request, protocol, access.token.as_deref(), slot).await;
    };
    // Browsers send the preflight request without the token.
    let mut response = if cors::is_preflight(&request) {
        cors::preflight(Response::new(Full::new(Bytes::new()).boxed()))
    } else {
        respond_without_cors(request, protocol, access.token.as_deref(), slot).await
    };
    cors::allow_origin(response.headers_mut(), origin);
    response
}

/// Checks the token and the path, and handles the request.
async fn respond_without_cors<H>(
    request: Request<Incoming>,
    protocol: &Protocol<H>,
    token: Option<&str>,
    slot: &Arc<Slot>,
) -> Response<Body>
where
    H: ServerHandler + Clone + Send + Sync + 'static,
{
    if token.is_some_and(|token| !has_token(request.headers(), token)) {
        let mut response = plain(StatusCode::UNAUTHORIZED, "a bearer token is required\n");
        let scheme = hyper::header::HeaderValue::from_static("Bearer");
        response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        return response;
    }
    if request.uri().path().trim_end_matches('/') != PATH {
        return plain(StatusCode::NOT_FOUND, "not found; the MCP endpoint is /mcp\n");
    }
    let (head, body) = request.into_parts();
    let body = match read_body(body, BODY_TIMEOUT).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    let handling = slot.handling();
    let response = protocol.handle(Request::from_parts(head, Full::new(body))).await;
    // The request ends with the body of its response, which can be a stream of events.
    response.map(|body| {
        let body = body.map_frame(move |frame| {
            let _ = &handling;
            frame
        });
        body.boxed()
    })
}

/// Reads a request body of at most [`MAX_REQUEST_BYTES`] within `timeout`.
async fn read_body<B>(body: B, timeout: Duration) -> Result<Bytes, Response<Body>>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let read = Limited::new(body, MAX_REQUEST_BYTES).collect();
    match tokio::time::timeout(timeout, read).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(plain(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the request body is larger than 4 MiB; send a smaller request\n",
        )),
        Ok(Err(_)) => Err(plain(StatusCode::BAD_REQUEST, "the request body is incomplete\n")),
        Err(_) => Err(plain(
            StatusCode::REQUEST_TIMEOUT,
            "the request body did not arrive within 30 seconds\n",
        )),
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    let kind = hyper::header::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Whether a request has the token.
fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let credentials = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let credentials = credentials.and_then(|value| value.split_once(' '));
    credentials.is_some_and(|(scheme, credentials)| {
        scheme.eq_ignore_ascii_case("bearer")
            && constant_time_eq(credentials.trim().as_bytes(), token.as_bytes())
    })
}

/// Compares two byte strings in a time that depends only on their lengths, so that response times
/// reveal nothing about the token.
fn constant_time_eq(actual: &[u8], expected: &[u8]) -> bool {
    let difference = actual.iter().zip(expected).fold(0, |difference, (a, b)| difference | (a ^ b));
    std::hint::black_box(difference) == 0 && actual.len() == expected.len()
}

//! CORS headers for calls from web pages: Fetch Standard, "CORS protocol".

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderValue, ORIGIN,
    VARY,
};
use hyper::{Method, Request, Response, StatusCode, Uri};

/// Methods of the transport.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");

/// Request headers of MCP clients.
const HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, \
     mcp-method, mcp-name",
);

/// Response header that a client must be able to read.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static("mcp-session-id");

/// The allowed origins.
#[derive(Debug)]
pub(super) struct Origins(Vec<Origin>);

/// Scheme, host and port. Without a port, any port matches.
#[derive(Debug, PartialEq)]
struct Origin {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl Origin {
    /// Parses `https://app.example.com`, also with `:8443` or `:*`.
    fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.strip_suffix(":*").unwrap_or(text).parse().ok()?;
        let (scheme, host) = (uri.scheme_str()?.to_lowercase(), uri.host()?.to_lowercase());
        Some(Self { scheme, host, port: uri.port_u16() })
    }

    /// The port, or the default port of the scheme.
    fn effective_port(&self) -> Option<u16> {
        self.port.or(match &*self.scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        })
    }

    fn allows(&self, other: &Self) -> bool {
        let is_port = self.port.is_none() || self.port == other.effective_port();
        is_port && (&self.scheme, &self.host) == (&other.scheme, &other.host)
    }
}

impl Origins {
    /// Parses the allowed origins; an invalid origin allows nothing.
    pub(super) fn new(origins: &[String]) -> Self {
        Self(origins.iter().filter_map(|text| Origin::parse(text)).collect())
    }

    /// The origin of a request, if it is allowed.
    pub(super) fn allowed(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let value = headers.get(ORIGIN)?;
        let origin = Origin::parse(value.to_str().ok()?)?;
        self.0.iter().any(|allowed| allowed.allows(&origin)).then(|| value.clone())
    }
}

/// Whether a request is a CORS preflight.
pub(super) fn is_preflight<B>(request: &Request<B>) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Adds the headers of a preflight response.
pub(super) fn preflight<B>(mut response: Response<B>) -> Response<B> {
    *response.status_mut() = StatusCode::NO_CONTENT;
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    response
}

/// Adds the headers that let pages of `origin` read the response.
pub(super) fn allow_origin(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
    headers.append(VARY, HeaderValue::from_static("Origin"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_compared_by_scheme_host_and_port() {
        let origins = Origins::new(&[
            "https://app.example.com".to_owned(),
            "http://localhost:*".to_owned(),
            "http://[::1]:*".to_owned(),
            "https://b.example.com:443".to_owned(),
            "nonsense".to_owned(),
        ]);
        let allows = |text: &'static str| {
            let headers = [(ORIGIN, HeaderValue::from_static(text))].into_iter().collect();
            origins.allowed(&headers).is_some()
        };
        for origin in [
            "https://app.example.com",
            "https://APP.example.com:8443",
            "http://localhost",
            "http://localhost:3000",
            "http://[::1]:3000",
            "https://b.example.com",
        ] {
            assert!(allows(origin), "{origin}");
        }
        for origin in [
            "http://app.example.com",
            "https://app.example.com.evil.org",
            "https://localhost:3000",
            "https://b.example.com:8443",
            "null",
            "nonsense",
            "",
        ] {
            assert!(!allows(origin), "{origin}");
        }
        assert!(origins.allowed(&HeaderMap::new()).is_none());
    }
}

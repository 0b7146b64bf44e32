//! An HTTP server for one repository that requires a header: `git http-backend` behind a listener.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// Serves the repository at `root` as `repository` below the returned URL until the process exits.
/// Requests without `header` are rejected.
pub(crate) fn serve(root: PathBuf, header: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            handle(stream, &root, header);
        }
    });
    url
}

fn handle(stream: TcpStream, root: &Path, header: &str) {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let lines: Vec<String> =
        (&mut reader).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let value = |name: &str| {
        let named = lines.iter().filter_map(|line| line.split_once(": "));
        let mut named = named.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.to_owned())
    };
    let body = match value("Content-Length") {
        Some(length) => {
            let mut body = vec![0; length.parse().expect("a number")];
            reader.read_exact(&mut body).expect("a body");
            body
        }
        None => Vec::new(),
    };
    let request: Vec<&str> = lines.first().map_or(Vec::new(), |line| line.split(' ').collect());
    let mut stream = stream;
    let response = match *request {
        [method, target, _] if lines.iter().any(|line| line.eq_ignore_ascii_case(header)) => {
            respond(method, target, &value, &body, root)
        }
        _ => b"Status: 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\r\n".to_vec(),
    };
    let split = response.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or_default();
    let head = String::from_utf8_lossy(&response[..split]).into_owned();
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
    let body = &response[split + 4..];
    let head = format!(
        "HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

#[expect(clippy::disallowed_methods, reason = "the server of the test")]
fn respond(
    method: &str,
    target: &str,
    value: &dyn Fn(&str) -> Option<String>,
    body: &[u8],
    root: &Path,
) -> Vec<u8> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = path.strip_prefix("/repository").unwrap_or(path);
    let mut git = Command::new("git");
    git.arg("http-backend")
        .env("GIT_PROJECT_ROOT", root.join(".git"))
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_LENGTH", body.len().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let variables = [
        ("CONTENT_TYPE", "Content-Type"),
        ("HTTP_CONTENT_ENCODING", "Content-Encoding"),
        ("GIT_PROTOCOL", "Git-Protocol"),
    ];
    for (variable, name) in variables {
        if let Some(value) = value(name) {
            git.env(variable, value);
        }
    }
    let mut child = git.spawn().expect("git is installed");
    let mut stdin = child.stdin.take().expect("a pipe");
    let body = body.to_vec();
    let writer = thread::spawn(move || stdin.write_all(&body));
    let output = child.wait_with_output().expect("output");
    let _ = writer.join();
    output.stdout
}

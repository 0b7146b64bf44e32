use crate::server::support::{Client, frame, locations, project, push_capabilities, uri};
use aidd_engine::text::files::Memory;
use aidd_engine::text::source::{Encoding, Source};
use aidd_lsp::documents::Text;
use aidd_lsp::workspace::Workspace;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use tower_lsp_server::ls_types::{Position, Range};

/// An action of a client.
#[derive(Clone, Debug)]
enum Action {
    Open(usize, String),
    Edit(usize, [u32; 4], String),
    Replace(usize, String),
    Save(usize),
    Close(usize),
    Request(&'static str, usize),
    Cancel(i64),
}

const FILES: [&str; 3] = ["a.js", "Dockerfile", "sub/b.md"];

const REQUESTS: [&str; 5] = [
    "textDocument/hover",
    "textDocument/codeAction",
    "textDocument/completion",
    "textDocument/diagnostic",
    "textDocument/unknown",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("debugger"),
        Just("FROM debian:latest"),
        Just("\n"),
        Just("\r\n"),
        Just("\r"),
        Just("😀é"),
        Just("```dockerfile\nFROM a\n```\n"),
        Just(" aidd:allow team/no-stop x "),
        Just("// "),
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn arbitrary_action() -> impl Strategy<Value = Action> {
    let file = 0..FILES.len();
    prop_oneof![
        2 => (file.clone(), text()).prop_map(|(file, text)| Action::Open(file, text)),
        8 => (file.clone(), prop::array::uniform4(0u32..7), text())
            .prop_map(|(file, at, text)| Action::Edit(file, at, text)),
        1 => (file.clone(), text()).prop_map(|(file, text)| Action::Replace(file, text)),
        1 => file.clone().prop_map(Action::Save),
        1 => file.clone().prop_map(Action::Close),
        2 => (prop::sample::select(&REQUESTS[..]), file)
            .prop_map(|(method, file)| Action::Request(method, file)),
        1 => (0i64..40).prop_map(Action::Cancel),
    ]
}

/// The texts that result from the actions according to the protocol.
#[derive(Default)]
struct Model {
    texts: [Option<Text>; FILES.len()],
    versions: [i64; FILES.len()],
}

impl Model {
    /// Applies an action to the texts, and returns its message.
    fn apply(&mut self, action: &Action, uris: &[String], id: i64) -> Value {
        let notification = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "method": method, "params": params });
        match action {
            Action::Open(file, text) => {
                self.texts[*file] = Some(Text::new(text.clone()));
                self.versions[*file] += 1;
                let document = json!({
                    "uri": uris[*file],
                    "languageId": "x",
                    "version": self.versions[*file],
                    "text": text,
                });
                notification("textDocument/didOpen", json!({ "textDocument": document }))
            }
            Action::Edit(file, [a, b, c, d], text) => {
                let range = Range::new(Position::new(*a, *b), Position::new(*c, *d));
                self.change(*file, Some(range), text, &uris[*file])
            }
            Action::Replace(file, text) => self.change(*file, None, text, &uris[*file]),
            Action::Save(file) => notification(
                "textDocument/didSave",
                json!({ "textDocument": { "uri": uris[*file] } }),
            ),
            Action::Close(file) => {
                self.texts[*file] = None;
                notification(
                    "textDocument/didClose",
                    json!({ "textDocument": { "uri": uris[*file] } }),
                )
            }
            Action::Request(method, file) => {
                let at = json!({ "line": 0, "character": 3 });
                let params = json!({
                    "textDocument": { "uri": uris[*file] },
                    "position": at,
                    "range": { "start": at, "end": at },
                    "context": { "diagnostics": [] },
                });
                json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
            }
            Action::Cancel(id) => notification("$/cancelRequest", json!({ "id": 1000 + id })),
        }
    }

    fn change(&mut self, file: usize, range: Option<Range>, text: &str, uri: &str) -> Value {
        self.versions[file] += 1;
        if let Some(known) = &mut self.texts[file] {
            known.edit(range, text, Encoding::Utf16);
        }
        let mut change = json!({ "text": text });
        if let Some(range) = range {
            change["range"] = json!(range);
        }
        let document = json!({ "uri": uri, "version": self.versions[file] });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": params })
    }
}

/// The locations of the findings in `text`, from a check without the server.
fn expected_locations(root: &Path, file: &str, text: &Text) -> Vec<String> {
    let workspace = Workspace::open(&crate::DISTRIBUTION, root, None).expect("a project");
    let source = Source::new(file, text.as_str());
    let checked = workspace.check(&source, &Memory::default());
    let shown = checked.findings.iter().filter(|finding| aidd_lsp::convert::is_shown(finding));
    let diagnostic = |finding: &aidd_engine::text::finding::Finding| {
        let range = aidd_lsp::convert::range(&source, finding.span, Encoding::Utf16);
        json!({ "code": &*finding.rule, "range": range })
    };
    locations(&shown.map(diagnostic).collect::<Vec<_>>())
}

async fn run_session(actions: &[Action]) {
    let folder = project();
    let root = folder.path();
    let uris: Vec<String> = FILES.iter().map(|file| uri(&root.join(file))).collect();
    let mut client = Client::start(root, push_capabilities()).await;
    let mut model = Model::default();
    // Use few writes, so that messages arrive close together.
    for (group, actions) in actions.chunks(7).enumerate() {
        let mut bytes = String::new();
        for (index, action) in actions.iter().enumerate() {
            let id = i64::try_from(1000 + group * 7 + index).expect("a small number");
            bytes.push_str(&frame(&model.apply(action, &uris, id)));
        }
        client.write(bytes.as_bytes()).await;
    }
    // Change each document once more, so that there is a version to wait for.
    for (index, file) in FILES.iter().enumerate() {
        if model.texts[index].is_none() {
            continue;
        }
        let message = model.change(index, Some(Range::default()), "", &uris[index]);
        client.write(frame(&message).as_bytes()).await;
        let found = client.published(&uris[index], Some(model.versions[index])).await;
        let text = model.texts[index].as_ref().expect("open");
        assert_eq!(
            locations(&found),
            expected_locations(root, file, text),
            "{file}: {:?}",
            text.as_str()
        );
    }
    assert_eq!(client.shut_down().await, 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_last_text_is_checked_after_any_actions(actions in proptest::collection::vec(arbitrary_action(), 1..40)) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(run_session(&actions));
        runtime.shutdown_background();
    }
}

use super::*;

/// The dependencies as `name requirement`, with the text of the span in place of the name.
fn entries(path: &str, text: &str) -> Vec<String> {
    let manifest = read(path, text).expect("a manifest");
    let entry = |declared: &Declared| {
        let name = &text[declared.span.range()];
        assert_eq!(name, declared.name);
        assert!(text.get(declared.entry.range()).is_some());
        format!("{name} {}", declared.requirement.as_deref().unwrap_or("-"))
    };
    manifest.dependencies.iter().map(entry).collect()
}

#[test]
fn package_json() {
    let text = r#"{
  "name": "app",
  "dependencies": { "a": "^1.0.0", "b": "npm:c@2", "d": "github:e/f", "g": "catalog:" },
  "peerDependencies": { "react": ">=18" }
}"#;
    assert_eq!(entries("package.json", text), ["a ^1.0.0", "b 2", "d -", "g -", "react >=18"]);
    let manifest = read("package.json", text).expect("a manifest");
    assert_eq!(manifest.name.as_deref(), Some("app"));
    assert_eq!(manifest.dependencies[1].package, "c");
    assert_eq!(manifest.dependencies[2].origin, Origin::Git);
}

#[test]
fn cargo_toml() {
    let text = "[package]\nname = \"app\"\n\n[dependencies]\na = \"1\"\nb = { package = \"c\", git = \"https://x\" }\n\n[dependencies.d]\nversion = \"2\"\noptional = true\n\n[target.'cfg(unix)'.dev-dependencies]\ne = { workspace = true }\n\n[workspace.dependencies]\nf = \"3\"\n";
    assert_eq!(entries("Cargo.toml", text), ["a 1", "b -", "d 2", "e -", "f 3"]);
    let manifest = read("Cargo.toml", text).expect("a manifest");
    let [_, b, d, e, f] = &manifest.dependencies[..] else { panic!("five entries") };
    assert_eq!((&*b.package, b.origin), ("c", Origin::Git));
    assert_eq!(d.group, Group::Optional);
    assert!(e.inherits && e.configures && f.shared);
}

#[test]
fn go_mod() {
    let text = "module example.com/app\n\ngo 1.24\n\nrequire example.com/a v1.0.0\n\nrequire (\n\texample.com/b v1.2.0\n\texample.com/c v0.1.0 // indirect\n)\n\ntool example.com/b/cmd/x\n";
    assert_eq!(
        entries("go.mod", text),
        ["example.com/a v1.0.0", "example.com/b v1.2.0", "example.com/c v0.1.0"]
    );
    let manifest = read("go.mod", text).expect("a manifest");
    assert!(manifest.dependencies[2].indirect && !manifest.dependencies[1].indirect);
    assert_eq!(manifest.provided, ["example.com/b/cmd/x"]);
}

#[test]
fn python() {
    let text = "[project]\nname = \"app\"\ndependencies = [\n  \"requests>=2,<3\",\n  \"ruamel.yaml[jinja2] ~= 0.18 ; python_version > '3'\",\n  \"x @ git+https://example.com/x\",\n]\n\n[dependency-groups]\ndev = [\"ruff\"]\n\n[tool.poetry.dependencies]\npython = \"^3.12\"\nflask = { version = \"^3\" }\n";
    assert_eq!(
        entries("pyproject.toml", text),
        ["requests >=2,<3", "ruamel.yaml ~= 0.18", "x -", "ruff -", "flask ^3"]
    );
    let text = "# list\n-r base.txt\nDjango==5.1 # the framework\n./local\nhttps://example.com/a.whl\nuvicorn[standard]>=0.30\n";
    assert_eq!(entries("requirements.txt", text), ["Django ==5.1", "uvicorn >=0.30"]);
    assert_eq!(read("requirements/base.txt", text).expect("a manifest").dir(), "");
}

proptest::proptest! {
    #[test]
    fn positions_are_in_the_text(text in "[-a-z@/\"'{}\\[\\]:,= \n줄()#.]{0,200}") {
        for path in ["package.json", "Cargo.toml", "go.mod", "pyproject.toml", "requirements.txt"] {
            for declared in read(path, &text).into_iter().flat_map(|manifest| manifest.dependencies) {
                proptest::prop_assert!(text.get(declared.span.range()).is_some());
                proptest::prop_assert!(text.get(declared.entry.range()).is_some());
            }
        }
    }
}

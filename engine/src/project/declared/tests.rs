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
fn package_json_is_read() {
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
fn cargo_toml_is_read() {
    let text = "[package]\nname = \"app\"\n\n[dependencies]\na = \"1\"\nb = { package = \"c\", git = \"https://x\" }\n\n[dependencies.d]\nversion = \"2\"\noptional = true\n\n[target.'cfg(unix)'.dev-dependencies]\ne = { workspace = true }\n\n[workspace.dependencies]\nf = \"3\"\n";
    assert_eq!(entries("Cargo.toml", text), ["a 1", "b -", "d 2", "e -", "f 3"]);
    let manifest = read("Cargo.toml", text).expect("a manifest");
    let [_, b, d, e, f] = &manifest.dependencies[..] else { panic!("five entries") };
    assert_eq!((&*b.package, b.origin), ("c", Origin::Git));
    assert_eq!(d.group, Group::Optional);
    assert!(e.inherits && e.configures && f.shared);
}

#[test]
fn go_mod_is_read() {
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
fn python_manifests_are_read() {
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
    fn spans_are_within_the_text(text in "[-a-z@/\"'{}\\[\\]:,= \n줄()#.]{0,200}") {
        for path in ["package.json", "Cargo.toml", "go.mod", "pyproject.toml", "requirements.txt"] {
            for declared in read(path, &text).into_iter().flat_map(|manifest| manifest.dependencies) {
                proptest::prop_assert!(text.get(declared.span.range()).is_some());
                proptest::prop_assert!(text.get(declared.entry.range()).is_some());
            }
        }
    }
}

/// The dependencies as `name requirement` for manifests whose names are composed of several parts.
fn composed(path: &str, text: &str) -> Vec<String> {
    let manifest = read(path, text).expect("a manifest");
    let entry = |declared: &Declared| {
        assert!(!text[declared.span.range()].is_empty());
        assert!(text.get(declared.entry.range()).is_some());
        let group = match declared.group {
            Group::Normal => "",
            Group::Dev => " dev",
            _ => " other",
        };
        let requirement = declared.requirement.as_deref().unwrap_or("-");
        format!("{} {requirement}{group}", declared.name)
    };
    manifest.dependencies.iter().map(entry).collect()
}

#[test]
fn pom_xml_is_read() {
    let text = "<project>\n<parent><groupId>g.p</groupId><artifactId>parent</artifactId><version>3.4.0</version></parent>\n<artifactId>app</artifactId>\n<properties><x.version>1.2</x.version></properties>\n<dependencies>\n<dependency><groupId>g</groupId><artifactId>a</artifactId><version>${x.version}</version></dependency>\n<dependency><groupId>g</groupId><artifactId>b</artifactId><scope>test</scope></dependency>\n<dependency><groupId>g</groupId><artifactId>c</artifactId><version>${unknown}</version></dependency>\n</dependencies>\n<repositories><repository><url>http://example.com/maven</url></repository></repositories>\n</project>\n";
    let expected = ["g.p:parent 3.4.0 other", "g:a 1.2", "g:b - dev", "g:c -"];
    assert_eq!(composed("pom.xml", text), expected);
    let manifest = read("pom.xml", text).expect("a manifest");
    assert_eq!(manifest.name.as_deref(), Some("g.p:app"));
    assert_eq!(manifest.repositories[0].url, "http://example.com/maven");
}

#[test]
fn gradle_builds_and_catalogs_are_read() {
    let text = "repositories { maven { url = uri(\"http://example.com/m2\") } }\ndependencies {\n    implementation(\"g:a:1.0\")\n    testImplementation 'g:b:2.+'\n    implementation \"g:c:$version\"\n    implementation(libs.d)\n}\n";
    assert_eq!(composed("build.gradle.kts", text), ["g:a 1.0", "g:b 2.+ dev", "g:c -"]);
    let manifest = read("build.gradle", text).expect("a manifest");
    assert_eq!(&text[manifest.repositories[0].span.range()], "http://example.com/m2");
    let catalog = "[versions]\nx = \"1.5\"\n\n[libraries]\na = \"g:a:1.0\"\nb = { module = \"g:b\", version.ref = \"x\" }\nc = { group = \"g\", name = \"c\" }\n";
    assert_eq!(composed("gradle/libs.versions.toml", catalog), ["g:a 1.0", "g:b 1.5", "g:c -"]);
}

#[test]
fn a_gemfile_is_read() {
    let text = "source \"http://rubygems.org\"\n\ngem \"rails\", \"~> 8.0\", \">= 8.0.1\"\ngem 'own', path: 'own'\ngem \"edge\", github: \"a/edge\", branch: \"main\"\n\ngroup :development, :test do\n  gem \"debug\", platforms: %i[mri]\nend\n\nif ENV[\"X\"]\n  gem \"x\"\nend\n# gem \"commented\"\ngem \"#{name}\"\n";
    let expected = ["rails ~> 8.0, >= 8.0.1", "own -", "edge -", "debug - dev", "x -"];
    assert_eq!(entries("Gemfile", text).len(), expected.len());
    assert_eq!(composed("Gemfile", text), expected);
    let manifest = read("Gemfile", text).expect("a manifest");
    let conditional: Vec<bool> = manifest.dependencies.iter().map(|gem| gem.configures).collect();
    assert_eq!(conditional, [false, false, false, true, true]);
    assert_eq!(manifest.dependencies[2].origin, Origin::Git);
    assert_eq!(manifest.repositories[0].url, "http://rubygems.org");
}

#[test]
fn composer_json_and_a_pipfile_are_read() {
    let text = r#"{ "name": "a/b", "require": { "php": "^8.2", "ext-json": "*", "c/d": "^1.0", "e/f": "dev-main" }, "require-dev": { "g/h": "*" } }"#;
    assert_eq!(entries("composer.json", text), ["c/d ^1.0", "e/f dev-main", "g/h *"]);
    let manifest = read("composer.json", text).expect("a manifest");
    assert_eq!(manifest.dependencies[1].origin, Origin::Git);
    let text = "[packages]\nflask = \"*\"\nx = { git = \"https://example.com\" }\n\n[dev-packages]\npytest = { version = \">=8\", markers = \"python_version > '3'\" }\n";
    assert_eq!(entries("Pipfile", text), ["flask *", "x -", "pytest >=8"]);
}

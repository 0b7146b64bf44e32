use super::super::declared;
use super::*;
use proptest::prelude::*;

/// The packages as `name version`, with `!` for packages that are not from a registry; the spans
/// must be valid.
fn packages(path: &str, text: &str) -> Vec<String> {
    let lock = read(path, text).expect("a lock file");
    assert_eq!(lock.problem, None, "{path}");
    let package = |package: &Locked| {
        assert!(text.get(package.span.range()).is_some_and(|text| !text.is_empty()), "{path}");
        let mark = if package.origin == Origin::Registry { "" } else { "!" };
        format!("{} {}{mark}", package.name, package.version)
    };
    lock.packages.iter().map(package).collect()
}

/// The result of looking up names for a manifest: versions, `missing` or `unknown`.
fn resolve(lock: (&str, &str), manifest: (&str, &str), names: &[&str]) -> Vec<String> {
    let lock = read(lock.0, lock.1).expect("a lock file");
    let manifest = declared::read(manifest.0, manifest.1).expect("a manifest");
    let lookup = |name: &&str| match lock.resolve(&manifest, name) {
        Resolution::Unknown => "unknown".to_owned(),
        Resolution::Missing => "missing".to_owned(),
        Resolution::Versions(versions) => {
            let versions = versions.iter().map(|package| &*package.version);
            versions.collect::<Vec<_>>().join(" ")
        }
    };
    names.iter().map(lookup).collect()
}

const NPM: &str = r#"{ "lockfileVersion": 3, "packages": {
  "": { "name": "root", "dependencies": { "a": "^1", "alias": "npm:b@^2", "optional": "^1" } },
  "apps/web": { "name": "web", "version": "1.0.0", "dependencies": { "a": "^2", "c": "^1", "root-only": "^1" } },
  "node_modules/a": { "version": "1.2.0", "license": "MIT" },
  "node_modules/alias": { "name": "b", "version": "2.0.1" },
  "node_modules/c": { "version": "1.0.0", "resolved": "git+ssh://git@example.com/c.git#1" },
  "node_modules/web": { "resolved": "apps/web", "link": true },
  "apps/web/node_modules/a": { "version": "2.3.0" },
  "node_modules/a/node_modules/d": { "version": "9.0.0" }
} }"#;

#[test]
fn lock_files_of_npm_are_read() {
    let expected =
        ["a 1.2.0", "b 2.0.1", "c 1.0.0!", "web !", "a 2.3.0", "d 9.0.0"].map(str::to_owned);
    assert_eq!(packages("package-lock.json", NPM), expected);
    let root = ("package.json", r#"{ "name": "root" }"#);
    let names = ["a", "alias", "optional", "d"];
    let found = resolve(("package-lock.json", NPM), root, &names);
    assert_eq!(found, ["1.2.0", "2.0.1", "unknown", "missing"]);
    let web = ("apps/web/package.json", r#"{ "name": "web" }"#);
    assert_eq!(resolve(("package-lock.json", NPM), web, &["a", "c"]), ["2.3.0", "1.0.0"]);
    let other = ("apps/other/package.json", "{}");
    assert_eq!(resolve(("package-lock.json", NPM), other, &["a"]), ["unknown"]);
    let old = r#"{ "lockfileVersion": 1, "dependencies": { "a": { "version": "1.0.0", "dependencies": { "b": { "version": "2.0.0" } } } } }"#;
    assert_eq!(packages("package-lock.json", old), ["a 1.0.0", "b 2.0.0"]);
    assert_eq!(resolve(("package-lock.json", old), root, &["a", "b"]), ["1.0.0", "missing"]);
}

#[test]
fn lock_files_of_pnpm_are_read() {
    let v9 = "lockfileVersion: '9.0'\noverrides:\n  a>b@1: 2.0.0\nimporters:\n  .:\n    dependencies:\n      react:\n        specifier: ^19.0.0\n        version: 19.1.0\n      '@s/x':\n        specifier: ^1.0.0\n        version: 1.0.0(react@19.1.0)\n      width:\n        specifier: npm:string-width@^4\n        version: string-width@4.2.3\n  apps/web:\n    devDependencies:\n      ui:\n        specifier: workspace:*\n        version: link:../ui\npackages:\n  '@s/x@1.0.0':\n    resolution: {integrity: a}\n  react@19.1.0:\n    resolution: {integrity: a}\n  string-width@4.2.3:\n    resolution: {integrity: a}\n";
    let lock = ("pnpm-lock.yaml", v9);
    let root = ("package.json", "{}");
    let found = resolve(lock, root, &["react", "@s/x", "width", "ui"]);
    assert_eq!(found, ["19.1.0", "1.0.0", "4.2.3", "missing"]);
    let web = ("apps/web/package.json", "{}");
    assert_eq!(resolve(lock, web, &["ui", "react"]), ["link:../ui", "missing"]);
    let lock = read(lock.0, lock.1).expect("a lock file");
    assert!(lock.overridden.contains("b"));
    let malformed = "packages:\n  '@b(a/c@1.0.0': {}\n";
    assert!(packages("pnpm-lock.yaml", malformed).is_empty());
    for (version, key, resolved) in [
        ("5.4", "/@s/x/1.0.0_react@18.0.0", "1.0.0_react@18.0.0"),
        ("'6.0'", "/@s/x@1.0.0(react@18.0.0)", "1.0.0(react@18.0.0)"),
    ] {
        let old = format!(
            "lockfileVersion: {version}\nspecifiers:\n  '@s/x': ^1.0.0\ndependencies:\n  '@s/x': {resolved}\npackages:\n  {key}:\n    resolution: {{integrity: a}}\n"
        );
        assert_eq!(packages("pnpm-lock.yaml", &old), ["@s/x 1.0.0"]);
        assert_eq!(resolve(("pnpm-lock.yaml", &old), root, &["@s/x"]), ["1.0.0"]);
    }
}

#[test]
fn lock_files_of_yarn_are_read() {
    let classic = "# yarn lockfile v1\n\n\n\"@s/a@^1.0.0\", \"@s/a@^1.1.0\":\n  version \"1.2.0\"\n  resolved \"https://example.com/a.tgz#0\"\n  dependencies:\n    b \"^2.0.0\"\n\nb@^2.0.0:\n  version \"2.0.0\"\n\nb@^3.0.0:\n  version \"3.0.0\"\n";
    assert_eq!(packages("yarn.lock", classic), ["@s/a 1.2.0", "b 2.0.0", "b 3.0.0"]);
    let root = ("package.json", "{}");
    let found = resolve(("yarn.lock", classic), root, &["@s/a", "b", "c"]);
    assert_eq!(found, ["1.2.0", "2.0.0 3.0.0", "missing"]);
    let berry = "__metadata:\n  version: 8\n\n\"a@npm:^1.0.0\":\n  version: 1.2.0\n  resolution: \"a@npm:1.2.0\"\n\n\"root@workspace:.\":\n  version: 0.0.0-use.local\n  resolution: \"root@workspace:.\"\n  dependencies:\n    a: \"npm:^1.0.0\"\n  languageName: unknown\n\n\"web@workspace:apps/web\":\n  version: 0.0.0-use.local\n  resolution: \"web@workspace:apps/web\"\n";
    assert_eq!(packages("yarn.lock", berry), ["a 1.2.0"]);
    assert_eq!(resolve(("yarn.lock", berry), root, &["a", "b"]), ["1.2.0", "missing"]);
    let web = ("apps/web/package.json", "{}");
    assert_eq!(resolve(("yarn.lock", berry), web, &["a"]), ["missing"]);
}

#[test]
fn lock_files_of_bun_are_read() {
    let text = r#"{ "lockfileVersion": 1, "workspaces": {
      "": { "name": "root", "dependencies": { "a": "^1" } },
      "apps/web": { "name": "web", "dependencies": { "a": "^2", "web2": "workspace:*" } },
    }, "packages": {
      "a": ["a@1.2.0", "", {}, "sha512-0"],
      "web/a": ["a@2.0.0", "", {}, "sha512-0"],
      "web2": ["web2@workspace:apps/web2"],
    } }"#;
    assert_eq!(packages("bun.lock", text), ["a 1.2.0", "a 2.0.0", "web2 workspace:apps/web2!"]);
    let web = ("apps/web/package.json", "{}");
    assert_eq!(resolve(("bun.lock", text), web, &["a", "b"]), ["2.0.0", "missing"]);
}

#[test]
fn lock_files_of_cargo_are_read() {
    let text = "version = 4\n\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\ndependencies = [\n \"a 1.0.0\",\n \"b\",\n]\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n\n[[package]]\nname = \"a\"\nversion = \"2.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n\n[[package]]\nname = \"b\"\nversion = \"0.3.0\"\nsource = \"git+https://example.com/b#0\"\n";
    assert_eq!(packages("Cargo.lock", text), ["app 0.1.0!", "a 1.0.0", "a 2.0.0", "b 0.3.0!"]);
    let app = ("crates/app/Cargo.toml", "[package]\nname = \"app\"\n");
    let found = resolve(("Cargo.lock", text), app, &["a", "b", "c"]);
    assert_eq!(found, ["1.0.0", "0.3.0", "missing"]);
    let direct = read("Cargo.lock", text).and_then(|lock| lock.direct());
    assert_eq!(direct, Some([1, 3].into()));
}

#[test]
fn lock_files_of_python_tools_are_read() {
    let uv = "version = 1\n\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\nsource = { editable = \".\" }\ndependencies = [{ name = \"pyyaml\" }]\n\n[package.dev-dependencies]\ndev = [{ name = \"pytest\" }]\n\n[[package]]\nname = \"pyyaml\"\nversion = \"6.0.2\"\nsource = { registry = \"https://pypi.org/simple\" }\n\n[[package]]\nname = \"pytest\"\nversion = \"8.4.0\"\nsource = { registry = \"https://pypi.org/simple\" }\n";
    assert_eq!(packages("uv.lock", uv), ["app 0.1.0!", "pyyaml 6.0.2", "pytest 8.4.0"]);
    let app = ("pyproject.toml", "[project]\nname = \"App\"\n");
    let found = resolve(("uv.lock", uv), app, &["PyYAML", "pytest", "flask"]);
    assert_eq!(found, ["6.0.2", "8.4.0", "missing"]);
    let poetry = "[[package]]\nname = \"Flask_Thing\"\nversion = \"3.0\"\n\n[package.source]\ntype = \"git\"\nurl = \"https://example.com\"\n";
    assert_eq!(packages("poetry.lock", poetry), ["flask-thing 3.0!"]);
    let pipenv = r#"{ "default": { "flask": { "version": "==3.0.1" } }, "develop": { "x": { "git": "https://example.com" } } }"#;
    assert_eq!(packages("Pipfile.lock", pipenv), ["flask 3.0.1", "x !"]);
    let pipfile = ("Pipfile", "[packages]\nflask = \"*\"\n");
    assert_eq!(resolve(("Pipfile.lock", pipenv), pipfile, &["flask", "y"]), ["3.0.1", "missing"]);
}

#[test]
fn lock_files_of_go_ruby_php_and_gradle_are_read() {
    let sums =
        "a.example/x v1.0.0 h1:0\na.example/x v1.0.0/go.mod h1:0\na.example/x v1.1.0/go.mod h1:0\n";
    assert_eq!(packages("go.sum", sums), ["a.example/x v1.0.0", "a.example/x v1.1.0"]);
    let gems = "GIT\n  remote: https://example.com/g.git\n  specs:\n    g (0.1)\n\nGEM\n  remote: https://rubygems.org/\n  specs:\n    nokogiri (1.18.0-x86_64-linux-gnu)\n      racc (~> 1.4)\n    racc (1.8.1)\n\nDEPENDENCIES\n  g!\n  nokogiri (~> 1.18)\n";
    assert_eq!(packages("Gemfile.lock", gems), ["g 0.1!", "nokogiri 1.18.0", "racc 1.8.1"]);
    let gemfile = ("Gemfile", "gem \"nokogiri\"\n");
    let found = resolve(("Gemfile.lock", gems), gemfile, &["nokogiri", "g", "racc"]);
    assert_eq!(found, ["1.18.0", "0.1", "missing"]);
    let composer = r#"{ "packages": [{ "name": "Vendor/A", "version": "v1.2.0", "license": ["MIT", "GPL-2.0"], "replace": { "vendor/b": "*" } }], "packages-dev": [] }"#;
    assert_eq!(packages("composer.lock", composer), ["vendor/a v1.2.0"]);
    let json = ("composer.json", "{}");
    let found = resolve(("composer.lock", composer), json, &["vendor/a", "vendor/b", "vendor/c"]);
    assert_eq!(found, ["v1.2.0", "unknown", "missing"]);
    let gradle = "# written by Gradle\ng:a:1.0=compileClasspath,runtimeClasspath\nempty=annotationProcessor\n";
    assert_eq!(packages("gradle.lockfile", gradle), ["g:a 1.0"]);
    assert_eq!(
        resolve(("gradle.lockfile", gradle), ("pom.xml", "<project/>"), &["g:a"]),
        ["unknown"]
    );
}

#[test]
fn unreadable_files_are_reported_with_a_problem() {
    let conflict = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n";
    for (path, ..) in FILES {
        let problem = read(path, conflict).and_then(|lock| lock.problem).expect(path);
        assert_eq!(
            (&conflict[problem.0.range()], &problem.1[..14]),
            ("<<<<<<< HEAD", "merge conflict")
        );
    }
    for (path, text) in
        [("package-lock.json", "{"), ("Cargo.lock", "a = "), ("pnpm-lock.yaml", "a: [")]
    {
        assert!(read(path, text).is_some_and(|lock| lock.problem.is_some()), "{path}");
    }
}

/// Lock files in several formats, which the property test changes.
const SEEDS: [&str; 4] = [
    NPM,
    "importers:\n  .:\n    dependencies:\n      a: {specifier: ^1, version: 1.0.0}\npackages:\n  /@s/x/1.0.0_a@1:\n    b: c\n",
    "[[package]]\nname = \"app\"\nversion = \"0.1.0\"\ndependencies = [\"a 1\"]\nsource = { editable = \".\" }\n",
    "\"a@^1\", b@:\n  version: 1\n  resolution: \"a@workspace:x\"\n  dependencies:\n    b: c\nGEM\n    a (1-x)\nDEPENDENCIES\n  a!\n",
];

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(
        seed in 0..SEEDS.len(),
        cut in 0_usize..800,
        length in 0_usize..40,
        insert in "[-@/(:){}\\[\\]\"',= \né<>a1]{0,8}",
    ) {
        let mut text: Vec<char> = SEEDS[seed].chars().collect();
        let start = cut.min(text.len());
        let end = (start + length).min(text.len());
        text.splice(start..end, insert.chars());
        let text: String = text.into_iter().collect();
        let manifest = declared::read("package.json", "{}").expect("a manifest");
        for (path, ..) in FILES {
            let lock = read(path, &text).expect("a lock file");
            for package in &lock.packages {
                prop_assert!(text.get(package.span.range()).is_some(), "{path} {text:?}");
            }
            let _ = (lock.resolve(&manifest, "a"), lock.direct());
        }
        for path in ["pom.xml", "build.gradle", "libs.versions.toml", "Gemfile", "composer.json", "Pipfile"] {
            for declared in declared::read(path, &text).into_iter().flat_map(|found| found.dependencies) {
                prop_assert!(text.get(declared.entry.range()).is_some(), "{path} {text:?}");
            }
        }
    }
}

//! Tests of stack detection in every ecosystem, with valid and malformed files.
#![expect(clippy::disallowed_methods, reason = "tests create projects")]

use super::*;
use std::fs;

pub(super) fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Stack) {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    let stack = detect(&Disk::new(folder.path()));
    (folder, stack)
}

/// Formats a stack with one line per manifest and dependency.
pub(super) fn render(files: &[(&str, &str)]) -> String {
    let (_folder, stack) = project(files);
    let mut lines = Vec::new();
    for manifest in &stack.manifests {
        let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        lines.push(format!(
            "{} {} {} {} by {}, lock {}",
            manifest.path,
            manifest.ecosystem,
            or_dash(&manifest.name),
            or_dash(&manifest.version),
            or_dash(&manifest.manager),
            or_dash(&manifest.lock)
        ));
        for dependency in &manifest.dependencies {
            let Dependency { name, wanted, locked, group, .. } = dependency;
            lines.push(format!("  {name} {} = {} {group:?}", or_dash(wanted), or_dash(locked)));
        }
    }
    lines.extend(
        stack.pins.iter().map(|pin| format!("{} {} ({})", pin.name, pin.version, pin.path)),
    );
    lines.extend(stack.problems.iter().map(|problem| format!("! {problem}")));
    lines.join("\n")
}

#[test]
fn a_pnpm_monorepo_is_read() {
    let files = [
        (
            "package.json",
            r#"{"name": "shop", "private": true, "packageManager": "pnpm@10.2.0+sha512.x", "engines": {"node": ">=22"}, "scripts": {"test": "vitest run"}}"#,
        ),
        (
            "pnpm-workspace.yaml",
            "packages:\n  - packages/*\n  - '!packages/old'\ncatalog:\n  react: ^19.0.0\n",
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '9.0'\nimporters:\n  .: {}\n  packages/web:\n    dependencies:\n      react:\n        specifier: 'catalog:'\n        version: 19.1.0\n      '@shop/ui':\n        specifier: workspace:*\n        version: link:../ui\n    devDependencies:\n      vitest:\n        specifier: ^3.0.0\n        version: 3.2.4(@types/node@22.0.0)\n",
        ),
        (
            "packages/web/package.json",
            r#"{"name": "@shop/web", "dependencies": {"react": "catalog:", "@shop/ui": "workspace:*"}, "devDependencies": {"vitest": "^3.0.0"}}"#,
        ),
        ("packages/old/package.json", r#"{"name": "old"}"#),
        (".nvmrc", "22.12\n"),
    ];
    insta::assert_snapshot!(render(&files), @"
    package.json npm shop - by pnpm, lock pnpm-lock.yaml
    packages/web/package.json npm @shop/web - by pnpm, lock pnpm-lock.yaml
      react ^19.0.0 = 19.1.0 Normal
      @shop/ui workspace:* = - Normal
      vitest ^3.0.0 = 3.2.4 Dev
    node 22.12 (.nvmrc)
    node >=22 (package.json)
    ");
    let (_folder, stack) = project(&files);
    assert!(stack.is_monorepo());
    assert_eq!(stack.manifests[0].scripts["test"], "vitest run");
}

#[test]
fn npm_yarn_and_bun_lock_files_are_read() {
    let npm = r#"{"lockfileVersion": 3, "packages": {"": {}, "node_modules/react": {"version": "19.1.0"}, "apps/a/node_modules/react": {"version": "18.3.1"}, "node_modules/x/node_modules/react": {"version": "17.0.0"}}}"#;
    let manifest = r#"{"dependencies": {"react": "^19.0.0"}}"#;
    insta::assert_snapshot!(render(&[
        ("package.json", r#"{"workspaces": ["apps/*"], "dependencies": {"react": "^19.0.0", "old": "npm:new@1"}}"#),
        ("package-lock.json", npm),
        ("apps/a/package.json", r#"{"peerDependencies": {"react": "^18"}}"#),
    ]), @"
    package.json npm - - by npm, lock package-lock.json
      react ^19.0.0 = 19.1.0 Normal
      new 1 = - Normal
    apps/a/package.json npm - - by npm, lock package-lock.json
      react ^18 = 18.3.1 Peer
    ");
    let classic = "# yarn lockfile v1\n\n\nreact@^18.0.0:\n  version \"18.3.1\"\n\n\"react@^19.0.0\", \"react@^19.0.1\":\n  version \"19.1.0\"\n  dependencies:\n    version \"9\"\n";
    insta::assert_snapshot!(render(&[("package.json", manifest), ("yarn.lock", classic)]), @"
    package.json npm - - by yarn, lock yarn.lock
      react ^19.0.0 = 19.1.0 Normal
    ");
    let berry = "__metadata:\n  version: 8\n\n\"react@npm:^19.0.0\":\n  version: 19.1.0\n  resolution: \"react@npm:19.1.0\"\n";
    insta::assert_snapshot!(render(&[("package.json", manifest), ("yarn.lock", berry)]), @"
    package.json npm - - by yarn, lock yarn.lock
      react ^19.0.0 = 19.1.0 Normal
    ");
    let bun = "{\n  \"lockfileVersion\": 1,\n  \"packages\": {\n    \"react\": [\"react@19.1.0\", \"\", {}, \"sha512-x\"],\n    \"a/react\": [\"react@18.0.0\", \"\", {}, \"\"],\n  },\n}\n";
    insta::assert_snapshot!(render(&[("package.json", manifest), ("bun.lock", bun)]), @"
    package.json npm - - by bun, lock bun.lock
      react ^19.0.0 = 19.1.0 Normal
    ");
}

#[test]
fn a_cargo_workspace_is_read() {
    insta::assert_snapshot!(render(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/fuzz\"]\n[workspace.package]\nversion = \"1.2.0\"\nrust-version = \"1.80\"\n[workspace.dependencies]\ntokio = { version = \"1.40\", features = [\"rt\"] }\n",
        ),
        (
            "Cargo.lock",
            "version = 4\n\n[[package]]\nname = \"tokio\"\nversion = \"1.54.2\"\n\n[[package]]\nname = \"syn\"\nversion = \"1.0.109\"\n\n[[package]]\nname = \"syn\"\nversion = \"2.0.60\"\n",
        ),
        (
            "crates/api/Cargo.toml",
            "[package]\nname = \"api\"\nversion = \"0.3.0\"\n[dependencies]\ntokio.workspace = true\nparse = { package = \"syn\", version = \"2\" }\n[target.'cfg(unix)'.dev-dependencies]\nrustix = \"1\"\n",
        ),
        ("crates/fuzz/Cargo.toml", "[package]\nname = \"fuzz\"\n"),
        ("rust-toolchain.toml", "[toolchain]\nchannel = \"1.88.0\"\n"),
    ]), @"
    Cargo.toml cargo - 1.2.0 by cargo, lock Cargo.lock
    crates/api/Cargo.toml cargo api 0.3.0 by cargo, lock Cargo.lock
      tokio 1.40 = 1.54.2 Normal
      syn 2 = 2.0.60 Normal
      rustix 1 = - Dev
    rust 1.88.0 (rust-toolchain.toml)
    rust 1.80 (Cargo.toml)
    ");
}

#[test]
fn python_projects_are_read() {
    insta::assert_snapshot!(render(&[
        (
            "pyproject.toml",
            "[project]\nname = \"api\"\nversion = \"2.0\"\nrequires-python = \">=3.12\"\ndependencies = [\"FastAPI[standard]>=0.110,<1\", \"typing_extensions; python_version<'3.13'\", \"x @ https://host/x.whl\"]\n[dependency-groups]\ndev = [\"pytest~=8.0\", {include-group = \"lint\"}]\n[tool.uv]\n",
        ),
        ("uv.lock", "version = 1\n[[package]]\nname = \"fastapi\"\nversion = \"0.115.0\"\n[[package]]\nname = \"pytest\"\nversion = \"8.3.1\"\n"),
        ("jobs/requirements.txt", "# c\n-r base.txt\ndjango==5.1.2  # pinned\nrequests>=2 --hash=sha256:x\ncelery\n"),
        ("lib/setup.cfg", "[metadata]\nname = lib\n[options]\ninstall_requires =\n    numpy>=1.26\n    pandas\n"),
        ("old/setup.py", "import os\n"),
        ("poet/pyproject.toml", "[tool.poetry]\nname = \"poet\"\n[tool.poetry.dependencies]\npython = \"^3.11\"\nflask = \"^3.0\"\n[tool.poetry.group.dev.dependencies]\nmypy = { version = \"*\" }\n"),
        ("poet/poetry.lock", "[[package]]\nname = \"Flask\"\nversion = \"3.0.3\"\n"),
        (".python-version", "3.12.4\n"),
    ]), @"
    pyproject.toml pypi api 2.0 by uv, lock uv.lock
      fastapi >=0.110,<1 = 0.115.0 Normal
      typing-extensions - = - Normal
      pytest ~=8.0 = 8.3.1 Dev
    jobs/requirements.txt pypi - - by pip, lock -
      django ==5.1.2 = 5.1.2 Normal
      requests >=2 = - Normal
      celery - = - Normal
    lib/setup.cfg pypi lib - by -, lock -
      numpy >=1.26 = - Normal
      pandas - = - Normal
    poet/pyproject.toml pypi poet - by poetry, lock poet/poetry.lock
      flask ^3.0 = 3.0.3 Normal
      mypy * = - Dev
    python 3.12.4 (.python-version)
    python >=3.12 (pyproject.toml)
    python ^3.11 (poet/pyproject.toml)
    ! old/setup.py: not read because it is a program; its dependencies are unknown
    ");
}

#[test]
fn go_java_dotnet_ruby_and_php_projects_are_read() {
    insta::assert_snapshot!(render(&[
        ("svc/go.mod", "module example.com/svc\n\ngo 1.24\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.10.0\n\tgolang.org/x/net v0.1.0 // indirect\n)\n\nrequire a.b/c v2.0.0+incompatible\n"),
        (
            "pom.xml",
            "<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>4.0.1</version></parent><groupId>g</groupId><artifactId>a</artifactId><properties><java.version>21</java.version><k>4.1</k></properties><modules><module>core</module></modules><dependencyManagement><dependencies><dependency><groupId>o</groupId><artifactId>p</artifactId><version>9</version></dependency></dependencies></dependencyManagement><dependencies><dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-clients</artifactId><version>${k}.0</version></dependency></dependencies></project>",
        ),
        ("core/pom.xml", "<project><parent><groupId>g</groupId><artifactId>a</artifactId><version>1</version></parent><artifactId>core</artifactId><dependencies><dependency><groupId>o</groupId><artifactId>p</artifactId><scope>test</scope></dependency></dependencies></project>"),
        ("App/App.csproj", "<Project><PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup><ItemGroup><PackageReference Include=\"Serilog\" Version=\"4.0.0\" /><PackageReference Include=\"Dapper\" /></ItemGroup></Project>"),
        ("Directory.Packages.props", "<Project><ItemGroup><PackageVersion Include=\"Dapper\" Version=\"2.1.35\" /></ItemGroup></Project>"),
        ("app.sln", "Project(\"{F}\") = \"App\", \"App\\App.csproj\", \"{1}\"\nEndProject\n"),
        ("shop/Gemfile", "source 'https://rubygems.org'\nruby '3.4.1'\ngem 'rails', '~> 8.0'\ngroup :test do\n  gem 'rspec'\nend\n"),
        ("shop/Gemfile.lock", "GEM\n  specs:\n    rails (8.0.1)\n      actionpack (= 8.0.1)\n    rspec (3.13.0)\n"),
        ("site/composer.json", r#"{"name": "a/site", "require": {"php": "^8.3", "laravel/framework": "^12.0", "ext-json": "*"}}"#),
        ("site/composer.lock", r#"{"packages": [{"name": "laravel/framework", "version": "v12.4.0"}], "packages-dev": []}"#),
    ]), @"
    pom.xml maven g:a 4.0.1 by maven, lock -
      org.springframework.boot:spring-boot-starter-parent 4.0.1 = 4.0.1 Build
      org.apache.kafka:kafka-clients 4.1.0 = 4.1.0 Normal
    app.sln nuget - - by dotnet, lock -
    Directory.Packages.props nuget - - by dotnet, lock -
    App/App.csproj nuget App - by dotnet, lock -
      Serilog 4.0.0 = - Normal
      Dapper 2.1.35 = - Normal
    core/pom.xml maven g:core 1 by maven, lock -
      g:a 1 = 1 Build
      o:p 9 = 9 Dev
    shop/Gemfile gem - - by bundler, lock shop/Gemfile.lock
      rails ~> 8.0 = 8.0.1 Normal
      rspec - = 3.13.0 Dev
    site/composer.json composer a/site - by composer, lock site/composer.lock
      laravel/framework ^12.0 = 12.4.0 Normal
    svc/go.mod go example.com/svc - by go, lock -
      github.com/gin-gonic/gin v1.10.0 = 1.10.0 Normal
      a.b/c v2.0.0+incompatible = 2.0.0 Normal
    java 21 (pom.xml)
    dotnet 10.0 (App/App.csproj)
    ruby 3.4.1 (shop/Gemfile)
    php ^8.3 (site/composer.json)
    go 1.24 (svc/go.mod)
    ");
}

#[test]
fn gradle_builds_are_read_but_not_run() {
    insta::assert_snapshot!(render(&[
        ("settings.gradle.kts", "rootProject.name = \"x\"\ninclude(\":app\", \":lib\")\n"),
        ("gradle/libs.versions.toml", "[versions]\njunit = \"6.0.0\"\n[libraries]\njunit-api = { module = \"org.junit.jupiter:junit-jupiter\", version.ref = \"junit\" }\nokio = \"com.squareup.okio:okio:3.9.0\"\n"),
        ("app/build.gradle.kts", "plugins {\n    id(\"org.springframework.boot\") version \"4.0.1\"\n}\ndependencies {\n    implementation(\"io.quarkus:quarkus-rest:3.2\")\n    testImplementation(libs.junit.api)\n    // implementation(\"no:no:1\")\n}\n"),
    ]), @"
    settings.gradle.kts maven - - by gradle, lock -
      org.junit.jupiter:junit-jupiter 6.0.0 = - Normal
      com.squareup.okio:okio 3.9.0 = - Normal
    app/build.gradle.kts maven - - by gradle, lock -
      io.quarkus:quarkus-rest 3.2 = - Normal
      org.springframework.boot 4.0.1 = - Build
      org.junit.jupiter:junit-jupiter 6.0.0 = - Dev
    ! settings.gradle.kts: member `lib` is not a directory
    ");
}

#[test]
fn malformed_files_are_reported_and_skipped() {
    insta::assert_snapshot!(render(&[
        ("package.json", "{\"name\": \"a\",\n  \"dependencies\": {,}\n}"),
        ("Cargo.toml", "[package]\nname = \n"),
        ("go.mod", "nonsense\n"),
        ("pnpm-workspace.yaml", "packages: [a\n"),
        ("a/package.json", "[]"),
        ("b/package.json", r#"{"workspaces": ["nowhere/*", "../../outside", "/etc"], "dependencies": {"x": 3}}"#),
        ("c/pom.xml", "<xml/>"),
    ]), @"
    b/package.json npm - - by -, lock -
    ! package.json:2:20: key must be a string; file skipped
    ! Cargo.toml:2:8: string values must be quoted, expected literal string; file skipped
    ! go.mod:1:1: no module name; file skipped
    ! a/package.json: not an object; file skipped
    ! b/package.json: member `nowhere/*` is not a directory
    ! b/package.json: member `../../outside` is outside of the project
    ! b/package.json: member `/etc` is not a directory
    ! c/pom.xml:1:1: no <project> element; file skipped
    ");
}

#[test]
fn the_number_of_searched_directories_is_limited() {
    let files: Vec<(String, String)> = (0..500)
        .map(|at| (format!("packages/p{at}/package.json"), format!("{{\"name\": \"p{at}\"}}")))
        .collect();
    let mut files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (&**path, &**text)).collect();
    files.push(("package.json", r#"{"workspaces": ["packages/*"]}"#));
    let (_folder, stack) = project(&files);
    assert!((390..=400).contains(&stack.manifests.len()), "{}", stack.manifests.len());
    assert!(stack.problems.iter().any(|problem| problem.contains("stopped after")));
}

#[test]
fn links_out_of_the_project_are_not_followed() {
    let (folder, _) = project(&[("inner/.keep", ""), ("package.json", r#"{"name": "secret"}"#)]);
    let inner = folder.path().join("inner");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("package.json"), inner.join("package.json"))
        .expect("linked");
    assert_eq!(detect(&Disk::new(&inner)).manifests, []);
}

#[test]
fn guidance_is_detected() {
    let (folder, _) = project(&[
        ("AGENTS.md", ""),
        ("ai/memory/decisions.jsonl", ""),
        ("rules/a.md", ""),
        ("templates/index.html", ""),
        (".aidd/knowledge/data/x.md", ""),
    ]);
    let found = find_guidance(&Disk::new(folder.path()));
    assert!(found.detected && found.aidd);
    assert_eq!(found.instruction_files, ["AGENTS.md"]);
    let folders: Vec<(&str, &str)> = found.folders.iter().map(|(a, b)| (&**a, &**b)).collect();
    let expected = [("knowledge", ".aidd/knowledge"), ("memory", "ai/memory"), ("rules", "rules")];
    assert_eq!(folders, expected);
    let (folder, _) = project(&[("src/main.rs", ""), ("templates/a.md", "")]);
    assert_eq!(find_guidance(&Disk::new(folder.path())), ProjectGuidance::default());
}

use super::answer::{Request, read, request};
use super::*;
use crate::text::files::Memory;

fn found(files: &[(&str, &str)], user: &UserSettings, package: Package<'_>) -> String {
    let file = |(path, text): &(&str, &str)| ((*path).to_owned(), text.as_bytes().to_vec());
    let files = Memory(files.iter().map(file).collect());
    find(&files, user, package).map_or_else(|error| error.to_string(), |urls| urls.join(" "))
}

fn package<'a>(manifest: &'a str, ecosystem: Ecosystem, name: &'a str) -> Package<'a> {
    Package { manifest, ecosystem, name, registry: None, repositories: &[] }
}

#[test]
fn the_nearest_setting_selects_the_registry() {
    let user = UserSettings::default();
    let variables = HashMap::from([
        ("npm_config_registry".to_owned(), "https://env.example".to_owned()),
        ("GOPRIVATE".to_owned(), "*.corp.example,github.com/team".to_owned()),
        ("PIP_INDEX_URL".to_owned(), "https://pip.example/simple/".to_owned()),
    ]);
    let set = UserSettings {
        variables,
        npmrc: Some("@user:registry=https://user.example/\n".to_owned()),
        cargo: Some(
            "[registries.team]\nindex = \"sparse+https://crates.example/index/\"".to_owned(),
        ),
        ..UserSettings::default()
    };
    let npm = |name| package("apps/web/package.json", Ecosystem::Npm, name);
    let npmrc = (
        "apps/.npmrc",
        "; a comment\nregistry = \"https://npm.example/r/\"\n@team:registry=http://team.example\n",
    );
    let uv = (
        "pyproject.toml",
        "[[tool.uv.index]]\nname = 'a'\nurl = 'https://a.example/simple'\n[[tool.uv.index]]\nname = 'b'\nurl = 'https://b.example/simple'\nexplicit = true\n[tool.uv.sources]\npinned = { index = 'b' }\n",
    );
    let poetry = (
        "pyproject.toml",
        "[[tool.poetry.source]]\nname = 'p'\nurl = 'https://p.example/simple'\n[[tool.poetry.source]]\nname = 's'\nurl = 'https://s.example/simple'\npriority = 'supplemental'\n",
    );
    let yarn = (
        ".yarnrc.yml",
        "npmRegistryServer: https://yarn.example\nnpmScopes:\n  team:\n    npmRegistryServer: https://scope.example\n",
    );
    let cargo = (
        ".cargo/config.toml",
        "[source.crates-io]\nreplace-with = 'mirror'\n[source.mirror]\nregistry = 'sparse+https://mirror.example/index/'\n",
    );
    let vendored = (
        ".cargo/config.toml",
        "[source.crates-io]\nreplace-with = 'v'\n[source.v]\ndirectory = 'vendor'\n",
    );
    let python = |name| package("pyproject.toml", Ecosystem::Pypi, name);
    let team = Package { registry: Some("team"), ..package("Cargo.toml", Ecosystem::Cargo, "a") };
    for (files, user, package, expected) in [
        (&[][..], &user, npm("a"), "https://registry.npmjs.org"),
        (&[npmrc], &user, npm("a"), "https://npm.example/r"),
        (&[npmrc], &user, npm("@team/a"), "http://team.example"),
        (&[npmrc], &set, npm("@user/a"), "https://user.example"),
        (&[npmrc], &set, npm("@other/a"), "https://env.example"),
        (&[yarn], &user, npm("@team/a"), "https://scope.example"),
        (&[yarn], &user, npm("a"), "https://yarn.example"),
        (
            &[("bunfig.toml", "[install]\nregistry = { url = 'https://bun.example' }")],
            &user,
            npm("a"),
            "https://bun.example",
        ),
        (
            &[(".npmrc", "registry=https://${HOST}/")],
            &user,
            npm("a"),
            "the address of the registry contains a variable",
        ),
        (
            &[(".npmrc", "registry=https://a:b@c.example/")],
            &user,
            npm("a"),
            "the address of the registry contains credentials, which are not sent",
        ),
        (
            &[(".npmrc", "registry=file:///etc")],
            &user,
            npm("a"),
            "the registry is not at an HTTP address",
        ),
        (&[], &user, package("Cargo.toml", Ecosystem::Cargo, "a"), "https://index.crates.io"),
        (
            &[cargo],
            &user,
            package("a/Cargo.toml", Ecosystem::Cargo, "a"),
            "https://mirror.example/index",
        ),
        (
            &[vendored],
            &user,
            package("Cargo.toml", Ecosystem::Cargo, "a"),
            "a directory replaces the registry",
        ),
        (&[], &set, team, "https://crates.example/index"),
        (&[], &user, team, "the registry `team` is not configured"),
        (&[], &user, python("a"), "https://pypi.org/simple"),
        (&[], &set, python("a"), "https://pip.example/simple"),
        (&[uv], &user, python("a"), "https://a.example/simple https://pypi.org/simple"),
        (&[uv], &user, python("pinned"), "https://b.example/simple"),
        (&[poetry], &set, python("a"), "https://p.example/simple https://s.example/simple"),
        (
            &[("requirements.txt", "--index-url https://i.example/simple\na==1\n")],
            &set,
            package("requirements.txt", Ecosystem::Pypi, "a"),
            "https://i.example/simple",
        ),
        (
            &[("requirements.txt", "--no-index\n")],
            &user,
            package("requirements.txt", Ecosystem::Pypi, "a"),
            "the settings of the project disable indexes",
        ),
        (
            &[],
            &set,
            package("go.mod", Ecosystem::Go, "git.corp.example/a/b"),
            "the module is private",
        ),
        (&[], &set, package("go.mod", Ecosystem::Go, "github.com/team/a"), "the module is private"),
        (
            &[],
            &set,
            package("go.mod", Ecosystem::Go, "github.com/other/a"),
            "https://proxy.golang.org",
        ),
        (&[], &user, package("a.csproj", Ecosystem::Nuget, "a"), "NuGet is not supported"),
    ] {
        assert_eq!(found(files, user, package), expected, "{files:?} {package:?}");
    }
    let off = UserSettings { go: Some("GOPROXY=off\n".to_owned()), ..UserSettings::default() };
    let module = package("go.mod", Ecosystem::Go, "a.example/b");
    assert_eq!(found(&[], &off, module), "`GOPROXY` names no proxy");
    let mirror = "<settings><mirrors><mirror><mirrorOf>*</mirrorOf><url>https://m.example/maven</url></mirror></mirrors></settings>";
    let user = UserSettings { maven: Some(mirror.to_owned()), ..UserSettings::default() };
    let artifact = package("pom.xml", Ecosystem::Maven, "g:a");
    assert_eq!(found(&[], &user, artifact), "https://m.example/maven");
}

#[test]
fn requests_use_the_protocol_of_the_ecosystem() {
    let url =
        |ecosystem, name| request(ecosystem, "https://r", name).map(|Request { url, .. }| url);
    for (ecosystem, name, expected) in [
        (Ecosystem::Npm, "@a/b", Some("https://r/@a%2fb")),
        (Ecosystem::Npm, "a/b", None),
        (Ecosystem::Npm, "../a", None),
        (Ecosystem::Npm, "a?b", None),
        (Ecosystem::Cargo, "A", Some("https://r/1/a")),
        (Ecosystem::Cargo, "abc", Some("https://r/3/a/abc")),
        (Ecosystem::Cargo, "serde", Some("https://r/se/rd/serde")),
        (Ecosystem::Pypi, "Zope.Interface", Some("https://r/zope-interface/")),
        (Ecosystem::Go, "github.com/Azure/a", Some("https://r/github.com/!azure/a/@v/list")),
        (Ecosystem::Gem, "rails", Some("https://r/info/rails")),
        (Ecosystem::Composer, "A/b", Some("https://r/p2/a/b.json")),
        (Ecosystem::Maven, "org.a:b", Some("https://r/org/a/b/maven-metadata.xml")),
        (Ecosystem::Maven, "org.a", None),
        (Ecosystem::Gem, "", None),
        (Ecosystem::Gem, "é", None),
    ] {
        assert_eq!(url(ecosystem, name).as_deref(), expected, "{name}");
    }
}

#[test]
fn responses_are_read() {
    for (ecosystem, text, latest, version, withdrawn) in [
        (
            Ecosystem::Npm,
            r#"{"dist-tags":{"latest":"2.0.0"},"versions":{"1.0.0":{"deprecated":"use 2"},"2.0.0":{}}}"#,
            "2.0.0",
            "1.0.0",
            Some("deprecated: use 2"),
        ),
        (
            Ecosystem::Cargo,
            "{\"vers\":\"1.2.0\",\"yanked\":true}\n{\"vers\":\"1.1.0\"}\n{\"vers\":\"2.0.0-rc.1\"}\n",
            "1.1.0",
            "1.2.0",
            Some("yanked"),
        ),
        (
            Ecosystem::Pypi,
            r#"{"versions":["1.0","2.0","3.0rc1"],"files":[{"filename":"a-2.0.tar.gz","yanked":"broken"},{"filename":"a-1.0-py3-none-any.whl","yanked":false},{"filename":"a-1.0.tar.gz","yanked":true}]}"#,
            "1.0",
            "2.0",
            Some("yanked"),
        ),
        (Ecosystem::Go, "v1.9.0\nv1.10.0\nv1.11.0-beta.1\n", "v1.10.0", "v1.9.0", None),
        (
            Ecosystem::Gem,
            "created_at: x\n---\n7.0.0 a:>= 1|checksum:1\n7.1.0-java |checksum:2\n8.0.0.beta1 |checksum:3\n",
            "7.1.0",
            "7.0.0",
            None,
        ),
        (
            Ecosystem::Composer,
            r#"{"packages":{"a/b":[{"version":"v2.1.0","abandoned":"c/d"},{"version":"v2.10.0"},{"version":"3.0.0-RC1"}]}}"#,
            "v2.10.0",
            "v2.1.0",
            Some("abandoned: use c/d"),
        ),
        (
            Ecosystem::Maven,
            "<metadata><versioning><release>2.0-M1</release><versions><version>1.9.Final</version><version>1.10</version><version>2.0-M1</version></versions></versioning></metadata>",
            "1.10",
            "1.9.Final",
            None,
        ),
    ] {
        let published = read(ecosystem, "a/b", text).expect("a list of versions");
        assert_eq!(published.latest.as_deref(), Some(latest), "{text}");
        assert!(published.has(version), "{text}");
        assert_eq!(published.withdrawn(version), withdrawn, "{text}");
        for broken in ["", "<html>", "[]", "{}", "null"] {
            let read = read(ecosystem, "a/b", broken);
            assert!(read.is_none(), "{ecosystem}: {broken}");
        }
    }
}

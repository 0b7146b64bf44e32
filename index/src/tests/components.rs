//! Components of Vue, Svelte and Astro in the index.

use super::{dump, dump_fresh, project, update, write};
use crate::query::Reader;
use std::path::Path;

/// The callers of a symbol as `name path:line certainty`.
fn callers(root: &Path, name: &str) -> Vec<String> {
    let reader = Reader::open(root).expect("an index");
    let target = reader.named(name).expect("read").into_iter().next().expect("a symbol");
    let found = reader.callers(target.id, true).expect("read");
    let line = |call: crate::query::CallRow| {
        let name = call.symbol.map(|symbol| symbol.qualified).unwrap_or_default();
        format!("{name} {}:{} {}", call.path, call.line, call.certainty)
    };
    found.into_iter().map(line).collect()
}

#[test]
fn components_call_functions_and_use_components() {
    let dir = project(&[
        (
            "src/auth.ts",
            "export const auth = { login() {}, logout() {} };\nexport function form() {}\n",
        ),
        (
            "src/Login.vue",
            "<template>\n<form @submit.prevent=\"auth.login()\"><MyInput /></form>\n</template>\n\
             <script lang=\"ts\" setup>\nimport MyInput from './MyInput.vue'\nimport { auth, form } from './auth'\n\
             form()\n</script>\n",
        ),
        (
            "src/MyInput.vue",
            "<script>\nexport default { methods: { send() {} } }\n</script>\n<template><input @input=\"send\" /></template>\n",
        ),
        (
            "src/App.vue",
            "<script setup>\nconst Login = load(() => import('./Login.vue'))\n</script>\n<template><Login /></template>\n",
        ),
        (
            "src/Page.svelte",
            "<script>\nimport { auth } from './auth';\n</script>\n<p on:click={auth.logout}>x</p>\n",
        ),
        ("src/Page.astro", "---\nimport Page from './Page.svelte';\n---\n<Page client:load />\n"),
        (
            "src/Login.test.ts",
            "import Login from './Login.vue';\n\ntest('a', () => { render(Login); });\n",
        ),
    ]);
    update(dir.path());
    assert_eq!(callers(dir.path(), "auth.login"), ["Login src/Login.vue:2 proved"]);
    assert_eq!(callers(dir.path(), "form"), ["Login src/Login.vue:7 proved"]);
    assert_eq!(callers(dir.path(), "MyInput"), ["Login src/Login.vue:2 proved"]);
    assert_eq!(callers(dir.path(), "MyInput.send"), ["MyInput src/MyInput.vue:4 proved"]);
    assert_eq!(
        callers(dir.path(), "src/Login.vue#Login~component"),
        ["Login src/App.vue:2 proved", "a src/Login.test.ts:3 proved"]
    );
    assert_eq!(callers(dir.path(), "auth.logout"), ["Page src/Page.svelte:4 proved"]);
    assert_eq!(
        callers(dir.path(), "src/Page.svelte#Page~component"),
        ["Page src/Page.astro:4 proved"]
    );
    let reader = Reader::open(dir.path()).expect("an index");
    let login = reader.named("auth.login").expect("read");
    assert_eq!(reader.reach(login).expect("read").tests, ["src/Login.test.ts"]);
    assert!(reader.dead(false, 10).expect("read").symbols.is_empty());
}

#[test]
fn names_that_are_not_imported_are_possible() {
    let dir = project(&[
        ("nuxt.config.ts", "export default defineNuxtConfig({});\n"),
        ("composables/user.ts", "export function useUser() {}\nfunction own() {}\n"),
        ("components/UserCard.vue", "<template><p /></template>\n"),
        (
            "pages/index.vue",
            "<script setup>\nconst user = useUser()\nown()\n</script>\n<template><UserCard /></template>\n",
        ),
        ("pages/other.ts", "export function f(useUser: () => void) { useUser(); }\n"),
    ]);
    update(dir.path());
    assert_eq!(callers(dir.path(), "useUser"), ["index pages/index.vue:2 possible"]);
    assert_eq!(callers(dir.path(), "UserCard"), ["index pages/index.vue:5 possible"]);
    assert!(callers(dir.path(), "own").is_empty());
}

#[test]
fn an_edited_component_equals_a_new_index() {
    let dir = project(&[
        ("a.ts", "export function one() {}\nexport function two() {}\n"),
        (
            "A.vue",
            "<script setup>\nimport { one } from './a'\n</script>\n<template><p @click=\"one\" /></template>\n",
        ),
        ("B.svelte", "<script>\nimport A from './A.vue';\n</script>\n<A />\n"),
    ]);
    update(dir.path());
    let edits = [
        (
            "A.vue",
            "<script setup>\nimport { two as one } from './a'\n</script>\n<template>{{ one() }}<B /></template>\n",
        ),
        ("a.ts", "export function one() {}\nexport const two = { three() {} };\n"),
        (
            "A.vue",
            "<script>\nexport default { methods: { one() {} } }\n</script>\n<template>{{ one() }}</template>\n",
        ),
        ("C.vue", "<template><A /></template>\n"),
        ("views/a.blade.php", "{{ $x }}\n"),
    ];
    for (path, text) in edits {
        write(dir.path(), path, text);
        update(dir.path());
        let edited = dump(dir.path());
        assert_eq!(edited, dump_fresh(dir.path()), "{path}");
    }
}

#[test]
fn handlers_of_routes_are_not_untested() {
    let dir = project(&[
        (
            "urls.py",
            "from django.urls import path\nfrom views import ping, load\n\nurlpatterns = [\n    path(\"ping/<code>/\", ping, name=\"ping-url\"),\n    path(\"load/\", load),\n]\n",
        ),
        (
            "views.py",
            "def ping(request, code):\n    save(code)\n\ndef load(request):\n    pass\n\ndef save(code):\n    pass\n\ndef other():\n    pass\n",
        ),
        ("tests/test_ping.py", "def test_ping(client):\n    client.get(\"/ping/%s/\" % 1)\n"),
        ("tests/test_name.py", "def test_name(client):\n    client.get(reverse(\"ping-url\"))\n"),
        ("tests/test_more.py", "def test_more():\n    other\n"),
        ("templates/a.html", "{{ x }}\n"),
    ]);
    update(dir.path());
    let reader = Reader::open(dir.path()).expect("an index");
    let disk = aidd_engine::text::files::Disk::new(dir.path());
    let reach = |name: &str| {
        let reach = reader.reach(reader.named(name).expect("read")).expect("read");
        let untested: Vec<String> = reach.untested.into_iter().map(|at| at.qualified).collect();
        let routes: Vec<String> = reach.routes.iter().map(|route| route.path.clone()).collect();
        (untested, routes, reader.http_tests(&reach.routes, &disk).expect("read"))
    };
    let ping = || vec!["/ping/<code>/".to_owned()];
    let tests = || vec!["tests/test_name.py".to_owned(), "tests/test_ping.py".to_owned()];
    assert_eq!(reach("ping"), (vec![], ping(), tests()));
    assert_eq!(reach("save"), (vec![], ping(), tests()));
    assert_eq!(reach("load"), (vec![], vec!["/load/".to_owned()], vec![]));
    assert_eq!(reach("other"), (vec!["other".to_owned()], vec![], vec![]));
    let note = reader.all_unread_templates().expect("read");
    let expected = "1 .html file is not in the index; uses in templates are not counted";
    assert_eq!(note.as_deref(), Some(expected));
}

#[test]
fn unknown_names_of_a_question_are_listed() {
    let dir = project(&[
        (
            "login.ts",
            "export function loginUser() {}\nexport function ensureWorkingDirectory() {}\n",
        ),
        ("CredentialsLogin.vue", "<template><p /></template>\n"),
    ]);
    update(dir.path());
    let reader = Reader::open(dir.path()).expect("an index");
    let unknown = |question: &str| reader.subject(question, 3).expect("read").unknown;
    assert_eq!(unknown("LoginService"), ["LoginService"]);
    assert_eq!(unknown("where is src/nope.ts used"), ["src/nope.ts"]);
    assert!(unknown("how does login work").is_empty());
    assert!(unknown("loginUser").is_empty());
    let similar = |question: &str| {
        let found = reader.subject(question, 3).expect("read").similar;
        found.into_iter().map(|symbol| symbol.qualified).collect::<Vec<_>>()
    };
    assert!(!similar("how does login work").contains(&"ensureWorkingDirectory".to_owned()));
    assert_eq!(similar("ensure a directory when we work"), ["ensureWorkingDirectory"]);
    let near = reader.nearest_file("a/Login.vue").expect("read");
    assert_eq!(near.as_deref(), Some("CredentialsLogin.vue"));
}

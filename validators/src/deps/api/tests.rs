use super::table::Origin;
use super::*;
use aidd_engine::parse::syntax::Tree;
use aidd_engine::text::source::Source;
use aidd_engine::text::time_limit::Deadline;
use proptest::prelude::*;
use std::time::Duration;

/// The uses in a text, as `line name`.
fn found(path: &str, text: &str) -> Vec<String> {
    let source = Source::new(path, text);
    let line = |found: &Use<'_>| format!("{} {}", source.line_of(found.span.start) + 1, found.name);
    with_uses(&source, |uses| uses.iter().map(line).collect())
}

fn with_uses<T>(source: &Source, read: impl Fn(&[Use<'_>]) -> T) -> T {
    let (path, text) = (source.path(), source.text());
    let tree = Tree::new(source);
    let root = tree.root().expect("a supported language");
    let facts = tree.get().and_then(|tree| imports::read_tree(path, tree)).expect("imports");
    read(&uses(root, &facts, syntax_of(&facts), text, &APIS))
}

fn syntax_of(facts: &Facts) -> Syntax {
    match facts.language {
        Language::Python => Syntax::Python,
        Language::Go => Syntax::Go,
        _ => Syntax::Script,
    }
}

#[test]
fn uses_in_javascript_follow_the_bindings_of_imports() {
    for (text, expected) in [
        ("import * as D from 'react-dom';\nD.render(a);\n", &["2 render"][..]),
        ("const D = require('react-dom');\nconst { hydrate: h, b } = D;\n", &["2 hydrate"]),
        ("const { hydrate } = require('react-dom');\n", &["1 hydrate"]),
        ("export { render } from 'react-dom';\n", &["1 render"]),
        ("require('react-dom').render(a);\n", &["1 render"]),
        ("import { createApp as render } from 'vue';\nrender(a);\n", &[]),
        ("import Vue from 'vue';\nnew Vue();\n", &["1 default"]),
        ("import type { render } from 'react-dom';\n", &[]),
        ("import D from 'react-dom';\nD.render = jest.fn();\nD.render?.(a);\n", &[]),
        (
            "import D from 'react-dom';\nif (major < 18) D.render(a);\nD.b && D.render(a);\n",
            &["2 render", "3 render"],
        ),
        ("import D from 'react-dom';\nconst a = version < 18 ? D.render(b) : c;\n", &[]),
        ("try { var D = require('uuid/v4'); } catch {}\n", &[]),
        ("import 'rxjs/add/operator/map';\n", &["1 rxjs/add/operator/map"]),
        ("import util from 'node:util';\nutil.isDate(a);\nutil.types.isDate(a);\n", &["2 isDate"]),
        // The values of a name.
        ("import express from 'express';\nlet app;\napp = express();\napp.del('/');\n", &["4 del"]),
        (
            "import express from 'express';\nfunction a(app) {}\nconst app = express();\napp.del('/');\n",
            &[],
        ),
        (
            "import express from 'express';\nlet app = express();\napp = other();\napp.del('/');\n",
            &[],
        ),
        ("import express from 'express';\nconst { app } = express();\napp.del('/');\n", &[]),
        ("import express from 'express';\nconst a = express(), b = a;\nb.del('/');\n", &["3 del"]),
        (
            "import { expect } from '@jest/globals';\nexpect(a).not.toBeCalled();\n",
            &["2 toBeCalled"],
        ),
        ("import { z } from 'zod';\nz.string().min(1).email();\n", &["2 email"]),
    ] {
        assert_eq!(found("a.tsx", text), expected, "{text}");
    }
}

#[test]
fn uses_in_python_follow_the_bindings_of_imports() {
    for (text, expected) in [
        ("import numpy as np\nnp.float_(1)\n", &["2 float_"][..]),
        ("import django.utils.encoding\ndjango.utils.encoding.force_text(a)\n", &["2 force_text"]),
        ("from django.utils import encoding as e\ne.force_text(a)\n", &["2 force_text"]),
        ("from distutils.core import setup\n", &["1 distutils.core.setup"]),
        ("from .distutils import core\n", &[]),
        ("if a:\n    import imp\nelse:\n    import importlib\n", &[]),
        ("def f():\n    import imp\n", &["2 imp"]),
        ("try:\n    import cgi\nexcept ImportError:\n    cgi = None\n", &[]),
        ("import numpy as np\ntry:\n    a = np.float_\nexcept AttributeError:\n    pass\n", &[]),
        ("import numpy as np\ndef f(np):\n    return np.float_\n", &[]),
        ("import numpy as np\nnp.float_ = float\n", &[]),
        // The values of a name.
        (
            "import pandas as pd\na = pd.read_csv(b)\na = a.append(c)\na.append(c)\n",
            &["3 append", "4 append"],
        ),
        ("import pandas as pd\na = pd.read_csv(b)\na = a.values.tolist()\na.append(c)\n", &[]),
        ("import pandas as pd\na = []\na.append(pd.DataFrame())\n", &[]),
        ("import pandas as pd\ndef f(a: pd.DataFrame):\n    a.iteritems()\n", &["3 iteritems"]),
        ("import pandas as pd\nfor a in b:\n    a.append(1)\na = pd.DataFrame()\n", &[]),
        (
            "from flask import Flask\napp = Flask('a')\n@app.before_first_request\ndef f(): pass\n",
            &["3 before_first_request"],
        ),
        ("from sqlalchemy import orm\norm.mapper(A, b)\nlisten(orm.mapper)\n", &["2 mapper"]),
        ("import pytest\npytest.skip(msg='a')\npytest.skip('a')\n", &["2 msg"]),
        ("from datetime import datetime as dt\ndt.utcnow()\n", &["2 utcnow"]),
    ] {
        assert_eq!(found("a.py", text), expected, "{text}");
    }
}

#[test]
fn uses_in_go_follow_the_bindings_of_imports() {
    let text = "package a\n\nimport s \"strings\"\n\nfunc f() {\n\ts.Title(a)\n}\n";
    assert_eq!(found("a.go", text), ["6 Title"]);
    let text = "package a\n\nimport \"strings\"\n\nfunc f(strings T) {\n\tstrings.Title(a)\n}\n";
    assert_eq!(found("a.go", text), [""; 0]);
    let text = "package a\n\nimport p \"github.com/golang/protobuf/proto\"\n";
    assert_eq!(found("a.go", text), ["3 github.com/golang/protobuf/proto"]);
}

/// Texts whose parts refer to each other, repeated `count` times.
fn repeated(count: usize) -> [(&'static str, String); 4] {
    let nested = "if (a) { ".repeat(20) + &"}".repeat(20);
    let script = format!(
        "import D from 'react-dom';\nimport express from 'express';\n{}",
        format!("const app = express();\napp.del(D.render(a.b.c.d.e));\n{nested}\n").repeat(count)
    );
    let python = format!(
        "import numpy as np\nimport pandas as pd\n{}",
        "a = pd.DataFrame()\na = a.append(np.float_)\nb = a\nb.mad()\n".repeat(count)
    );
    let imports = "import imp\nfrom django.utils import six\n".repeat(count);
    let go = format!(
        "package a\nimport \"strings\"\nfunc f() {{\n{}}}\n",
        "a := strings.Title(b)\n".repeat(count)
    );
    [("a.js", script), ("a.py", python), ("b.py", imports), ("a.go", go)]
}

#[test]
fn the_time_grows_linearly_with_the_text() {
    let time = |path: &str, text: &str| {
        let source = Source::new(path, text);
        let mut shortest = Duration::MAX;
        for _ in 0..3 {
            shortest = shortest.min(time_of_uses(&source));
        }
        shortest
    };
    for ((path, short), (_, long)) in repeated(100).into_iter().zip(repeated(800)) {
        // Other processes can slow down a single measurement.
        let is_linear = || {
            let limit = time(path, &short).max(Duration::from_millis(1)) * 12;
            time(path, &long) <= limit
        };
        assert!((0..6).any(|_| is_linear()), "{path}");
    }
}

/// The time to find the uses, without the time to parse the text.
fn time_of_uses(source: &Source) -> Duration {
    let (path, text) = (source.path(), source.text());
    let tree = Tree::new(source);
    let root = tree.root().expect("a supported language");
    let facts = tree.get().and_then(|tree| imports::read_tree(path, tree)).expect("imports");
    let syntax = syntax_of(&facts);
    // Other programs do not count.
    let hour = Duration::from_secs(3600);
    let deadline = Deadline::after(hour);
    assert!(!uses(root, &facts, syntax, text, &APIS).is_empty());
    hour - deadline.remaining()
}

/// The path of the file and a text that uses the API.
fn example(api: &Api) -> (&'static str, String) {
    let origin = APIS.packages[api.package].origin;
    let path = api.path;
    if matches!(origin, Origin::Pypi | Origin::Python) {
        let root = path.split(['.', '(']).next().unwrap_or(path);
        return match &api.argument {
            Some(argument) => ("a.py", format!("import {root}\n{path}({argument}=1)\n")),
            None if path == root => ("a.py", format!("import {path}\n")),
            None => ("a.py", format!("import {root}\n{path}\n")),
        };
    }
    let (module, name) = path.split_once('#').unwrap_or((path, ""));
    let module = if module.ends_with('/') { format!("{module}a") } else { module.to_owned() };
    let is_go = matches!(origin, Origin::Go | Origin::Module);
    let dot = if name.starts_with('(') { "" } else { "." };
    match name {
        "" if is_go => ("a.go", format!("package a\n\nimport m \"{module}\"\n")),
        _ if is_go => {
            ("a.go", format!("package a\n\nimport m \"{module}\"\n\nvar a = m{dot}{name}\n"))
        }
        "" => ("a.ts", format!("import \"{module}\";\n")),
        "default" => ("a.ts", format!("import m from \"{module}\";\n")),
        _ => ("a.ts", format!("import * as m from \"{module}\";\nm{dot}{name};\n")),
    }
}

#[test]
fn each_api_of_the_table_is_found() {
    for api in &APIS.apis {
        let (path, text) = example(api);
        assert!(APIS.may_use(&text, part_with_imports(&text, path == "a.go")), "{text}");
        let source = Source::new(path, text.as_str());
        let is_found = with_uses(&source, |uses| {
            uses.iter()
                .any(|found| found.api.path == api.path && found.api.argument == api.argument)
        });
        assert!(is_found, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_can_be_read(text in "([a-z(){}.,=:\\[\\]?\\n ]|import |from |require\\('react-dom'\\)|express|np\\.|def |const |if |try:|\\{ a: b \\} = |app = ){0,60}") {
        for path in ["a.tsx", "a.py", "a.go"] {
            let source = Source::new(path, text.as_str());
            with_uses(&source, |uses| {
                for found in uses {
                    assert!(source.text().get(found.span.range()).is_some_and(|name| !name.is_empty()));
                }
            });
        }
    }
}

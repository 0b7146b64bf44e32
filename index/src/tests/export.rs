//! The index in the formats of other tools.

use super::{project, update};
use crate::query::Reader;
use protobuf::Message as _;

fn reader(files: &[(&str, &str)]) -> (tempfile::TempDir, Reader) {
    let dir = project(files);
    update(dir.path());
    let reader = Reader::open(dir.path()).expect("an index");
    (dir, reader)
}

#[test]
fn tags_are_sorted_lines_of_the_extended_format() {
    let (_dir, reader) = reader(&[
        ("b.py", "class Box:\n    def open(self, key):\n        pass\n"),
        ("a b.ts", "export function Close(a: string, b = 1): Array<string> {\n  return [];\n}\n"),
        ("c.test.ts", "test('a title', () => {});\n"),
        ("d.rb", "class V\n  def !\n    1\n  end\nend\n"),
    ]);
    let text = reader.tags().expect("tags");
    let (header, tags): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with("!_TAG_"));
    assert!(header.contains(&"!_TAG_FILE_SORTED\t1\t/0=unsorted, 1=sorted, 2=foldcase/"));
    assert_eq!(
        tags,
        [
            "Box\tb.py\t1;\"\tkind:class\tline:1\tlanguage:python\tend:3",
            "Close\ta b.ts\t1;\"\tkind:function\tline:1\tlanguage:typescript\tsignature:(a, b)\ttyperef:typename:Array<string>\tend:3",
            "V\td.rb\t1;\"\tkind:class\tline:1\tlanguage:ruby\tend:5",
            "\\x21\td.rb\t2;\"\tkind:method\tline:2\tscope:class:V\tlanguage:ruby\tsignature:()\tend:4",
            "open\tb.py\t2;\"\tkind:method\tline:2\tscope:class:Box\tlanguage:python\tsignature:(self, key)\tend:3",
        ]
    );
}

const LAYERS: &[(&str, &str)] = &[
    (
        "src/api/one.ts",
        "import { save } from '../store/db';\nexport function one() { save(); save(); }\n",
    ),
    ("src/api/two (x).ts", "import { one } from './one';\nexport function two() { one(); }\n"),
    ("src/store/db.ts", "import { log } from '../util/log';\nexport function save() { log(); }\n"),
    ("src/util/log.ts", "export function log() {}\n"),
    ("src/api/one.test.ts", "import { one } from './one';\ntest('a', () => { one(); });\n"),
];

#[test]
fn the_flowchart_shows_references_between_directories() {
    let (_dir, reader) = reader(LAYERS);
    assert_eq!(
        reader.mermaid(&[], 30).expect("a chart"),
        "flowchart LR
  accTitle: Dependencies
  accDescr: 3 of 3 directories and files with 2 dependencies; each number counts proved references
  n1[\"src/api\"]
  n2[\"src/store\"]
  n3[\"src/util\"]
  n1 -->|2| n2
  n2 -->|1| n3
"
    );
    // The nodes with the most references.
    let chart = reader.mermaid(&[], 2).expect("a chart");
    assert!(chart.contains("2 of 3") && !chart.contains("src/util"), "{chart}");
}

#[test]
fn files_in_focus_have_nodes_of_their_own() {
    let (_dir, reader) = reader(LAYERS);
    assert_eq!(
        reader.mermaid(&["src/api".to_owned()], 30).expect("a chart"),
        "flowchart LR
  accTitle: Dependencies
  accDescr: 4 of 4 directories and files with 3 dependencies; each number counts proved references
  n1[\"src/api/one.test.ts\"]
  n2[\"src/api/one.ts\"]
  n3[\"src/api/two #40;x#41;.ts\"]
  n4[\"src/store\"]
  n1 -->|1| n2
  n2 -->|2| n4
  n3 -->|1| n2
"
    );
}

#[test]
fn scip_contains_definitions_and_proved_references() {
    let (_dir, reader) = reader(&[
        (
            "lib/base.py",
            "class Base:\n    \"\"\"The base.\"\"\"\n    def run(self):\n        pass\n",
        ),
        (
            "main.py",
            "from lib.base import Base\n\nclass App(Base):\n    pass\n\ndef twice():\n    Base().run()\n\ndef twice():\n    unknown()\n",
        ),
    ]);
    let mask =
        |texts: Vec<String>| texts.into_iter().map(|text| text.replace("The", "A")).collect();
    let bytes = reader.scip("file:///project/", mask).expect("an index");
    let index = scip::types::Index::parse_from_bytes(&bytes).expect("a readable index");
    assert_eq!(index.metadata.project_root, "file:///project/");
    let mut lines = Vec::new();
    for document in &index.documents {
        for at in &document.occurrences {
            let symbol = scip::symbol::parse_symbol(&at.symbol).expect("a valid symbol");
            assert_eq!(scip::symbol::format_symbol(symbol), at.symbol);
            lines.push(format!(
                "{} {:?} {} {}",
                document.relative_path, at.range, at.symbol_roles, at.symbol
            ));
        }
        for symbol in &document.symbols {
            let bases: Vec<_> = symbol.relationships.iter().map(|at| &at.symbol).collect();
            lines.push(format!(
                "  {:?} {} {:?} {:?}",
                symbol.kind, symbol.display_name, symbol.documentation, bases
            ));
        }
    }
    assert_eq!(
        lines,
        [
            "lib/base.py [0, 6, 10] 1 aidd . . . `lib/base.py`/Base#",
            "lib/base.py [2, 8, 11] 1 aidd . . . `lib/base.py`/Base#run().",
            "  Class Base [\"A base.\"] []",
            "  Method run [] []",
            "main.py [2, 6, 9] 1 aidd . . . `main.py`/App#",
            "main.py [2, 10, 14] 0 aidd . . . `lib/base.py`/Base#",
            "main.py [5, 4, 9] 1 aidd . . . `main.py`/twice().",
            "main.py [6, 4, 8] 0 aidd . . . `lib/base.py`/Base#",
            "main.py [6, 11, 14] 0 aidd . . . `lib/base.py`/Base#run().",
            "main.py [8, 4, 9] 1 aidd . . . `main.py`/twice(+1).",
            "  Class App [] [\"aidd . . . `lib/base.py`/Base#\"]",
            "  Function twice [] []",
            "  Function twice [] []",
        ]
    );
}

#[test]
fn parts_of_names_are_found_without_wildcards() {
    let (_dir, reader) =
        reader(&[("a.py", "def read_file():\n    pass\n\ndef readXfile():\n    pass\n")]);
    let find = |text: &str| {
        let found = reader.find(text, 9).expect("symbols");
        found.into_iter().map(|symbol| symbol.qualified).collect::<Vec<_>>()
    };
    assert_eq!(find("AD_F"), ["read_file"]);
    assert_eq!(find("read"), ["read_file", "readXfile"]);
    assert!(find("%").is_empty());
}

//! The rule on libraries that are bundled in full.

use super::ast::{call_of, contains, name_of, span, string_argument};
use super::imports::Imports;
use super::project::Package;
use super::walk::Walker;
use super::{claims_script, is_minified, is_other_purpose, script_only};
use crate::cached::cached_unedited;
use crate::scripts::with_program_of_type;
use crate::test_files;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::SourceType;
use std::sync::Arc;

/// Libraries of which an import takes all: module, narrow alternative.
const WHOLE: [(&str, &str); 7] = [
    ("lodash", "`lodash-es`, or the function from its own path such as `lodash/debounce`"),
    ("underscore", "`underscore/modules/…`"),
    ("rxjs/Rx", "`rxjs`"),
    ("aws-sdk", "the client of the service, such as `@aws-sdk/client-s3`"),
    ("highlight.js", "`highlight.js/lib/core` and the languages"),
    ("mathjs", "the functions from `mathjs/number`"),
    ("@fortawesome/free-solid-svg-icons", "the icons by name"),
];

/// Packages of which a part is chosen by a computed name, so that bundlers must keep all.
const ICONS: [&str; 7] = [
    "lucide-react",
    "@mui/icons-material",
    "@heroicons/react/24/outline",
    "@heroicons/react/24/solid",
    "@tabler/icons-react",
    "phosphor-react",
    "date-fns/locale",
];

/// Maximum number of files of a package that are searched for imports.
const MAX_FILES: usize = 20_000;

/// An import of a whole library: the place, the library, and what to import instead.
type Whole<'a> = (Span, &'a str, &'a str);

/// Reports imports of whole libraries in code that runs in browsers, once for each library and package.
pub(super) fn check<'a>(walker: &mut Walker<'a, '_, '_>, program: &Program<'a>) {
    let path = walker.report.source().path().to_owned();
    let found = find(walker.text, program, &walker.imports, walker.package, &path);
    let mut reported: Vec<&str> = Vec::new();
    for (place, library, narrow) in found {
        if reported.contains(&library) || !walker.report.begin(RULE) {
            continue;
        }
        reported.push(library);
        let users = users(walker.files, walker.package, library);
        let mut others = users.iter().filter(|user| **user != path).peekable();
        if others.peek().is_some_and(|first| **first < path) {
            continue;
        }
        let message = match others.count() {
            0 => format!("`{library}` is bundled in full"),
            others => format!("`{library}` is bundled in full: {} files import it", others + 1),
        };
        if let Some(finding) = walker.at(RULE, place, message) {
            finding.help(format!("Import {narrow}."));
        }
    }
}

const RULE: &str = "perf/whole-library-import";

/// The files of a package that import a whole library, ordered; empty if the files of the project are
/// not known. What it shows of a file that is edited can be outdated.
fn users(files: &dyn Files, package: &Package, library: &str) -> Arc<Vec<String>> {
    let find = || -> Vec<String> {
        let paths = files.listing().map(|listing| listing.below(package.dir.trim_end_matches('/')));
        let scripts = paths.unwrap_or_default().iter().filter(|path| is_script(path));
        let is_user = |path: &&String| imports_all(files, package, path, library);
        scripts.take(MAX_FILES).filter(is_user).cloned().collect()
    };
    cached_unedited(files, &format!("perf users of {library} in {}", package.dir), find)
}

fn is_component(path: &str) -> bool {
    path.ends_with(".vue") || path.ends_with(".svelte")
}

fn is_script(path: &str) -> bool {
    (claims_script(path) || is_component(path)) && !test_files::is_test(path)
}

/// Whether the file at the path belongs to the package and imports the whole library.
fn imports_all(files: &dyn Files, package: &Package, path: &str, library: &str) -> bool {
    let Some(text) = side_file(files, path).filter(|text| contains(text, library)) else {
        return false;
    };
    let is_checked = Package::of_file(files, path).dir == package.dir
        && !is_minified(&text)
        && !is_other_purpose(path, files);
    if !is_checked {
        return false;
    }
    let (text, source_type) = if is_component(path) {
        (script_only(&text), SourceType::ts())
    } else {
        (text, SourceType::from_path(path).unwrap_or_default())
    };
    let mut is_whole = false;
    // A script that is too complex is not checked either.
    let _ = with_program_of_type(&text, source_type, |program| {
        let mut imports = Imports::new(program);
        imports.set_path(package, path);
        let found = find(&text, program, &imports, package, path);
        is_whole = found.iter().any(|(_, name, _)| *name == library);
    });
    is_whole
}

/// The imports of whole libraries in a script, if it runs in browsers.
fn find<'a>(
    text: &str,
    program: &Program<'a>,
    imports: &Imports<'a>,
    package: &Package,
    path: &str,
) -> Vec<Whole<'a>> {
    let mut found: Vec<Whole<'a>> = Vec::new();
    if package.narrows_imports || !imports.run_in_browser(text, package, path) {
        return found;
    }
    let whole = |module: &str| WHOLE.iter().find(|(name, _)| *name == module);
    for import in imports.all.iter().filter(|import| !import.is_type) {
        let Some((library, narrow)) = whole(import.module) else { continue };
        // These are published as ES modules, of which bundlers take single names.
        let takes_all = match *library {
            "mathjs" => import.name == "*" || import.name == "default",
            "@fortawesome/free-solid-svg-icons" => import.name == "fas",
            _ => true,
        };
        if takes_all && found.last().is_none_or(|(place, ..)| *place != import.span) {
            found.push((import.span, library, narrow));
        }
    }
    for (module, place) in &imports.bare {
        found.extend(whole(module).map(|(library, narrow)| (*place, *library, *narrow)));
    }
    let icons: Vec<(&str, &str)> = imports
        .all
        .iter()
        .filter(|import| import.name == "*" && ICONS.contains(&import.module) && !import.is_type)
        .map(|import| (import.local, import.module))
        .collect();
    if !icons.is_empty() || contains(text, "require(") {
        let mut uses = Uses { icons: &icons, computed: Vec::new(), required: Vec::new() };
        uses.visit_program(program);
        for (module, place) in uses.required {
            found.extend(whole(module).map(|(library, narrow)| (place, *library, *narrow)));
        }
        for module in uses.computed {
            let import = imports.all.iter().find(|import| import.module == module);
            let narrow = "a map of the parts that are used";
            found.extend(import.map(|import| (import.span, module, narrow)));
        }
    }
    found
}

/// Finds calls of `require`, and parts of icon packages that are chosen by a computed name.
struct Uses<'n, 'a> {
    icons: &'n [(&'a str, &'a str)],
    computed: Vec<&'a str>,
    required: Vec<(&'a str, Span)>,
}

impl<'a> Visit<'a> for Uses<'_, 'a> {
    fn enter_node(&mut self, _: AstKind<'a>) {
        step();
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        let name = name_of(&member.object);
        let icons = self.icons.iter().find(|(local, _)| Some(*local) == name);
        let is_computed = !member.expression.is_string_literal();
        if let Some((_, module)) = icons.filter(|_| is_computed)
            && !self.computed.contains(module)
        {
            self.computed.push(module);
        }
        walk::walk_computed_member_expression(self, member);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        let call = declarator.init.as_ref().and_then(call_of);
        if let Some(call) = call.filter(|call| name_of(&call.callee) == Some("require"))
            && let Some(module) = string_argument(call, 0)
        {
            self.required.push((module, span(call.span)));
        }
        walk::walk_variable_declarator(self, declarator);
    }
}

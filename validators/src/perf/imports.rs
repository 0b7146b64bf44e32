//! The imports of a script, and the rules on them.

use super::ast::{call_of, contains, name_of, span, string_argument};
use super::project::{NextRole, Package, is_server_path, next_role};
use super::walk::Walker;
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};

/// A name that an import declares.
pub(super) struct Import<'a> {
    pub(super) local: &'a str,
    /// The exported name; `*` for all exports, `default` for the default export.
    pub(super) name: &'a str,
    pub(super) module: &'a str,
    pub(super) span: Span,
    /// Whether the import only exists for the type checker.
    pub(super) is_type: bool,
}

/// The imports of a script, and where the script runs.
pub(super) struct Imports<'a> {
    pub(super) all: Vec<Import<'a>>,
    /// The modules that are imported only for their effects, with the span of the declaration.
    bare: Vec<(&'a str, Span)>,
    pub(super) is_client_module: bool,
    is_server_module: bool,
    pub(super) is_vue_file: bool,
    pub(super) next_role: NextRole,
    /// Whether the script builds an image or an e-mail instead of a page.
    pub(super) is_no_page: bool,
    /// The local names of components of Next, with their modules.
    pub(super) next_components: Vec<(&'a str, &'a str)>,
}

impl<'a> Imports<'a> {
    pub(super) fn new(program: &Program<'a>) -> Self {
        let mut imports = Self {
            all: Vec::new(),
            bare: Vec::new(),
            is_client_module: false,
            is_server_module: false,
            is_vue_file: false,
            next_role: NextRole::Other,
            is_no_page: false,
            next_components: Vec::new(),
        };
        for directive in &program.directives {
            imports.is_client_module |= directive.directive == "use client";
            imports.is_server_module |= directive.directive == "use server";
        }
        for statement in &program.body {
            if let Statement::ImportDeclaration(declaration) = statement {
                imports.read(declaration);
            }
        }
        imports
    }

    fn read(&mut self, declaration: &ImportDeclaration<'a>) {
        let module = declaration.source.value.as_str();
        let place = span(declaration.span);
        let specifiers = declaration.specifiers.as_ref().map_or(&[][..], |list| &list[..]);
        self.is_no_page |= NOT_PAGES.contains(&module) || module.contains("email");
        if declaration.specifiers.is_none() {
            self.bare.push((module, place));
        }
        for specifier in specifiers {
            let (local, name, is_type) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) => {
                    let name = match &it.imported {
                        ModuleExportName::IdentifierName(name) => name.name.as_str(),
                        ModuleExportName::IdentifierReference(name) => name.name.as_str(),
                        ModuleExportName::StringLiteral(name) => name.value.as_str(),
                    };
                    (it.local.name.as_str(), name, it.import_kind.is_type())
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => {
                    (it.local.name.as_str(), "default", false)
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => {
                    (it.local.name.as_str(), "*", false)
                }
            };
            if matches!(module, "next/head" | "next/document" | "next/script" | "next/image") {
                self.next_components.push((local, module));
            }
            let is_type = is_type || declaration.import_kind.is_type();
            self.all.push(Import { local, name, module, span: place, is_type });
        }
    }

    /// The declaration that imports something of a module for all uses of the script.
    pub(super) fn static_import(&self, module: &str) -> Option<Span> {
        let mut named = self.all.iter().filter(|it| it.module == module && !it.is_type);
        let bare = || self.bare.iter().find(|(name, _)| *name == module).map(|(_, place)| *place);
        named.next().map(|import| import.span).or_else(bare)
    }

    /// The import that declares a name.
    pub(super) fn find(&self, local: &str) -> Option<&Import<'a>> {
        self.all.iter().find(|import| import.local == local)
    }

    /// Whether one of these modules exports the name.
    pub(super) fn is_from_any(&self, local: &str, modules: &[&str]) -> bool {
        self.find(local).is_some_and(|import| modules.contains(&import.module))
    }

    /// Whether the script is a component of the app router of Next that renders on the server.
    pub(super) fn is_server_component(&self, has_next: bool) -> bool {
        has_next && self.next_role == NextRole::AppRouter && !self.is_client_module
    }

    /// Sets what the path of the file shows.
    pub(super) fn set_path(&mut self, package: &Package, path: &str) {
        self.is_vue_file = path.ends_with(".vue");
        if package.has_next {
            self.next_role = next_role(package.relative(path));
            // A document in another place, which `_document` exports.
            let is_document = || {
                let parts = ["default", "Html", "Head", "Main", "NextScript"];
                self.all.iter().any(|it| {
                    it.module == "next/document" && !it.is_type && parts.contains(&it.name)
                })
            };
            if self.next_role == NextRole::Other && is_document() {
                self.next_role = NextRole::Document;
            }
        }
    }
}

/// Modules of images and mails.
const NOT_PAGES: [&str; 4] = ["next/og", "@vercel/og", "satori", "@react-email/components"];

/// Modules and packages of code that does not run in browsers.
const SERVER_MODULES: [&str; 34] = [
    "fs",
    "path",
    "http",
    "https",
    "os",
    "net",
    "tls",
    "child_process",
    "crypto",
    "stream",
    "zlib",
    "cluster",
    "worker_threads",
    "express",
    "fastify",
    "koa",
    "hono",
    "next/server",
    "next/headers",
    "server-only",
    "@prisma/client",
    "mongoose",
    "typeorm",
    "pg",
    "mysql2",
    "ioredis",
    "redis",
    "commander",
    "electron",
    "vscode",
    "nodemailer",
    "@nestjs/common",
    "drizzle-orm",
    "bullmq",
];

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

/// Whether the script is part of what browsers load.
pub(super) fn runs_in_browser(walker: &Walker<'_, '_, '_>) -> bool {
    let path = walker.report.source().path();
    let package = walker.package;
    let imports = &walker.imports;
    let is_server = imports.is_server_module
        || is_server_path(package.relative(path))
        || imports.all.iter().any(|import| {
            import.module.starts_with("node:") || SERVER_MODULES.contains(&import.module)
        })
        || imports.is_server_component(package.has_next)
        || package.has_next
            && matches!(imports.next_role, NextRole::Page | NextRole::Document)
            && contains(walker.text, "getServerSideProps");
    // In a package with a server and a client, only components are known to be bundled.
    let is_component = [".tsx", ".jsx", ".vue", ".svelte"].iter().any(|end| path.ends_with(end))
        || imports.is_client_module;
    let is_client = package.is_client && (is_component || !package.is_server);
    is_client && !is_server
}

/// Reports imports of whole libraries in code that runs in browsers.
pub(super) fn check<'a>(walker: &mut Walker<'a, '_, '_>, program: &Program<'a>) {
    let package = walker.package;
    let imports = &walker.imports;
    if !runs_in_browser(walker) || package.narrows_imports {
        return;
    }
    let mut found: Vec<(Span, &str, &str)> = Vec::new();
    for import in imports.all.iter().filter(|import| !import.is_type) {
        let Some((library, narrow)) = WHOLE.iter().find(|(name, _)| *name == import.module) else {
            continue;
        };
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
        let whole = WHOLE.iter().find(|(name, _)| name == module);
        found.extend(whole.map(|(library, narrow)| (*place, *library, *narrow)));
    }
    let icons: Vec<(&str, &str)> = imports
        .all
        .iter()
        .filter(|import| import.name == "*" && ICONS.contains(&import.module) && !import.is_type)
        .map(|import| (import.local, import.module))
        .collect();
    if !icons.is_empty() || contains(walker.text, "require(") {
        let mut uses = Uses { icons: &icons, computed: Vec::new(), required: Vec::new() };
        uses.visit_program(program);
        for (module, place) in uses.required {
            let whole = WHOLE.iter().find(|(name, _)| *name == module);
            found.extend(whole.map(|(library, narrow)| (place, *library, *narrow)));
        }
        for module in uses.computed {
            let import = imports.all.iter().find(|import| import.module == module);
            let narrow = "a map of the parts that are used";
            found.extend(import.map(|import| (import.span, module, narrow)));
        }
    }
    for (place, library, narrow) in found {
        let message = format!("`{library}` is bundled in full");
        if let Some(finding) = walker.at("perf/whole-library-import", place, message) {
            finding.help(format!("Import {narrow}."));
        }
    }
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

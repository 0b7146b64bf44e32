//! The imports of a script, and where it runs.

use super::ast::{contains, span};
use super::project::{NextRole, Package, is_server_path, next_role};
use aidd_engine::text::source::Span;
use oxc_ast::ast::*;

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
    pub(super) bare: Vec<(&'a str, Span)>,
    pub(super) is_client_module: bool,
    is_server_module: bool,
    pub(super) is_vue_file: bool,
    /// Whether Svelte compiles the script, so that it can use `$effect`.
    pub(super) has_runes: bool,
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
            has_runes: false,
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

    /// Whether the script is part of what browsers load.
    pub(super) fn run_in_browser(&self, text: &str, package: &Package, path: &str) -> bool {
        let is_server = self.is_server_module
            || is_server_path(package.relative(path))
            || self.all.iter().any(|import| {
                import.module.starts_with("node:") || SERVER_MODULES.contains(&import.module)
            })
            || self.is_server_component(package.has_next)
            || package.has_next
                && matches!(self.next_role, NextRole::Page | NextRole::Document)
                && contains(text, "getServerSideProps");
        // In a package with a server and a client, only components are known to be bundled.
        let is_component =
            [".tsx", ".jsx", ".vue", ".svelte"].iter().any(|end| path.ends_with(end))
                || self.is_client_module;
        let is_client = package.is_client && (is_component || !package.is_server);
        is_client && !is_server
    }

    /// Sets what the path of the file shows.
    pub(super) fn set_path(&mut self, package: &Package, path: &str) {
        self.is_vue_file = path.ends_with(".vue");
        self.has_runes =
            [".svelte", ".svelte.ts", ".svelte.js"].iter().any(|end| path.ends_with(end));
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

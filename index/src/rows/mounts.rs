//! Writes mounts. The keys of routers are described in `schema.sql`.

use crate::IndexError;
use crate::facts::FileFacts;
use crate::resolve::{Resolver, RouterId};
use crate::routes::{Mount, Origin, Router, Target, constants};
use rusqlite::{Connection, params};

/// The keys of the router and of the scope of a declaration.
pub(super) fn keys(
    resolver: &Resolver<'_, '_>,
    file: u32,
    facts: &FileFacts,
    origin: &Origin,
    offset: u32,
) -> (Option<String>, String) {
    let function = |at: u32| facts.ids.get(at as usize).map(|id| format!("f{id}"));
    let scope = origin.function.and_then(function).unwrap_or_else(|| format!("m{file}"));
    let router = match &origin.router {
        None => None,
        Some(Router::Parameter(at, index)) => function(*at).map(|key| format!("{key}#{index}")),
        Some(Router::Variable(name)) => {
            let chain = crate::outline::Chain::name(name);
            let found = resolver.router(file, offset, &chain);
            let key = found.and_then(|found| key_of(resolver, &found, None));
            // A variable of a function is known only in the function.
            Some(key.unwrap_or_else(|| format!("{scope}:{name}")))
        }
    };
    (router, scope)
}

/// The key of a router; `parameter` is the index of the parameter to which a function adds routes.
fn key_of(resolver: &Resolver<'_, '_>, found: &RouterId, parameter: Option<u32>) -> Option<String> {
    Some(match found {
        RouterId::File(file) => format!("m{file}"),
        RouterId::Variable(id) => format!("s{}", resolver.world.stored_id(*id)?),
        RouterId::Function(id) => {
            let id = resolver.world.stored_id(*id)?;
            parameter.map_or_else(|| format!("f{id}"), |index| format!("f{id}#{index}"))
        }
    })
}

/// Resolves and writes the mounts of a file.
pub(super) fn write(
    connection: &Connection,
    resolver: &Resolver<'_, '_>,
    file: u32,
    facts: &FileFacts,
) -> Result<(), IndexError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO mounts(file, line, prefix, replaces, router, scope, target)
         VALUES (?1,?2,?3,?4,?5,?6,?7)",
    )?;
    for mount in &facts.mounts {
        let (router, scope) = keys(resolver, file, facts, &mount.origin, mount.offset);
        let Some(target) = target(resolver, file, facts, mount, &scope) else { continue };
        // A router that serves itself has no prefix.
        if router.as_ref().unwrap_or(&scope) == &target {
            continue;
        }
        let value = |name: &str| resolver.constant(file, mount.offset, name);
        let prefix = constants::replaced(&mount.prefix, value).unwrap_or_default();
        insert.execute(params![
            file,
            mount.line + 1,
            prefix.trim_end_matches('/'),
            mount.replaces,
            router,
            scope,
            target
        ])?;
    }
    Ok(())
}

fn target(
    resolver: &Resolver<'_, '_>,
    file: u32,
    facts: &FileFacts,
    mount: &Mount,
    scope: &str,
) -> Option<String> {
    let chain = match &mount.target {
        Target::Value(chain) => chain,
        Target::Import(index) => {
            let target = facts.targets.get(*index as usize)?.files.first()?;
            return key_of(resolver, &resolver.exported_router(*target), mount.parameter);
        }
        Target::Module(_) => return None,
    };
    let found = resolver.router(file, mount.offset, chain);
    let key = found.and_then(|found| key_of(resolver, &found, mount.parameter));
    let name = || match (&chain.root, chain.steps.is_empty()) {
        (crate::outline::Root::Name(name), true) => Some(format!("{scope}:{name}")),
        _ => None,
    };
    key.or_else(name)
}

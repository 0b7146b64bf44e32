//! Applies changes to an index: writes the changed files, and resolves the references that the
//! changes can affect.

use super::stale::Known;
use super::{packages, targets};
use crate::IndexError;
use crate::effects::Spread;
use crate::facts::{FileFacts, Mentions, changed_names};
use crate::resolve::Resolver;
use crate::resolve::world::{Entry, Table, World, load};
use crate::rows::{self, ReadFile, assign_ids};
use crate::update::Update;
use aidd_engine::project::imports::{Facts, ImportTargets};
use aidd_engine::text::files::Disk;
use aidd_engine::text::listing::Listing;
use aidd_engine::workspace::walk::Stamped;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

pub(super) struct Edit<'e> {
    pub(super) disk: &'e Disk,
    pub(super) listed: &'e [Stamped],
    pub(super) connection: &'e Connection,
    pub(super) known: &'e HashMap<String, Known>,
}

impl Edit<'_> {
    pub(super) fn apply(
        &self,
        read: Vec<ReadFile>,
        removed: &[String],
        manifests: bool,
        update: &mut Update,
    ) -> Result<(), IndexError> {
        let connection = self.connection;
        let mut ids: HashMap<String, u32> =
            self.known.iter().map(|(path, known)| (path.clone(), known.id)).collect();
        let (mut changed, mut before) = (BTreeSet::new(), HashMap::new());
        let mut spread = Spread::default();
        for path in removed {
            let Some(id) = ids.remove(path) else { continue };
            let old = load(connection, id)?;
            changed.extend(changed_names(id, old.as_ref(), None));
            spread.forget(connection, id)?;
            rows::remove_file(connection, id)?;
        }
        let next_file: u32 =
            connection.query_row("SELECT coalesce(max(id), 0) FROM files", [], |r| r.get(0))?;
        let mut next_file = next_file.max(ids.values().copied().max().unwrap_or_default());
        let mut next: i64 =
            connection.query_row("SELECT coalesce(max(id), 0) FROM symbols", [], |r| r.get(0))?;
        let mut is_structure_changed = manifests || !removed.is_empty();
        for file in &read {
            match ids.get(&file.path) {
                Some(id) => {
                    let old = load(connection, *id)?;
                    is_structure_changed |= match (&old, &file.facts) {
                        (Some(old), Some(new)) => !has_same_imports(&old.imports, &new.imports),
                        _ => true,
                    };
                    before.extend(old.map(|old| (*id, old)));
                }
                None => {
                    is_structure_changed = true;
                    next_file += 1;
                    ids.insert(file.path.clone(), next_file);
                }
            }
        }
        let mut entries: Table<u32, Entry> =
            ids.iter().map(|(path, id)| (*id, Entry::new(path.clone(), None))).collect();
        let mut fresh: HashMap<u32, (ReadFile, FileFacts)> = HashMap::new();
        for mut file in read {
            let (Some(mut facts), Some(id)) = (file.facts.take(), ids.get(&file.path)) else {
                continue;
            };
            if let Some(old) = before.get(id) {
                facts.targets.clone_from(&old.targets);
            }
            fresh.insert(*id, (file, facts));
        }
        let mut retargeted = HashMap::new();
        if is_structure_changed {
            retargeted = self.retarget(&ids, &mut fresh, &mut changed)?;
        }
        // Write the changed files; the old symbols keep their ids.
        let mut dirty: BTreeSet<u32> = fresh.keys().copied().collect();
        let mut order: Vec<u32> = dirty.iter().copied().collect();
        order.sort_by_key(|id| fresh.get(id).map(|(file, _)| file.path.clone()));
        for id in order {
            let Some((file, mut facts)) = fresh.remove(&id) else { continue };
            let old_keys = self.keys(id)?;
            let keys = assign_ids(&file.path, &mut facts, &old_keys, &mut next);
            changed.extend(changed_names(id, before.get(&id), Some(&facts)));
            spread.forget(connection, id)?;
            rows::remove_refs(connection, id)?;
            rows::remove_imports(connection, id)?;
            connection.prepare_cached("DELETE FROM symbols WHERE file = ?1")?.execute([id])?;
            rows::write_file(connection, id, &file, &facts, &keys)?;
            if let Some(entry) = entries.get_mut(&id) {
                *entry = Entry::new(file.path, Some(Arc::new(facts)));
            }
        }
        for (id, facts) in retargeted {
            dirty.insert(id);
            self.write_targets(id, &facts)?;
            if let Some(entry) = entries.get_mut(&id) {
                *entry = Entry::new(entry.path.clone(), Some(Arc::new(facts)));
            }
        }
        if !changed.is_empty() {
            dirty.extend(self.affected(changed)?);
        }
        let mut statement = connection
            .prepare("SELECT package, id FROM files WHERE package IS NOT NULL ORDER BY path")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rows: Vec<(String, u32)> = rows.collect::<Result<_, _>>()?;
        let packages = packages(rows.iter().map(|(package, id)| (*id, Some(package))));
        let world = World::new(entries, packages, Some(connection));
        let resolver = Resolver::new(&world);
        for id in &dirty {
            spread.forget(connection, *id)?;
            rows::remove_refs(connection, *id)?;
            rows::write_refs(connection, &resolver, *id, &mut spread)?;
        }
        spread.write_changes(connection)?;
        update.files = ids.len();
        update.resolved = dirty.len();
        Ok(())
    }

    /// The keys and ids of the stored symbols of a file.
    fn keys(&self, file: u32) -> Result<HashMap<String, i64>, IndexError> {
        let mut statement =
            self.connection.prepare_cached("SELECT key, id FROM symbols WHERE file = ?1")?;
        let rows = statement.query_map([file], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Resolves the imports of all files again. Returns the unchanged files whose targets differ.
    fn retarget(
        &self,
        ids: &HashMap<String, u32>,
        fresh: &mut HashMap<u32, (ReadFile, FileFacts)>,
        changed: &mut BTreeSet<u32>,
    ) -> Result<HashMap<u32, FileFacts>, IndexError> {
        let mut all: HashMap<u32, FileFacts> = HashMap::new();
        for id in ids.values().filter(|id| !fresh.contains_key(id)) {
            all.extend(load(self.connection, *id)?.map(|facts| (*id, facts)));
        }
        let imports_of = |id: &u32| {
            let facts = fresh.get(id).map(|(_, facts)| facts).or_else(|| all.get(id));
            facts.map(|facts| facts.imports.clone())
        };
        let by_path: BTreeMap<String, Arc<Facts>> = ids
            .iter()
            .filter(|(path, _)| !crate::facts::has_namespaces(path))
            .filter_map(|(path, id)| Some((path.clone(), imports_of(id)?)))
            .collect();
        let listing = Listing::new(self.listed.iter().map(|(path, _)| path.clone()));
        let resolver = ImportTargets::new(self.disk, &listing, &by_path);
        for (file, facts) in fresh.values_mut() {
            facts.targets = targets(&resolver, &file.path, &facts.imports, ids);
        }
        let mut retargeted = HashMap::new();
        for (path, id) in ids {
            let Some(mut facts) = all.remove(id) else { continue };
            let new = targets(&resolver, path, &facts.imports, ids);
            if new != facts.targets {
                let old = facts.clone();
                facts.targets = new;
                changed.extend(changed_names(*id, Some(&old), Some(&facts)));
                retargeted.insert(*id, facts);
            }
        }
        Ok(retargeted)
    }

    /// Stores the facts of a file whose targets differ.
    fn write_targets(&self, id: u32, facts: &FileFacts) -> Result<(), IndexError> {
        rows::write_facts(self.connection, id, facts, 0)?;
        let mut rows =
            self.connection.prepare_cached("SELECT id FROM imports WHERE file = ?1 ORDER BY id")?;
        let rows: Vec<i64> = rows.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let listed = facts.imports.imports.iter().zip(&facts.targets);
        let listed = listed.filter(|(import, _)| !import.inline);
        for ((_, target), row) in listed.zip(rows) {
            self.connection
                .prepare_cached("UPDATE imports SET target_file = ?2, external = ?3 WHERE id = ?1")?
                .execute((row, target.files.first(), target.package.is_some()))?;
        }
        Ok(())
    }

    /// The files that mention a name whose definition can have changed.
    fn affected(&self, mut changed: BTreeSet<u32>) -> Result<BTreeSet<u32>, IndexError> {
        let mut statement = self.connection.prepare("SELECT file, mentions FROM mentions")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rows: Vec<(u32, Vec<u8>)> = rows.collect::<Result<_, _>>()?;
        let mut all = Vec::with_capacity(rows.len());
        for (id, bytes) in rows {
            let mentions: Mentions = postcard::from_bytes(&bytes)?;
            all.push((id, mentions));
        }
        // Names whose type, value or base types contain a changed name also count as changed.
        let mut holders: HashMap<u32, Vec<u32>> = HashMap::new();
        for (holder, name) in all.iter().flat_map(|(_, mentions)| &mentions.links) {
            holders.entry(*name).or_default().push(*holder);
        }
        let mut pending: Vec<u32> = changed.iter().copied().collect();
        while let Some(name) = pending.pop() {
            for holder in holders.get(&name).into_iter().flatten() {
                if changed.insert(*holder) {
                    pending.push(*holder);
                }
            }
        }
        let is_affected =
            |mentions: &Mentions| mentions.names.iter().any(|name| changed.contains(name));
        Ok(all.into_iter().filter(|(_, m)| is_affected(m)).map(|(id, _)| id).collect())
    }
}

/// Whether two states of a file have the same imports and modules, ignoring positions.
fn has_same_imports(before: &Facts, after: &Facts) -> bool {
    let imports =
        |facts: &Facts| facts.imports.iter().map(|import| import.name.clone()).collect::<Vec<_>>();
    let modules = |facts: &Facts| {
        let module = |module: &aidd_engine::project::imports::Module| {
            (module.name.clone(), module.inside.clone(), module.path.clone(), module.is_external)
        };
        facts.modules.iter().map(module).collect::<Vec<_>>()
    };
    before.package == after.package
        && imports(before) == imports(after)
        && modules(before) == modules(after)
}

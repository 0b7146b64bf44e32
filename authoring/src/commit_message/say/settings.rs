//! What the project depends on, and what files of settings set.

use super::Speaker;
use crate::commit_message::Fate;
use crate::commit_message::dependencies::Bump;
use crate::commit_message::facts::{File, Nature};
use crate::commit_message::phrase::{self, Phrase, code, listing};
use crate::commit_message::verdict::Group;

impl Speaker<'_> {
    pub(super) fn dependencies(&self, said: &mut Vec<Phrase>) {
        let mut bumps: Vec<&Bump> = self.facts.files.iter().flat_map(|file| &file.bumps).collect();
        bumps.sort_by(|one, other| one.name.cmp(&other.name));
        bumps.dedup_by(|one, other| one.name == other.name);
        let named = |keep: &dyn Fn(&Bump) -> bool| -> Vec<String> {
            bumps.iter().filter(|bump| keep(bump)).map(|bump| phrase::plain(&bump.name)).collect()
        };
        let added = named(&|bump| !bump.was);
        let gone = named(&|bump| !bump.is);
        let changed: Vec<&&Bump> = bumps.iter().filter(|bump| bump.was && bump.is).collect();
        match changed.as_slice() {
            [] => {}
            [bump] => said.push(bumped(bump)),
            several => {
                let names: Vec<String> = several.iter().map(|bump| bump.name.clone()).collect();
                said.push(listing("bump", &names, ""));
            }
        }
        said.extend((!added.is_empty()).then(|| listing("depend on", &added, "")));
        said.extend((!gone.is_empty()).then(|| listing("drop the dependency on", &gone, "")));
    }

    /// What files of settings set.
    pub(super) fn settings(&self, group: Group, said: &mut Vec<Phrase>) {
        for file in self.facts.in_group(group) {
            if !file.bumps.is_empty() {
                continue;
            }
            match file.change.fate {
                Fate::Added => said.push(Phrase::new([format!("add {}", self.called(file))])),
                Fate::Deleted => said.push(Phrase::new([format!("remove {}", self.called(file))])),
                Fate::Changed => said.extend(self.setting(file)),
            }
        }
    }

    fn setting(&self, file: &File<'_>) -> Option<Phrase> {
        if file.nature == Nature::Mode {
            return Some(Phrase::new([format!("change the mode of {}", file.name())]));
        }
        let keys = file.keys.as_ref()?;
        let short = |key: &String| {
            let mut parts: Vec<&str> = key.rsplit('.').take(2).collect();
            parts.reverse();
            code(&parts.join("."))
        };
        let of = |keys: &[String]| keys.iter().map(short).collect::<Vec<_>>();
        let place = format!(" in {}", file.name());
        if let [(key, Some(value))] = keys.set.as_slice() {
            return Some(Phrase::new([
                format!("set {} to {value}{place}", short(key)),
                format!("set {} to {value}", short(key)),
            ]));
        }
        if !keys.added.is_empty() {
            return Some(listing("set", &of(&keys.added), &place));
        }
        if !keys.removed.is_empty() {
            return Some(listing("no longer set", &of(&keys.removed), &place));
        }
        let set: Vec<String> = keys.set.iter().map(|(key, _)| short(key)).collect();
        (!set.is_empty()).then(|| listing("change", &set, &place))
    }

    /// What a file that does a job is called.
    fn called(&self, file: &File<'_>) -> String {
        let path = &file.change.path;
        match phrase::stem(path).map(phrase::words) {
            Some(words) if path.starts_with(".github/workflows/") => {
                format!("the {words} workflow")
            }
            // A name alone, such as `config.json`, may be that of many files.
            _ if path.chars().count() <= 40 => path.clone(),
            _ => file.name().to_owned(),
        }
    }
}

fn bumped(bump: &Bump) -> Phrase {
    let name = phrase::plain(&bump.name);
    match (&bump.from, &bump.to) {
        (Some(from), Some(to)) => Phrase::new([
            format!("bump {name} from {from} to {to}"),
            format!("bump {name} to {to}"),
            format!("bump {name}"),
        ]),
        (None, Some(to)) => Phrase::new([format!("set {name} to {to}"), format!("set {name}")]),
        _ => Phrase::new([format!("change the version of {name}"), format!("change {name}")]),
    }
}

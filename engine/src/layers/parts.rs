//! The parts that a page divides the code into: globs, globs with captures, and packages.

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use regex::Regex;

/// The registries whose packages a page can name, and what separates the parts of a name there.
const REGISTRIES: [(&str, &str); 5] =
    [("npm:", "/"), ("crate:", "::"), ("py:", "."), ("go:", "/"), ("java:", ".")];

/// A part of the code.
#[derive(Debug)]
pub(super) struct Part {
    /// As the page has it.
    pub(super) shown: String,
    globs: GlobSet,
}

impl Part {
    pub(super) fn new(base: &str, globs: &[String]) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            set.add(path_glob(base, glob)?);
        }
        let globs_of = set.build().map_err(|error| error.to_string())?;
        Ok(Self { shown: globs.join(", "), globs: globs_of })
    }

    pub(super) fn holds(&self, path: &str) -> bool {
        self.globs.is_match(path)
    }
}

/// Parts of the code and packages.
#[derive(Debug)]
pub(super) struct Things {
    /// As the page has them.
    pub(super) shown: String,
    part: Part,
    packages: Vec<Package>,
}

#[derive(Debug)]
struct Package {
    /// With its registry: `npm:lodash`.
    name: String,
    separator: &'static str,
    /// A name with `*`.
    glob: Option<GlobMatcher>,
}

impl Things {
    pub(super) fn new(base: &str, things: &[String]) -> Result<Self, String> {
        let registry = |thing: &String| {
            REGISTRIES.into_iter().find(|(prefix, _)| thing.starts_with(prefix))
        };
        let (packages, globs): (Vec<&String>, Vec<&String>) =
            things.iter().partition(|thing| registry(thing).is_some());
        if let Some(odd) = globs.iter().find(|glob| glob.contains(':')) {
            let known: Vec<&str> = REGISTRIES.iter().map(|(prefix, _)| *prefix).collect();
            return Err(format!("`{odd}` is no glob, and none of {} begins it", known.join(", ")));
        }
        let globs: Vec<String> = globs.into_iter().cloned().collect();
        let package = |name: &String| {
            let separator = registry(name).map_or("/", |(_, separator)| separator);
            let glob = if name.contains(['*', '?', '[', '{']) {
                let glob = GlobBuilder::new(name).build().map_err(|error| error.to_string())?;
                Some(glob.compile_matcher())
            } else {
                None
            };
            Ok(Package { name: name.clone(), separator, glob })
        };
        Ok(Self {
            shown: things.join(", "),
            part: Part::new(base, &globs)?,
            packages: packages.into_iter().map(package).collect::<Result<_, String>>()?,
        })
    }

    pub(super) fn holds(&self, path: &str) -> bool {
        self.part.holds(path)
    }

    /// Whether a package is meant: by its name, or as the one that a longer name begins with.
    pub(super) fn holds_package(&self, package: &str) -> bool {
        self.packages.iter().any(|one| {
            let rest = package.strip_prefix(one.name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(one.separator))
                || one.glob.as_ref().is_some_and(|glob| glob.is_match(package))
        })
    }

    pub(super) fn has_packages(&self) -> bool {
        !self.packages.is_empty()
    }
}

/// A glob in which `<name>` stands for a segment or a part of one.
#[derive(Debug)]
pub(super) struct Capture {
    /// As the page has it.
    pub(super) shown: String,
    regex: Regex,
}

impl Capture {
    pub(super) fn new(base: &str, glob: &str) -> Result<Self, String> {
        let (glob, names) = named(glob)?;
        let matcher = path_glob(base, &glob)?;
        // The glob's own expression, with each stand-in made a group.
        let mut regex = matcher.regex().replace("(?-u)", "");
        for (at, (stand_in, name)) in names.iter().enumerate() {
            let group = format!("(?P<{name}_{at}>[^/]+)");
            regex = regex.replacen(stand_in, &group, 1);
        }
        let shown = names.iter().fold(glob.clone(), |shown, (stand_in, name)| {
            shown.replacen(stand_in, &format!("<{name}>"), 1)
        });
        let regex = Regex::new(&regex).map_err(|error| error.to_string())?;
        Ok(Self { shown, regex })
    }

    pub(super) fn has_names(&self) -> bool {
        self.regex.captures_len() > 1
    }

    /// What the captures stand for in `path`; empty when there are none, `None` when the path does
    /// not match, or one name would stand for two texts.
    pub(super) fn key(&self, path: &str) -> Option<String> {
        let found = self.regex.captures(path)?;
        let mut values: Vec<(&str, &str)> = Vec::new();
        for name in self.regex.capture_names().flatten() {
            let value = found.name(name)?.as_str();
            let plain = name.rsplit_once('_').map_or(name, |(plain, _)| plain);
            match values.iter().find(|(known, _)| *known == plain) {
                Some((_, known)) if *known != value => return None,
                Some(_) => {}
                None => values.push((plain, value)),
            }
        }
        Some(values.into_iter().map(|(_, value)| value).collect::<Vec<_>>().join("/"))
    }
}

/// A stand-in for each capture of a glob, and its name.
type Names = Vec<(String, String)>;

/// A glob with letters in place of its captures, which globs leave as they are.
fn named(glob: &str) -> Result<(String, Names), String> {
    let mut plain = String::with_capacity(glob.len());
    let mut names = Names::new();
    let mut rest = glob;
    while let Some(open) = rest.find('<') {
        let close = rest[open..].find('>').map(|at| open + at);
        let name = close.map_or("", |close| &rest[open + 1..close]);
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let (Some(close), true) = (close, is_name) else {
            return Err(format!("`{glob}`: a capture is written `<name>`"));
        };
        // A control character: no path has it, and no glob gives it a meaning.
        let stand_in = format!("\u{1}{}\u{1}", names.len());
        plain.push_str(&rest[..open]);
        plain.push_str(&stand_in);
        names.push((stand_in, name.replace('-', "_")));
        rest = &rest[close + 1..];
    }
    plain.push_str(rest);
    Ok((plain, names))
}

/// A glob on paths from the root, that was written as one from `base`. As everywhere, one without a
/// slash speaks of names in any folder, and one that ends in a slash of all below.
fn path_glob(base: &str, glob: &str) -> Result<globset::Glob, String> {
    let anchored = glob.strip_prefix("./").or_else(|| glob.strip_prefix('/'));
    let mut full = anchored.unwrap_or(glob).to_owned();
    if full.ends_with('/') {
        full.push_str("**");
    } else if anchored.is_none() && !full.contains('/') {
        full = format!("**/{full}");
    }
    if !base.is_empty() {
        full = format!("{}/{full}", globset::escape(base));
    }
    GlobBuilder::new(&full).literal_separator(true).build().map_err(|error| error.to_string())
}

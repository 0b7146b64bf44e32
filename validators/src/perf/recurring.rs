//! Which components a page creates more than once, as far as their names show it.

/// Whether the component in the file at the path is created more than once.
pub(super) fn is_recurring(path: &str) -> bool {
    let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_route = || dirs.split('/').any(|dir| is_listed("directory", dir));
    !is_root(path)
        && !words(name).any(|word| is_listed("single", &word))
        && (has_word(name) || is_route())
}

/// Whether the name of a component or file contains a word for components of this kind.
pub(super) fn has_word(name: &str) -> bool {
    words(name).any(|word| is_listed("name", &word))
        && !words(name).any(|word| is_listed("single", &word))
}

/// Whether the component at the path exists as long as the page: the application, or the layout of all
/// pages.
pub(super) fn is_root(path: &str) -> bool {
    let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let dir = dirs.rsplit('/').next();
    matches!(stem, "app" | "_app")
        || stem.ends_with("App")
        || stem == "+layout" && dir == Some("routes")
        || stem == "default" && dir == Some("layouts")
        || matches!(stem, "layout" | "root") && dir == Some("app")
}

/// Whether the list of this kind contains the word.
fn is_listed(kind: &str, word: &str) -> bool {
    let lines = include_str!("recurring.txt").lines().filter_map(|line| line.split_once(' '));
    lines.filter(|&(found, _)| found == kind).any(|(_, list)| list.split(' ').any(|it| it == word))
}

/// The words of a name in camel case or with separators, in lower case.
pub(super) fn words(name: &str) -> impl Iterator<Item = String> {
    name.split(|c: char| !c.is_alphanumeric()).flat_map(|part| {
        let starts = part.match_indices(char::is_uppercase).map(|(at, _)| at);
        let mut starts: Vec<usize> = starts.filter(|at| *at > 0).collect();
        starts.insert(0, 0);
        starts.push(part.len());
        let ranges = starts.windows(2).filter_map(|pair| part.get(pair[0]..pair[1]));
        ranges.map(str::to_lowercase).collect::<Vec<_>>()
    })
}

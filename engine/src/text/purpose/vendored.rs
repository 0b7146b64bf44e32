//! Which files are copied from another project, according to their paths.

use crate::text::files::Files;
use aidd_lexicon::tables::purposes;

/// Whether the path, `lower` in lower case, is in a directory of copied files or has the name of a
/// copied file.
pub(super) fn is_vendored(path: &str, lower: &str) -> bool {
    let (directories, name) = lower.rsplit_once('/').unwrap_or(("", lower));
    path.split('/').rev().skip(1).any(|part| part == "Pods")
        || is_in_vendored_directory(directories)
        || purposes::VENDORED_FILES.contains(name)
        || is_library_script(name)
        || directories.ends_with("gradle/wrapper")
        || directories.ends_with(".mvn/wrapper")
}

fn is_in_vendored_directory(directories: &str) -> bool {
    let mut parent = "";
    let mut is_served = false;
    directories.split('/').any(|part| {
        let is_below_root = parent.is_empty();
        let is_below_assets = is_below_root || purposes::ASSET_DIRECTORIES.contains(parent);
        let is_below_scripts = purposes::SERVED_DIRECTORIES.contains(parent)
            || is_served && purposes::SCRIPT_DIRECTORIES.contains(parent);
        let is_copied = purposes::VENDORED_DIRECTORIES.contains(part)
            || is_below_assets && part == "vendor"
            || (is_below_root || is_below_scripts)
                && purposes::VENDORED_DIRECTORIES_OF_BROWSERS.contains(part)
            || is_below_root && purposes::VENDORED_DIRECTORIES_BELOW_THE_ROOT.contains(part)
            || is_below_scripts && purposes::LIBRARY_DIRECTORIES.contains(part)
            || parent == "packages" && ends_with_version(part);
        is_served |= purposes::SERVED_DIRECTORIES.contains(part);
        parent = part;
        is_copied
    })
}

/// Whether a directory of NuGet ends with the version of the package: `Newtonsoft.Json.13.0.3`.
fn ends_with_version(directory: &str) -> bool {
    let mut parts = directory.rsplit('.');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    parts.next().is_some_and(is_number) && parts.next().is_some_and(is_number)
}

/// Whether a script or a style sheet has the name of a library for browsers.
fn is_library_script(name: &str) -> bool {
    let extensions = [".js", ".css", ".less", ".scss", ".styl"];
    extensions.iter().any(|extension| name.ends_with(extension))
        && purposes::VENDORED_SCRIPT_STARTS.iter().any(|start| name.starts_with(start))
}

/// Whether the path is in the `vendor` directory of a module, which contains the module's manifest.
pub(super) fn is_in_module(path: &str, files: &dyn Files) -> bool {
    let has_file = |path: &str| match files.listing() {
        Some(listing) => listing.has_file(path),
        None => files.exists(path),
    };
    path.match_indices("/vendor/").any(|(at, _)| {
        let module = &path[..at];
        purposes::MODULE_MANIFESTS.iter().any(|name| has_file(&format!("{module}/{name}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_copied_files_are_vendored() {
        for path in [
            "vendor/lib/test/a.go",
            "public/vendor/jquery.js",
            "static/vendors/chart/test/a.js",
            "ios/Pods/a.m",
            "static/bower/jquery/test/unit/core.js",
            "web/bower_components/d3/a.js",
            "public/js/lib/moment/test.js",
            "app/static/pdfjs/web/viewer.html",
            "app/static/libs/a.js",
            "src/wwwroot/lib/bootstrap/a.scss",
            "src/3rdparty/a.c",
            "Carthage/Checkouts/a.swift",
            ".yarn/releases/yarn-4.js",
            "packages/Newtonsoft.Json.13.0.3/tools/install.ps1",
            "admin/js/jquery-3.6.0.js",
            "android/gradlew",
            "android/gradle/wrapper/gradle-wrapper.properties",
            "external/zlib/Dockerfile",
            "deps/hackney/test.exs",
        ] {
            assert!(is_vendored(path, &path.to_ascii_lowercase()), "{path}");
        }
        for path in [
            "apps/vendor/.env",
            "k8s/pods/db.yaml",
            "src/vendors/api.ts",
            "src/external/api.ts",
            "lib/external/api_test.exs",
            "src/bower/index.ts",
            "src/components/pdfjs/Viewer.tsx",
            "packages/lib/src/a.ts",
            "packages/app.v2/a.ts",
            "assets/js/lib/socket.test.js",
            "src/js/lib/a.js",
            "src/deps/a.py",
            "src/jquery.ts",
            "src/angularApp.js",
            "public/liberty/a.js",
            "src/public/index.js",
        ] {
            assert!(!is_vendored(path, &path.to_ascii_lowercase()), "{path}");
        }
    }
}

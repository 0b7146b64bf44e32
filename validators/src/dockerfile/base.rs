//! Base images: tags, registries, platforms.

use super::super::Checks;
use super::builds::BuildFiles;
use super::stages::copied_images;
use super::{CheckContext, ContextCheck};
use aidd_engine::parse::dockerfile::image::{self, Image};
use aidd_engine::parse::dockerfile::{Dockerfile, Flag, Stage, Variable, Word, uses};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::source::Span;
use serde_json::Value;
use std::cell::LazyCell;
use std::collections::HashMap;

pub(super) const CHECKS: Checks<Dockerfile> = &[
    ("dockerfile/constant-platform", constant_platform),
    ("dockerfile/redundant-target-platform", redundant_target_platform),
    ("dockerfile/platform-mismatch", platform_mismatch),
];

pub(super) const CONTEXT_CHECKS: &[(&str, ContextCheck)] = &[
    ("dockerfile/untagged-image", untagged_image),
    ("dockerfile/latest-tag", latest_tag),
    ("dockerfile/untrusted-registry", untrusted_registry),
];

/// The stages that build on an image, each with the name of the image. Stages that build on
/// `scratch`, or on a name that contains a template, are excluded.
fn images(file: &Dockerfile) -> impl Iterator<Item = (&Stage, &Word, Image<'_>)> {
    file.stages.iter().filter(|stage| stage.base.is_none()).filter_map(|stage| {
        let word = stage.image.as_ref()?;
        let is_image_name =
            word.text != "scratch" && !word.text.contains("{{") && !word.text.contains('<');
        is_image_name.then(|| (stage, word, image::parse(&word.text)))
    })
}

fn untagged_image(context: &CheckContext<'_>, report: &mut Report<'_>) {
    let mut project = None;
    let path = report.source().path();
    let builds = LazyCell::new(|| BuildFiles::read(context.files, path));
    for (stage, word, image) in images(context.docker) {
        let is_untagged = image.tag.is_none() && image.digest.is_none() && !word.text.contains('$');
        if is_untagged && (image.name.contains('/') || !builds.names_context(image.name)) {
            let finding = report.at(word.span, format!("image `{}` has no tag", image.name));
            finding.help("Pin the version you tested, for example `:1.2`, or a digest");
            if is_workbench(context.docker, stage, &image)
                || is_unversioned_on_purpose(context, &mut project, word, &image, path)
            {
                finding.severity = finding.severity.min(Severity::Info);
            }
        }
    }
}

fn latest_tag(context: &CheckContext<'_>, report: &mut Report<'_>) {
    let mut project = None;
    let path = report.source().path();
    for (stage, word, image) in images(context.docker) {
        if image.tag == Some("latest") && image.digest.is_none() {
            let message = format!("image `{}` is tagged `latest`", image.name);
            let finding = report.at(word.span, message);
            finding.help("Pin the version you tested, or add a digest");
            if is_workbench(context.docker, stage, &image)
                || is_unversioned_on_purpose(context, &mut project, word, &image, path)
            {
                finding.severity = finding.severity.min(Severity::Info);
            }
        }
    }
}

/// Whether a stage with a plain distribution only prepares files for other stages: its version does
/// not reach the final image.
fn is_workbench(docker: &Dockerfile, stage: &Stage, image: &Image<'_>) -> bool {
    let is_last = docker.stages.last().is_some_and(|last| last.from == stage.from);
    let is_built_upon = || {
        let index = docker.stages.iter().position(|other| other.from == stage.from);
        docker.stages.iter().any(|other| other.base.is_some() && other.base == index)
    };
    !is_last && DISTRIBUTIONS.contains(&image.name) && !is_built_upon()
}

/// Whether a project has a reason to use an image without a version: the name contains the version,
/// the publisher maintains only `latest`, or the project publishes the image itself. `project`
/// caches the names of the project.
fn is_unversioned_on_purpose(
    context: &CheckContext<'_>,
    project: &mut Option<Vec<String>>,
    word: &Word,
    image: &Image<'_>,
    path: &str,
) -> bool {
    if names_version(image.name) || is_rolling(&word.text) {
        return true;
    }
    // A name without a namespace is the name of an official image, unless it contains `_`.
    let Some((namespace, _)) = image.name.split_once('/') else {
        return image.name.contains('_');
    };
    let names = project.get_or_insert_with(|| project_names(context.files));
    names.iter().any(|name| name.eq_ignore_ascii_case(namespace))
        || BuildFiles::read(context.files, path).publish(image.name)
}

/// The names of the project and of its owner, from the manifests in the root directory.
fn project_names(files: &dyn Files) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(text) = side_file(files, "go.mod") {
        let module = text.lines().find_map(|line| line.strip_prefix("module "));
        // `github.com/owner/name/v2`
        let parts = module.into_iter().flat_map(|path| path.trim().split('/').skip(1).take(2));
        names.extend(parts.map(str::to_owned));
    }
    for settings in ["settings.gradle", "settings.gradle.kts"] {
        let text = side_file(files, settings).unwrap_or_default();
        // `rootProject.name = 'name'`
        let name = text.lines().find_map(|line| line.trim().strip_prefix("rootProject.name"));
        let name = name.map(|rest| rest.trim_matches([' ', '=', '\'', '"']).to_owned());
        names.extend(name);
    }
    let package = side_file(files, "package.json");
    let package = package.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let name = package.as_ref().and_then(|package| package.get("name")).and_then(Value::as_str);
    // `@scope/name`
    let parts = name.into_iter().flat_map(|name| name.trim_start_matches('@').split('/'));
    names.extend(parts.map(str::to_owned));
    // `https://github.com/owner/name.git`, `github:owner/name`
    let repository = package.as_ref().and_then(|package| package.get("repository"));
    let repository = repository.and_then(|it| it.get("url").unwrap_or(it).as_str());
    let owner = repository.and_then(|it| it.rsplit('/').nth(1)?.rsplit(':').next());
    names.extend(owner.map(str::to_owned));
    // `owner/name`
    let composer = side_file(files, "composer.json");
    let composer = composer.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let name = composer.as_ref().and_then(|it| it.get("name")).and_then(Value::as_str);
    names.extend(name.and_then(|name| name.split('/').next()).map(str::to_owned));
    names
}

/// The official images of distributions.
const DISTRIBUTIONS: [&str; 10] = [
    "almalinux",
    "alpine",
    "amazonlinux",
    "archlinux",
    "busybox",
    "debian",
    "fedora",
    "opensuse/leap",
    "rockylinux",
    "ubuntu",
];

/// Distributions and runtimes whose version is often a part of the name of an image.
const VERSIONED: [&str; 22] = [
    "almalinux",
    "alpine",
    "amazonlinux",
    "centos",
    "debian",
    "dotnet",
    "el",
    "fedora",
    "java",
    "jdk",
    "jre",
    "node",
    "nodejs",
    "openjdk",
    "oraclelinux",
    "php",
    "python",
    "rhel",
    "rockylinux",
    "ruby",
    "ubi",
    "ubuntu",
];

/// Whether the name of an image contains a version of its contents: `ubi9/ubi-minimal`,
/// `base-debian12`. A digit in another part of a name is not a version: `oauth2-proxy`.
fn names_version(name: &str) -> bool {
    name.split(['/', '-', '_']).any(|part| {
        let base = part.trim_end_matches(|c: char| c.is_ascii_digit());
        base.len() < part.len() && VERSIONED.contains(&base)
    })
}

/// Whether the publisher of an image maintains no tags with versions: Chainguard's free images, and
/// the images without a distribution, whose name contains the version.
fn is_rolling(reference: &str) -> bool {
    ["cgr.dev/chainguard/", "gcr.io/distroless/"].iter().any(|start| reference.starts_with(start))
}

fn untrusted_registry(context: &CheckContext<'_>, report: &mut Report<'_>) {
    let from_param: Option<Vec<&str>> = report
        .param("registries")
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_str).collect());
    let trusted = from_param.unwrap_or_else(|| {
        let config = context.config.iter();
        config.flat_map(|config| &config.trusted_registries).map(String::as_str).collect()
    });
    if trusted.is_empty() {
        return;
    }
    let mut check = |name: &str, span: Span| {
        let registry = image::parse(name).registry.unwrap_or("docker.io");
        if !name.starts_with('$')
            && !trusted.iter().any(|pattern| matches_pattern(pattern, registry))
        {
            report
                .at(span, format!("untrusted registry `{registry}`"))
                .help(format!("Trusted: {}", trusted.join(", ")));
        }
    };
    for (_, word, _) in images(context.docker) {
        check(&word.text, word.span);
    }
    for source in copied_images(context.docker) {
        check(source.name, source.span);
    }
}

/// Whether `registry` matches `pattern`; `*` at one end matches anything.
fn matches_pattern(pattern: &str, registry: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) if registry.ends_with(end) => true,
        (_, Some(start)) => registry.starts_with(start),
        _ => pattern == registry,
    }
}

fn platform<'a>(file: &'a Dockerfile, stage: &Stage) -> Option<&'a Flag> {
    file.instructions[stage.from].flag("platform")
}

/// Architectures that occur as suffix of a stage name.
const ARCHITECTURES: [&str; 9] =
    ["amd64", "arm64", "arm", "386", "ppc64le", "s390x", "riscv64", "mips64le", "loong64"];

fn constant_platform(file: &Dockerfile, report: &mut Report<'_>) {
    // `FROM build_${TARGETARCH}` selects one of several stages, each for one platform.
    let has_platform_stages = file.stages.iter().any(|stage| {
        stage
            .image
            .as_ref()
            .is_some_and(|word| word.text.contains("$TARGET") || word.text.contains("${TARGET"))
    });
    let globals = file.globals();
    for stage in &file.stages {
        let Some(flag) = platform(file, stage) else { continue };
        let Some(value) = &flag.value else { continue };
        let has_architecture_suffix = stage.name.as_ref().is_some_and(|name| {
            ARCHITECTURES.iter().any(|architecture| name.text.ends_with(architecture))
        });
        if (has_platform_stages && has_architecture_suffix)
            || !is_constant(file, &globals, &value.text)
        {
            continue;
        }
        report
            .at(flag.span, format!("the platform is always `{}`", value.text))
            .help("Remove --platform, or use $BUILDPLATFORM or $TARGETPLATFORM");
    }
}

/// Whether a platform is fixed: a literal, or a variable with a constant value in the file.
fn is_constant(file: &Dockerfile, globals: &HashMap<&str, Variable<'_>>, text: &str) -> bool {
    let variables = uses(text, file.escape);
    if variables.is_empty() {
        return !text.contains('$') && !text.contains("{{");
    }
    variables.iter().all(|used| {
        let has_default = globals.get(&*used.name).is_some_and(|global| global.value.is_some());
        !is_platform(&used.name)
            && (has_default || used.operator.contains('-') || text.contains('/'))
    })
}

/// Whether the builder predefines the variable.
pub(super) fn is_platform(name: &str) -> bool {
    let rest = name.strip_prefix("BUILD").or_else(|| name.strip_prefix("TARGET"));
    rest.is_some_and(|rest| matches!(rest, "PLATFORM" | "OS" | "OSVERSION" | "ARCH" | "VARIANT"))
        || name == "TARGETSTAGE"
}

fn redundant_target_platform(file: &Dockerfile, report: &mut Report<'_>) {
    for stage in &file.stages {
        let Some(flag) = platform(file, stage) else { continue };
        if matches!(flag.text(), "$TARGETPLATFORM" | "${TARGETPLATFORM}") {
            let end = stage.image.as_ref().map_or(flag.span.end, |image| image.span.start);
            let edit = Edit::delete(Span { end, ..flag.span });
            report
                .at(flag.span, "$TARGETPLATFORM is already the default platform")
                .fix("Remove the flag", vec![edit]);
        }
    }
}

/// Namespaces of Docker Hub with images for a single architecture, each with the architecture.
const NAMESPACES: [(&str, &str); 11] = [
    ("amd64", "amd64"),
    ("arm32v5", "arm"),
    ("arm32v6", "arm"),
    ("arm32v7", "arm"),
    ("arm64v8", "arm64"),
    ("i386", "386"),
    ("mips64le", "mips64le"),
    ("ppc64le", "ppc64le"),
    ("riscv64", "riscv64"),
    ("s390x", "s390x"),
    ("loong64", "loong64"),
];

fn platform_mismatch(file: &Dockerfile, report: &mut Report<'_>) {
    for (stage, word, image) in images(file) {
        let Some(flag) = platform(file, stage) else { continue };
        let is_on_hub = matches!(image.registry, None | Some("docker.io"));
        let namespace = image.name.split_once('/').map_or("", |(namespace, _)| namespace);
        let known = NAMESPACES.iter().find(|(name, _)| *name == namespace).filter(|_| is_on_hub);
        let requested = flag.text().split('/').nth(1);
        if let (Some(&(_, architecture)), Some(requested)) = (known, requested)
            && architecture != requested
            && !requested.contains('$')
        {
            let message =
                format!("images of `{namespace}` are for {architecture}, not {requested}");
            report.at(word.span, message).related(flag.span, "requested platform");
        }
    }
}

//! Checks on `apk`.

use super::pins::{Installer, is_file, report_unpinned};
use super::{Check, Runs};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;

pub(super) const CHECKS: &[(&str, Check)] =
    &[("dockerfile/unpinned-apk-package", unpinned), ("dockerfile/apk-cache-kept", cache_kept)];

const APK: Installer = Installer {
    programs: &["apk"],
    verbs: &["add"],
    options_with_value: &[
        "-t",
        "--virtual",
        "-X",
        "--repository",
        "-p",
        "--root",
        "--arch",
        "--wait",
        "--keys-dir",
        "--repositories-file",
        "--cache-dir",
        "--cache-max-age",
    ],
};

fn unpinned(runs: &Runs<'_>, report: &mut Report<'_>) {
    for install in APK.installs(runs) {
        let unpinned: Vec<_> = install
            .packages
            .into_iter()
            .filter(|word| !word.text().contains(['=', '~', '<', '>']))
            .filter(|word| !is_file(word.text(), &[".apk"]))
            .collect();
        let help = "Pin the version you tested: `package=version`, or `package~=version` \
                    for any revision of it";
        report_unpinned(report, &unpinned, help);
    }
}

fn cache_kept(runs: &Runs<'_>, report: &mut Report<'_>) {
    for install in APK.installs(runs) {
        let command = install.site.command;
        let cached = install.site.run.has_mount_at(&["/var/cache/apk", "/etc/apk/cache"]);
        if cached || command.has_option(&["no-ca[che]"]) || !runs.is_in_image(install.site.run) {
            continue;
        }
        let finding = report.at(install.verb.span, "the package index remains in the image");
        finding.help("Add `--no-cache`, which fetches the index without storing it");
        if install.site.run.is_editable() {
            finding.fix("Add --no-cache", vec![Edit::insert(install.verb.span.end, " --no-cache")]);
        }
    }
}

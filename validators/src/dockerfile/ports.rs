//! Checks on EXPOSE.

use super::super::Checks;
use aidd_engine::parse::dockerfile::{Dockerfile, Keyword, Word};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;

pub(super) const CHECKS: Checks<Dockerfile> = &[
    ("dockerfile/invalid-port", invalid_port),
    ("dockerfile/expose-format", expose_format),
    ("dockerfile/expose-protocol-casing", expose_protocol_casing),
];

fn ports(file: &Dockerfile) -> impl Iterator<Item = &Word> {
    file.all(Keyword::Expose).flat_map(|expose| &expose.words)
}

fn invalid_port(file: &Dockerfile, report: &mut Report<'_>) {
    for word in ports(file) {
        let range = word.text.split('/').next().unwrap_or_default();
        // In `address:host:container` the last part is the port of the container.
        let range = range.rsplit(':').next().unwrap_or(range);
        if range.contains(['$', '{', '}']) && !range.contains('-') {
            continue;
        }
        let is_out_of_range = |port: &str| {
            let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            is_number && !matches!(port.parse::<u32>(), Ok(0..=65535))
        };
        if let Some(port) = range.split('-').find(|port| is_out_of_range(port)) {
            report.at(word.span, format!("port {port} is greater than 65535"));
        }
    }
}

fn expose_format(file: &Dockerfile, report: &mut Report<'_>) {
    for word in ports(file) {
        let literal_part = word.text.split("${").next().unwrap_or_default();
        if let Some((_, port)) = literal_part.rsplit_once(':') {
            let finding = report.at(word.span, "EXPOSE does not accept an address or a host port");
            finding.help(format!("Write `EXPOSE {port}` and map the port with `docker run -p`"));
        }
    }
}

fn expose_protocol_casing(file: &Dockerfile, report: &mut Report<'_>) {
    for word in ports(file) {
        let Some((port, protocol)) = word.text.rsplit_once('/') else { continue };
        let lower = protocol.to_ascii_lowercase();
        if lower == protocol || protocol.contains('$') {
            continue;
        }
        let fixed = format!("{port}/{lower}");
        let is_unquoted = report.source().slice(word.span) == word.text;
        let finding = report.at(word.span, format!("protocol `{protocol}` is not in lower case"));
        if is_unquoted {
            finding.fix(format!("Write {lower}"), vec![Edit::replace(word.span, fixed)]);
        }
    }
}

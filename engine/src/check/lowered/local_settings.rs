//! Settings for the machine of a developer: clients of OAuth that return to it, and variables of an
//! environment for development.

use crate::rules::rule::Rule;
use crate::text::finding::Finding;
use crate::text::purpose::is_production;
use crate::text::source::{Source, Span};
use aidd_lexicon::tables::purposes;

/// Parts of the ids of rules on the secrets of OAuth clients.
const CLIENTS: [&str; 3] = ["client-secret", "api-secret", "oauth"];

/// Parts of the names of settings with the address to which a service returns.
const CALLBACKS: [&str; 2] = ["callback", "redirect"];

/// Maximum distance in bytes between a secret and the address to which its service returns.
const MAX_DISTANCE: usize = 2000;

/// Whether a finding is the secret of an OAuth client, and all services around it return to the
/// machine of the developer: `callback: http://127.0.0.1:8000/`. Nobody else receives its logins.
pub(super) fn is_for_local_callback(rule: &Rule, finding: &Finding, source: &Source) -> bool {
    let Some(secret) = finding.secret else { return false };
    if !CLIENTS.iter().any(|part| rule.id.contains(part)) || is_production(source.path()) {
        return false;
    }
    let text = source.text();
    let start = (secret.start as usize).saturating_sub(MAX_DISTANCE);
    let end = (secret.end as usize).saturating_add(MAX_DISTANCE).min(text.len());
    let near = source.slice(Span::new(start, end)).to_ascii_lowercase();
    let mut callbacks = near.lines().filter_map(callback).peekable();
    callbacks.peek().is_some()
        && callbacks.all(|address| {
            address.contains("://127.")
                || address.contains("/127.0.0.1")
                || purposes::LOOPBACK_HOSTS
                    .iter()
                    .any(|host| host.len() > 1 && address.contains(&format!("://{host}")))
        })
}

/// The address in a line, in lower case, with the setting of a callback.
fn callback(line: &str) -> Option<&str> {
    let is_comment = ["#", "//", "--", ";"].iter().any(|mark| line.trim_start().starts_with(mark));
    let name = CALLBACKS.iter().filter_map(|name| line.find(name)).min()?;
    let address = line.get(line.find("://")?..)?;
    let is_before = line.len() - address.len() > name;
    (is_before && !is_comment).then_some(address)
}

/// Whether a dotenv file is for development: `NODE_ENV=dev`.
pub(super) fn is_for_development(source: &Source) -> bool {
    !is_production(source.path())
        && source.text().lines().any(|line| {
            let line = line.trim().trim_start_matches("export ");
            let Some((name, value)) = line.split_once('=') else { return false };
            let value = value.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
            !name.starts_with('#')
                && (name == "ENV" || name.ends_with("_ENV") || name.ends_with("ENVIRONMENT"))
                && purposes::DEVELOPMENT_ENVIRONMENTS.contains(&value)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::registry::Registry;
    use crate::text::finding::Severity;

    #[test]
    fn secrets_of_clients_that_return_to_the_developer_are_recognised() {
        let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
        for (rule, text, expected) in [
            ("twitch-client-secret", "callback: 'http://127.0.0.1:80/a'\nsecret: k3j5h2\n", true),
            ("twitch-client-secret", "secret=k3j5h2\nREDIRECT_URI=http://localhost/a\n", true),
            ("twitch-client-secret", "callback: 'https://acme.io/a'\nsecret: k3j5h2\n", false),
            (
                "twitch-client-secret",
                "callback: http://localhost/a\ncallback: https://acme.io/\nsecret: k3j5h2\n",
                false,
            ),
            ("twitch-client-secret", "# callback: http://localhost/a\nsecret: k3j5h2\n", false),
            ("twitch-client-secret", "home: http://localhost/callback\nsecret: k3j5h2\n", false),
            ("stripe-secret-key", "callback: http://localhost/a\nsecret: k3j5h2\n", false),
        ] {
            let rule = registry.get(&format!("secrets/{rule}")).expect("a rule");
            let start = text.find("k3j5h2").expect("the secret");
            let span = Span::new(start, start + 6);
            let mut finding = Finding::new(rule.id.clone(), Severity::Error, span, "m");
            finding.secret(span);
            let found = is_for_local_callback(rule, &finding, &Source::new("a.yml", text));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn variables_of_an_environment_for_development_are_recognised() {
        for (path, text, expected) in [
            (".env.docker", "NODE_ENV=dev\nKEY=k3j5h2\n", true),
            (".env", "export APP_ENV=\"local\"\n", true),
            (".env", "APP_ENV=production\n", false),
            (".env", "# APP_ENV=local\n", false),
            (".env", "APP_ENVOY=local\n", false),
            (".env.production", "APP_ENV=local\n", false),
        ] {
            assert_eq!(is_for_development(&Source::new(path, text)), expected, "{text}");
        }
    }
}

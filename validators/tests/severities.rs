//! Tests the severities of findings on secrets, with all rules: a live key is an error, but the
//! same value is only information in a place where nobody has to revoke it.

use super::DISTRIBUTION;
use aidd_engine::text::files::Memory;
use aidd_engine::text::placeholder::JOIN_MARK;
use aidd_engine::text::source::Source;

/// Generated values; the mark `⁀` keeps scanners from reporting these values.
const K: &str = "kV8xRq3LmZ⁀7tWp2Yd9Hs4Jf6Gb1Nc5Ee";
const K2: &str = "Zx9Kp2Lm7Q⁀w4Rt8Yv1Bn5Hj3Tc6Df0Gs";

/// The findings on secrets in one file, as `line severity`. `⟨K⟩` and `K2` in the text are generated
/// values.
fn severities(path: &str, text: &str) -> Vec<String> {
    let text = text.replace("K2", K2).replace("⟨K⟩", K).replace(JOIN_MARK, "");
    let source = Source::new(path, text.as_str());
    let engine = DISTRIBUTION.engine().expect("valid");
    let findings = engine.check(&source, &Memory::default()).findings;
    let secrets = findings.iter().filter(|finding| finding.rule.starts_with("secrets/"));
    secrets
        .map(|finding| format!("{} {}", source.line_of(finding.span.start) + 1, finding.severity))
        .collect()
}

#[test]
fn the_most_severe_occurrence_and_rule_are_reported() {
    for (path, text, expected) in [
        (
            "config/database.yml",
            "development:\n  password: ⟨K⟩\nproduction:\n  password: ⟨K⟩\n",
            "4 error",
        ),
        ("application.yml", "acme:\n  api-secret: ⟨K⟩\n", "2 info"),
        ("application.yml", "prod:\n  api-secret: ⟨K⟩\n", "2 error"),
        ("application.yml", "acme:\n  api-key: ⟨K⟩\n", "2 info"),
        ("application-prod.yml", "Authorization: Bearer ⟨K⟩\n", "1 error"),
        (".env.production", "HUBSPOT_API_KEY=0f5a1c2e-7b3d-4e9a-8c61-20d7c3f4e9ab\n", "1 error"),
    ] {
        assert_eq!(severities(path, text), [expected], "{path} {text}");
    }
}

#[test]
fn a_production_path_outweighs_directory_names() {
    let text = "DB_HOST=db.acme.io\nDB_PASSWORD=⟨K⟩\n";
    for path in [
        "services/integration/.env.production",
        "deploy/production/integration/.env",
        "apps/dev-portal/.env.production",
        "prod-local.env",
        ".github/.env.production",
        "apps/mock-exam/.env.production",
    ] {
        assert_eq!(severities(path, text), ["2 error"], "{path}");
    }
    // Without a word for production, half of the files are for development.
    for path in ["apps/documents/.env", "apps/vendor/.env", "demo-shop/.env"] {
        assert_eq!(severities(path, text), ["2 warning"], "{path}");
    }
    for path in ["tests/.env.production", "src/test/resources/.env.prod", "examples/prod/.env"] {
        assert_eq!(severities(path, text), ["2 info"], "{path}");
    }
}

#[test]
fn only_the_severity_of_the_public_half_of_a_pair_is_lowered() {
    for (text, expected) in [
        ("ENCRYPTION_KEY=⟨K⟩\nENCRYPTION_SECRET=K2\n", ["1 error", "2 error"]),
        ("APP_KEY=⟨K⟩\nAPP_SECRET=K2\n", ["1 error", "2 error"]),
        ("JWT_KEY=⟨K⟩\nJWT_SECRET=K2\n", ["1 error", "2 error"]),
        ("ACME_APP_KEY=⟨K⟩\nACME_APP_SECRET=K2\n", ["1 info", "2 error"]),
    ] {
        assert_eq!(severities(".env.production", text), expected, "{text}");
    }
    let mentioned = "WEB_APP_KEY=⟨K⟩\n# see WEB_APP_SECRET\n";
    assert_eq!(severities(".env.production", mentioned), ["1 error"]);
}

#[test]
fn pipelines_have_the_same_severity_for_all_services() {
    let text = "steps:\n  - run: aws s3 ls\n    env:\n      AWS_SECRET_ACCESS_KEY: \
                k8VxRq3L⁀mZ7tWp2Yd9Hs4Jf6Gb1Nc5Ee0UuAa/Oo\n";
    for path in [".github/workflows/deploy.yml", ".circleci/config.yml", ".gitlab-ci.yml"] {
        assert_eq!(severities(path, text), ["4 error"], "{path}");
    }
}

#[test]
fn kubernetes_secrets_are_recognised_in_all_spellings() {
    let secret = "apiVersion: v1\nkind: KIND\nmetadata: {name: db}\nstringData:\n  password: ⟨K⟩\n";
    for kind in ["Secret", "\"Secret\"", "'Secret'", "Secret # db"] {
        let text = secret.replace("KIND", kind);
        assert_eq!(severities("k8s/db.yaml", &text), ["5 error"], "{kind}");
    }
    let config =
        format!("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: {}\n---\n", "x".repeat(5000));
    let text = format!("{config}{}", secret.replace("KIND", "Secret"));
    assert_eq!(severities("k8s/all.yaml", &text), ["10 error"]);
    let made_up = secret.replace("KIND", "Secret").replace("⟨K⟩", "s4ffron-Kite");
    assert_eq!(severities("k8s/db.yaml", &made_up), ["5 info"]);
    assert_eq!(severities("k8s/prod/db.yaml", &made_up), ["5 error"]);
}

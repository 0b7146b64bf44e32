//! The effective settings of a project, each with its origin.

use crate::error::RunError;
use crate::project::Project;
use aidd_engine::project::config::{ContentConfig, MAX_FILE_SIZE};
use aidd_engine::workspace::baseline;
use aidd_engine::workspace::walk;
use serde_json::{Value, json};

/// Each setting, and the environment variable that overrides it.
const SETTINGS: [(&str, Option<&str>); 13] = [
    ("include", None),
    ("exclude", Some("AIDD_EXCLUDE")),
    ("failOn", Some("AIDD_FAIL_ON")),
    ("maxFileSize", Some("AIDD_MAX_FILE_SIZE")),
    ("baseline", Some("AIDD_BASELINE")),
    ("rules", None),
    ("compliance", None),
    ("overrides", None),
    ("ci", None),
    ("content", None),
    ("memory", None),
    ("accessibility", None),
    ("evolution", None),
];

/// The value of the environment variable for the content mode, which selects the pages that guide
/// an agent; empty if the variable is not set.
#[must_use]
pub fn content_mode() -> String {
    std::env::var(ContentConfig::MODE_VARIABLE).unwrap_or_default()
}

fn default_value(key: &str) -> Value {
    match key {
        "failOn" => json!("error"),
        "maxFileSize" => json!(MAX_FILE_SIZE),
        "baseline" => json!(baseline::PATH),
        "include" => json!(["**"]),
        "rules" | "ci" | "content" | "memory" | "accessibility" | "evolution" => json!({}),
        _ => json!([]),
    }
}

/// An effective setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The key in the configuration.
    pub key: &'static str,
    /// The effective value.
    pub value: Value,
    /// The origin of the value: a file, a variable, or `default`.
    pub origin: String,
}

/// The effective settings of a project with the variables of `environment`.
///
/// # Errors
/// Fails when a setting cannot be written as JSON.
pub fn effective(
    project: &Project,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Setting>, RunError> {
    let configured = serde_json::to_value(&project.config)?;
    let file = project.config_path.as_deref().map(|path| walk::relative(project.root(), path));
    let settings = SETTINGS.into_iter().map(|(key, variable)| {
        // An empty variable counts as unset, as for options of the command line.
        let value = |name| environment(name).filter(|value| !value.is_empty());
        let from_variable = variable.and_then(|name| Some((name, value(name)?)));
        let (value, origin) = match (from_variable, configured.get(key), &file) {
            (Some((name, value)), ..) => (json!(value), name.to_owned()),
            (None, Some(value), Some(file)) => (value.clone(), file.clone()),
            _ => (default_value(key), "default".to_owned()),
        };
        Setting { key, value, origin }
    });
    let mut settings: Vec<Setting> = settings.collect();
    let variable = ContentConfig::MODE_VARIABLE;
    let mode = environment(variable).filter(|mode| !mode.trim().is_empty());
    if let Some((mode, content)) =
        mode.zip(settings.iter_mut().find(|setting| setting.key == "content"))
    {
        let mut config = project.config.content.clone().unwrap_or_default();
        config.set_mode(&mode)?;
        content.value = serde_json::to_value(config)?;
        content.origin = match &*content.origin {
            "default" => variable.to_owned(),
            other => format!("{variable} over {other}"),
        };
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::project::config;

    #[test]
    fn every_setting_of_the_schema_is_listed() {
        let schema = config::schema();
        let properties = schema["properties"].as_object().expect("an object");
        for key in properties.keys().filter(|key| *key != "$schema") {
            assert!(SETTINGS.iter().any(|(name, _)| name == key), "{key}");
        }
    }
}

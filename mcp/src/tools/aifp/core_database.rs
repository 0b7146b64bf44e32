//! The directives as tables, with the names and columns of the core database of AIFP. They are
//! created in memory for each query.

use super::core_pages;
use crate::context::Context;
use crate::tool::ToolError;
use crate::tools;
use aidd_guidance::directives::Directives;
use aidd_index::sql::Table;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// All tables.
pub(super) fn all(context: &Context) -> Result<Vec<Table>, ToolError> {
    let directives = super::directives(context)?;
    let mut tables = tables(&directives);
    tables.extend(core_pages::tables(context, &directives)?);
    Ok(tables)
}

/// The directives, their relations and the tools as rows.
fn tables(directives: &Directives) -> Vec<Table> {
    let ids: BTreeMap<&str, usize> =
        directives.all().zip(1..).map(|(directive, id)| (directive.name.as_str(), id)).collect();
    let names: BTreeSet<&str> =
        directives.all().map(|directive| directive.category.as_str()).collect();
    let categories: BTreeMap<&str, usize> =
        names.into_iter().filter(|name| !name.is_empty()).zip(1..).collect();
    let rows = directives.all().map(|directive| {
        let steps = directive.header.get("steps").cloned().unwrap_or_default();
        vec![
            json!(ids[directive.name.as_str()]),
            json!(directive.name),
            json!(directive.kind),
            json!(directive.level),
            json!(directive.parent),
            json!(directive.summary),
            text(&steps),
            json!(directive.path),
            text(&json!(directive.roadblocks)),
            text(&json!(directive.keywords)),
            json!(directive.threshold),
            json!(directive.category),
            Value::Null,
            Value::Null,
        ]
    });
    let directives_table = Table {
        name: "directives",
        columns: &[
            "id",
            "name",
            "type",
            "level",
            "parent_directive",
            "description",
            "workflow",
            "md_file_path",
            "roadblocks_json",
            "intent_keywords_json",
            "confidence_threshold",
            "category_name",
            "created_at",
            "updated_at",
        ],
        rows: rows.collect(),
    };
    let categories_table = Table {
        name: "categories",
        columns: &["id", "name", "description"],
        rows: categories
            .iter()
            .map(|(name, id)| vec![json!(id), json!(name), Value::Null])
            .collect(),
    };
    let links = directives.all().filter_map(|directive| {
        let category = categories.get(directive.category.as_str())?;
        Some(vec![json!(ids[directive.name.as_str()]), json!(category)])
    });
    let links_table = Table {
        name: "directive_categories",
        columns: &["directive_id", "category_id"],
        rows: links.collect(),
    };
    let keywords = directives.all().flat_map(|directive| {
        directive.keywords.iter().map(|keyword| (keyword, &directive.name)).collect::<Vec<_>>()
    });
    let keywords = keywords.zip(1..).map(|((keyword, name), id)| {
        vec![json!(id), json!(keyword), json!(name), json!(1.0), Value::Null]
    });
    let keywords_table = Table {
        name: "intent_keywords",
        columns: &["id", "keyword", "directive_name", "weight", "context"],
        rows: keywords.collect(),
    };
    let mut relations: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    for directive in directives.all() {
        let name = directive.name.as_str();
        relations.extend(directive.calls().map(|target| (name, target, "triggers")));
        relations.extend(directive.related.iter().map(|other| (name, &**other, "cross_link")));
        relations.extend(directive.parent.iter().map(|parent| (name, &**parent, "depends_on")));
    }
    let relation_rows =
        relations.into_iter().zip(1..).filter_map(|((source, target, kind), id)| {
            let target = directives.get(target)?;
            Some(vec![
                json!(id),
                json!(ids.get(source)?),
                json!(ids.get(target.name.as_str())?),
                json!(kind),
                json!(1),
                json!(true),
            ])
        });
    let relations_table = Table {
        name: "directives_interactions",
        columns: &[
            "id",
            "source_directive_id",
            "target_directive_id",
            "relation_type",
            "weight",
            "active",
        ],
        rows: relation_rows.collect(),
    };
    let tool_rows = tools::all()
        .into_iter()
        .zip(1..)
        .map(|(tool, id)| vec![json!(id), json!(tool.name), Value::Null, json!(tool.description)]);
    let tools_table = Table {
        name: "tools",
        columns: &["id", "name", "maps_to_directive_id", "description"],
        rows: tool_rows.collect(),
    };
    vec![
        directives_table,
        categories_table,
        links_table,
        keywords_table,
        relations_table,
        tools_table,
    ]
}

/// A value as JSON text.
pub(super) fn text(value: &Value) -> Value {
    Value::from(value.to_string())
}

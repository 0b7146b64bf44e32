//! The completion criteria of the project, counted from the work list, the code index and the coverage
//! report. Nothing is claimed: a criterion that cannot be counted is not met.

use super::project_database::{Database, page};
use crate::context::Context;
use crate::tool::ToolError;
use aidd_index::sql::MAX_ROWS;
use serde::Serialize;

/// The exported symbols outside of tests, and how many of them are documented.
const DOCUMENTED: &str = "SELECT count(*) AS total, sum(coalesce(s.doc, '') <> '') AS done
    FROM symbols s JOIN files f ON f.id = s.file
    WHERE s.exported AND NOT s.test AND NOT f.test
      AND s.kind IN ('function', 'method', 'macro', 'class', 'interface', 'struct', 'enum', 'trait', 'type')";

/// The functions outside of tests, and how many of them tests reach by proved calls.
const TESTED: &str = "WITH RECURSIVE reached(id) AS (
    SELECT r.target FROM refs r JOIN files f ON f.id = r.file LEFT JOIN symbols s ON s.id = r.source
    WHERE (f.test OR s.test) AND r.target IS NOT NULL
    UNION
    SELECT r.target FROM reached a JOIN refs r ON r.source = a.id WHERE r.target IS NOT NULL
  )
  SELECT count(*) AS total, sum(s.id IN (SELECT id FROM reached)) AS done
  FROM symbols s JOIN files f ON f.id = s.file
  WHERE s.kind IN ('function', 'method') AND NOT s.test AND NOT f.test";

/// A criterion, and how far it is met.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Criterion {
    /// `tasks`, `documentation`, `coverage` or `tested_functions`.
    name: &'static str,
    done: u64,
    total: u64,
    /// The minimum share in percent; `None` if the record has none.
    minimum: Option<f64>,
    /// `None` if there is no minimum.
    met: Option<bool>,
    /// Where the counts come from, or why there are none.
    source: String,
}

impl Criterion {
    fn new(
        name: &'static str,
        (done, total): (u64, u64),
        minimum: Option<f64>,
        source: impl Into<String>,
    ) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "counts are small")]
        let is_met = |minimum: f64| total > 0 && done as f64 * 100.0 >= minimum * total as f64;
        Self { name, done, total, minimum, met: minimum.map(is_met), source: source.into() }
    }

    /// A line such as `documentation: 3/4, minimum 80 %, not met (exported symbols)`.
    pub(super) fn line(&self) -> String {
        let minimum = self.minimum.map(|minimum| format!(", minimum {minimum} %"));
        let met = match self.met {
            Some(true) => ", met",
            Some(false) => ", not met",
            None => "",
        };
        let minimum = minimum.unwrap_or_default();
        format!("{}: {}/{}{minimum}{met} ({})", self.name, self.done, self.total, self.source)
    }
}

/// Whether all criteria with a minimum are met. The work list is always a criterion.
pub(super) fn is_complete(criteria: &[Criterion]) -> bool {
    criteria.iter().all(|criterion| criterion.met != Some(false))
}

/// Counts the criteria of the project record.
pub(super) fn count(context: &Context) -> Result<Vec<Criterion>, ToolError> {
    let minimum = page(context)?.map(|page| page.criteria()).unwrap_or_default();
    let database = Database::open(context)?;
    let counted = |sql: &str| -> Result<(u64, u64), ToolError> {
        let rows = database.rows(sql)?;
        let number = |name: &str| rows.first().and_then(|row| row[name].as_u64());
        Ok((number("done").unwrap_or_default(), number("total").unwrap_or_default()))
    };
    let work = database.work.total();
    let tasks = (work.done as u64, work.total as u64);
    let mut criteria = vec![
        Criterion::new("tasks", tasks, Some(100.0), "entries of the work list without parts"),
        Criterion::new(
            "documentation",
            counted(DOCUMENTED)?,
            minimum.documentation,
            "exported symbols with documentation",
        ),
        Criterion::new("tested_functions", counted(TESTED)?, None, "functions that tests call"),
    ];
    let (counts, source) = coverage(context, &database)?;
    criteria.push(Criterion::new("coverage", counts, minimum.coverage, source));
    Ok(criteria)
}

/// The covered lines and all lines in the coverage reports, and their paths.
fn coverage(context: &Context, database: &Database<'_>) -> Result<((u64, u64), String), ToolError> {
    let mut paths = Vec::new();
    // A query returns a limited number of rows.
    loop {
        let sql = format!(
            "SELECT path FROM files WHERE NOT test ORDER BY id LIMIT {MAX_ROWS} OFFSET {}",
            paths.len()
        );
        let rows = database.rows(&sql)?;
        paths.extend(rows.iter().filter_map(|row| row["path"].as_str().map(str::to_owned)));
        if rows.len() < MAX_ROWS {
            break;
        }
    }
    let project = context.project()?;
    let mut families = context.distribution().families.iter();
    let totals = families.find_map(|family| (family.line_coverage)(&project.disk, &paths));
    let totals = totals.unwrap_or_default();
    let counts = (totals.covered, totals.lines);
    let reports = totals.reports.into_iter().collect::<Vec<_>>().join(", ");
    Ok(match totals.stale {
        Some((report, source)) => {
            ((0, 0), format!("{report} is older than {source}; run the tests again"))
        }
        None if reports.is_empty() => {
            ((0, 0), "no coverage report; run the tests with coverage".to_owned())
        }
        None => (counts, reports),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_criterion_without_counts_is_not_met() {
        assert_eq!(Criterion::new("x", (0, 0), Some(0.0), "").met, Some(false));
        assert_eq!(Criterion::new("x", (8, 10), Some(80.0), "").met, Some(true));
        assert_eq!(Criterion::new("x", (7, 10), Some(80.0), "").met, Some(false));
        assert_eq!(Criterion::new("x", (7, 10), None, "").met, None);
    }
}

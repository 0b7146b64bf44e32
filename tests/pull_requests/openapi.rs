//! Tests of OpenAPI documents that a change breaks for clients.

use crate::pull_requests::support::check;
use crate::repository::Repository;
use insta::assert_snapshot;

const ROOT: &str = "openapi: 3.1.0
info:
  title: Shop
  version: 1.4.0
paths:
  /orders:
    get:
      responses:
        '200':
          description: The orders
          content:
            application/json:
              schema:
                $ref: schemas/orders.yaml
    delete:
      responses:
        '204':
          description: Deleted
";

const ORDERS: &str = "type: array
items:
  type: object
  properties:
    id:
      type: integer
    total:
      type: integer
";

/// A repository on the branch `topic`.
fn repository() -> Repository {
    let repository = Repository::new();
    repository.commit(&[("api/openapi.yaml", ROOT), ("api/schemas/orders.yaml", ORDERS)]);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    repository
}

/// Checks the index, the work tree and a commit, whose findings must be the same.
fn check_all(repository: &Repository) -> String {
    repository.git(&["add", "--all"]);
    let staged = check(repository, &["--staged"]);
    assert_eq!(check(repository, &["--changed"]), staged);
    repository.commit(&[]);
    assert_eq!(check(repository, &["--diff", "main"]), staged);
    staged
}

#[test]
fn changes_are_compared_with_the_base() {
    let repository = repository();
    let delete = ROOT.find("    delete").expect("an operation");
    repository.write("api/openapi.yaml", &ROOT[..delete]);
    repository
        .write("api/schemas/orders.yaml", ORDERS.replace("    total:\n      type: integer\n", ""));
    assert_snapshot!(check_all(&repository), @"
    api/openapi.yaml:6 openapi/removed-operation new: the line is unchanged; caused by a change elsewhere
    api/schemas/orders.yaml:4 openapi/breaking-response new: the line is unchanged; caused by a change elsewhere
    ");
}

#[test]
fn renamed_documents_are_compared_with_their_old_path() {
    let repository = repository();
    repository.git(&["mv", "api", "description"]);
    let delete = ROOT.find("    delete").expect("an operation");
    repository.write("description/openapi.yaml", &ROOT[..delete]);
    assert_snapshot!(check_all(&repository), @"description/openapi.yaml:6 openapi/removed-operation new: the line is unchanged; caused by a change elsewhere");
}

#[test]
fn a_new_document_breaks_nothing() {
    let repository = repository();
    repository.write("other.yaml", ROOT.replace("schemas/", "api/schemas/"));
    assert_snapshot!(check_all(&repository), @"");
}

#[test]
fn changes_of_documents_over_the_size_limit_are_new() {
    let repository = repository();
    repository.commit(&[(".aidd/config.json", "{ \"maxFileSize\": 200 }")]);
    repository.git(&["branch", "--force", "main"]);
    let delete = ROOT.find("    delete").expect("an operation");
    repository.write("api/openapi.yaml", &ROOT[..delete]);
    assert_snapshot!(check_all(&repository), @"api/openapi.yaml:6 openapi/removed-operation new: the line is unchanged; caused by a change elsewhere");
}

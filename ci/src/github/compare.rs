//! The comparison of two commits.

use super::client::Client;
use super::failure::Failure;
use super::markup::encode_segment;
use serde::Deserialize;

#[derive(Deserialize)]
struct Comparison {
    merge_base_commit: Commit,
}

#[derive(Deserialize)]
struct Commit {
    sha: String,
}

/// The newest common ancestor of `base` and `head`.
pub(super) async fn merge_base(client: &Client, base: &str, head: &str) -> Result<String, Failure> {
    // One commit per page, because the list of commits is not used.
    let route = format!("/compare/{}...{}?per_page=1", encode_segment(base), encode_segment(head));
    let comparison: Comparison = client.get(&route).await?;
    let sha = comparison.merge_base_commit.sha;
    if !is_hash(&sha) {
        return Err(Failure::UnexpectedResponse("the merge base is not a hash".into()));
    }
    Ok(sha)
}

/// Whether `text` is a full commit hash.
pub(super) fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

//! The comment on a pull request, which later runs update in place.

use super::client::Client;
use super::failure::Failure;
use super::{Content, Posted, markup};
use serde::Deserialize;
use serde_json::json;

/// Maximum size of a comment in bytes. GitHub's limit is 65,536 characters, and a text never has
/// more characters than bytes.
const MAX_BYTES: usize = 65_536;
const TRUNCATION_NOTICE: &str = "*Truncated: a comment is limited to 65,536 characters. See the job summary for the full report.*";
const NO_PROBLEMS: &str = "## aidd: no problems\n\nThis pull request introduces no findings.\n";

#[derive(Deserialize)]
struct Comment {
    id: u64,
    body: Option<String>,
    html_url: String,
    /// `None` if the account was deleted.
    user: Option<User>,
}

#[derive(Deserialize)]
struct User {
    id: u64,
    #[serde(rename = "type", default)]
    kind: String,
}

/// Creates the comment, or updates the comment of an earlier run.
pub(super) async fn post(
    client: &Client,
    pull: u64,
    content: &Content<'_>,
    posted: &mut Posted,
) -> Result<(), Failure> {
    let marker = format!("<!-- aidd:report:{} -->\n", markup::marker(content.marker));
    let text = content.comment.as_deref().unwrap_or(NO_PROBLEMS);
    let body =
        format!("{marker}{}", markup::truncate(text, MAX_BYTES - marker.len(), TRUNCATION_NOTICE));
    let route = format!("/issues/{pull}/comments");
    let own = own_comments(client, &route, &marker).await?;
    let url = match update(client, &own, &body).await? {
        Some(url) => Some(url),
        None if content.comment.is_some() => Some(create(client, &route, &marker, &body).await?),
        None => None,
    };
    posted.comment_url = url.as_deref().and_then(markup::checked_url);
    Ok(())
}

/// Comments with the marker written by the owner of the token, oldest first.
async fn own_comments(client: &Client, route: &str, marker: &str) -> Result<Vec<Comment>, Failure> {
    let mut marked = comments_with_marker(client, route, marker).await?;
    if marked.is_empty() {
        return Ok(marked);
    }
    // Somebody else can copy the marker into their own comment and edit it later.
    match client.get_root::<User>("/user").await {
        Ok(me) => {
            marked.retain(|comment| comment.user.as_ref().is_some_and(|author| author.id == me.id));
        }
        // The token of an app, such as a job's, does not reveal its owner. No person can write as
        // an app.
        Err(Failure::Forbidden(_) | Failure::Missing(_)) => {
            marked
                .retain(|comment| comment.user.as_ref().is_some_and(|author| author.kind == "Bot"));
        }
        Err(failure) => return Err(failure),
    }
    Ok(marked)
}

async fn comments_with_marker(
    client: &Client,
    route: &str,
    marker: &str,
) -> Result<Vec<Comment>, Failure> {
    let mut comments: Vec<Comment> = client.list(route).await?;
    let marker = marker.trim_end();
    comments.retain(|comment| {
        comment.body.as_deref().is_some_and(|body| body.lines().next() == Some(marker))
    });
    comments.sort_by_key(|comment| comment.id);
    Ok(comments)
}

/// Updates the oldest comment that can be edited to `body` and returns its URL. Deletes newer
/// copies, which concurrent runs created.
async fn update(client: &Client, own: &[Comment], body: &str) -> Result<Option<String>, Failure> {
    let mut remaining = own.iter();
    for comment in remaining.by_ref() {
        if !comment.has_body(body) {
            let route = format!("/issues/comments/{}", comment.id);
            match client.patch::<Comment>(&route, &json!({ "body": body })).await {
                // The comment belongs to another account, or was deleted in the meantime.
                Err(Failure::Forbidden(_) | Failure::Refused(403, _) | Failure::Missing(_)) => {
                    continue;
                }
                updated => updated?,
            };
        }
        for copy in remaining {
            // The next run tries again to delete a remaining copy.
            let _ = client.delete(&format!("/issues/comments/{}", copy.id)).await;
        }
        return Ok(Some(comment.html_url.clone()));
    }
    Ok(None)
}

async fn create(client: &Client, route: &str, marker: &str, body: &str) -> Result<String, Failure> {
    let find_created = async || {
        let marked = comments_with_marker(client, route, marker).await?;
        Ok(marked.into_iter().find(|comment| comment.has_body(body)))
    };
    let comment = client.create(route, &json!({ "body": body }), find_created).await?;
    Ok(comment.html_url)
}

impl Comment {
    /// Whether the comment's text is `body`, ignoring GitHub's changes to line breaks.
    fn has_body(&self, body: &str) -> bool {
        let lines = self.body.as_deref().unwrap_or_default().trim_end().lines();
        lines.map(str::trim_end).eq(body.trim_end().lines().map(str::trim_end))
    }
}

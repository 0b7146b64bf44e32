//! The one comment on a pull request that later runs change in place.

use super::client::Client;
use super::failure::Failure;
use super::{Content, Posted, words};
use serde::Deserialize;
use serde_json::json;

/// What a comment holds: 65,536 characters; bytes are counted, which is never less.
const LIMIT: usize = 65_536;
const CUT: &str = "*The rest is cut: a comment holds 65,536 characters. The job summary has all.*";
const ALL_WELL: &str = "## aidd: no problems\n\nThis pull request introduces none.\n";

#[derive(Deserialize)]
struct Comment {
    id: u64,
    body: Option<String>,
    html_url: String,
    /// Absent when the account is gone.
    user: Option<User>,
}

#[derive(Deserialize)]
struct User {
    id: u64,
    #[serde(rename = "type", default)]
    kind: String,
}

/// Creates the comment, or changes the one of an earlier run.
pub(super) async fn post(
    client: &Client,
    pull: u64,
    content: &Content<'_>,
    posted: &mut Posted,
) -> Result<(), Failure> {
    let marker = format!("<!-- aidd:report:{} -->\n", words::marker(content.marker));
    let text = content.comment.as_deref().unwrap_or(ALL_WELL);
    let body = format!("{marker}{}", words::cut(text, LIMIT - marker.len(), CUT));
    let route = format!("/issues/{pull}/comments");
    let own = own(client, &route, &marker).await?;
    let url = match changed(client, &own, &body).await? {
        Some(url) => Some(url),
        None if content.comment.is_some() => Some(created(client, &route, &marker, &body).await?),
        None => None,
    };
    posted.comment_url = url.as_deref().and_then(words::address);
    Ok(())
}

/// Comments with the marker, written by whom the token belongs to; the oldest first.
async fn own(client: &Client, route: &str, marker: &str) -> Result<Vec<Comment>, Failure> {
    let mut marked = marked(client, route, marker).await?;
    if marked.is_empty() {
        return Ok(marked);
    }
    // A stranger may have copied the marker, and could change such a comment after us.
    match client.get_root::<User>("/user").await {
        Ok(me) => marked.retain(|comment| comment.user.as_ref().is_some_and(|by| by.id == me.id)),
        // An app's token, as a job's is, does not say whose it is. No person can write as an app.
        Err(Failure::Forbidden(_) | Failure::Missing(_)) => {
            marked.retain(|comment| comment.user.as_ref().is_some_and(|by| by.kind == "Bot"));
        }
        Err(failure) => return Err(failure),
    }
    Ok(marked)
}

async fn marked(client: &Client, route: &str, marker: &str) -> Result<Vec<Comment>, Failure> {
    let mut comments: Vec<Comment> = client.list(route).await?;
    let marker = marker.trim_end();
    comments.retain(|comment| {
        comment.body.as_deref().is_some_and(|body| body.lines().next() == Some(marker))
    });
    comments.sort_by_key(|comment| comment.id);
    Ok(comments)
}

/// Brings the oldest comment that may be changed to `body`, and gives its page. Younger ones, left
/// by runs at the same time, go.
async fn changed(client: &Client, own: &[Comment], body: &str) -> Result<Option<String>, Failure> {
    let mut left = own.iter();
    for comment in left.by_ref() {
        if !comment.says(body) {
            let route = format!("/issues/comments/{}", comment.id);
            match client.patch::<Comment>(&route, &json!({ "body": body })).await {
                // Not ours after all, or gone in the meantime.
                Err(Failure::Forbidden(_) | Failure::Refused(403, _) | Failure::Missing(_)) => {
                    continue;
                }
                done => done?,
            };
        }
        for copy in left {
            // One that stays is tried again by the next run.
            let _ = client.delete(&format!("/issues/comments/{}", copy.id)).await;
        }
        return Ok(Some(comment.html_url.clone()));
    }
    Ok(None)
}

async fn created(
    client: &Client,
    route: &str,
    marker: &str,
    body: &str,
) -> Result<String, Failure> {
    let landed = async || {
        let marked = marked(client, route, marker).await?;
        Ok(marked.into_iter().find(|comment| comment.says(body)))
    };
    let comment = client.create(route, &json!({ "body": body }), landed).await?;
    Ok(comment.html_url)
}

impl Comment {
    /// Whether it reads `body`, whatever GitHub did to its line breaks.
    fn says(&self, body: &str) -> bool {
        let lines = self.body.as_deref().unwrap_or_default().trim_end().lines();
        lines.map(str::trim_end).eq(body.trim_end().lines().map(str::trim_end))
    }
}

//! A tool that sends the user to a web page.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use jackfield::protocol::{
    CallToolResult, ContentBlock, ElicitAction, ElicitParams, ElicitResult, ElicitUrlParams, UrlMode,
};
use jackfield::server::ProtocolError;
use jackfield::{Cx, Server, State, tool};

use super::questions::raw_result;

pub(super) fn add(server: Server) -> Server {
    server.state(Announced::default())
}

/// How many announcements are remembered; the oldest clients are forgotten first by starting anew.
const MOST: usize = 10_000;

/// Which sessions have been told of which page by the error, so that the retry asks. Of each a digest is kept, however long the page's
/// address is; nobody knows the key, so nobody can make two of them the same.
#[derive(Default)]
pub(super) struct Announced {
    key: RandomState,
    known: Mutex<HashSet<u64>>,
}

impl Announced {
    /// Notes an announcement; says whether it is new.
    fn is_new(&self, cx: &Cx, url: &str, id: &str) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(self.key.hash_one((cx.client(), url, id)))
    }
}

/// Ask the user to open a web page.
#[tool(
    name = "trigger-url-elicitation",
    title = "Trigger URL Elicitation Tool",
    read_only = false,
    destructive = false,
    idempotent = false,
    open_world
)]
pub(super) async fn trigger_url_elicitation(
    /** The page. */
    #[schemars(extend("format" = "uri"))]
    url: String,
    /** What to tell the user. */
    #[default("Please open the link to complete this action.".to_owned())]
    message: String,
    /** A name for this question. */
    #[arg(rename = "elicitationId")]
    elicitation_id: Option<String>,
    /** Answer with the error that a page must be opened first, instead of asking. */
    #[arg(rename = "errorPath")]
    #[default(false)]
    error_path: bool,
    announced: State<Announced>,
    cx: &Cx,
) -> Result<CallToolResult, ProtocolError> {
    let id = elicitation_id.unwrap_or_else(|| "url-elicitation".to_owned());
    if error_path && cx.revision().has_url_elicitation_error() && announced.is_new(cx, &url, &id) {
        return Err(cx.require_url(&id, &message, &url).await);
    }
    let mut page = ElicitUrlParams::new(UrlMode::Url, message, url.as_str());
    page.elicitation_id = Some(id.clone());
    let asked = cx.ask_question("page", ElicitParams::Url(page).into()).await;
    let (raw, answer) = match asked.map(|raw| (raw.read::<ElicitResult>(), raw)) {
        Ok((Ok(answer), raw)) => (raw, answer),
        Ok((Err(error), _)) => return Ok(CallToolResult::failure(error.to_string())),
        Err(error) => return Ok(CallToolResult::failure(error.to_string())),
    };
    let text = match answer.action {
        ElicitAction::Accept => {
            format!("✅ User completed the URL elicitation flow.\nElicitation ID: {id}\nURL: {url}")
        }
        ElicitAction::Decline => format!("❌ User declined to open the URL (Elicitation ID: {id})."),
        _ => format!("⚠️ User cancelled the URL elicitation (Elicitation ID: {id})."),
    };
    Ok(CallToolResult::new(vec![ContentBlock::text(text), raw_result(&raw)]))
}

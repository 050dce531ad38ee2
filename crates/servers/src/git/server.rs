//! The tools.

use std::sync::Arc;

use jackfield::Server;
use jackfield::protocol::Tool;
use jackfield::server::ToolEntry;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::add::Staged;
use super::cancellation::Cancellation;
use super::failure::Failure;
use super::log::LogRange;
use super::repository::{OpenOptions, Repository};
use crate::python::{self, Numbers};
use crate::tool::{definition, hints, tool};

/// How the git server behaves.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Which repositories it opens, and how.
    pub open: OpenOptions,
    /// Tools that change a repository are left out.
    pub read_only: bool,
}

/// Makes the git server.
pub fn server(options: Options) -> Server {
    let calls = Arc::new(Calls { options: options.open, turn: Arc::new(Semaphore::new(1)) });
    let server = python::server("mcp-git").version(env!("CARGO_PKG_VERSION"));
    let listed = tools(&calls).into_iter().filter(|(kind, _)| *kind == Kind::Reads || !options.read_only);
    listed.fold(server, |server, (_, entry)| server.tool(python::tool(entry, Numbers::Lenient)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reads,
    Writes,
}

/// Calls run one at a time, beside the event loop.
struct Calls {
    options: OpenOptions,
    turn: Arc<Semaphore>,
}

impl Calls {
    /// Opens the repository and works in it. A caller that goes away ends the work at its next step.
    async fn run<F>(&self, path: String, work: F) -> Result<String, String>
    where
        F: FnOnce(&Repository) -> Result<String, Failure> + Send + 'static,
    {
        let options = self.options.clone();
        let cancellation = Cancellation::default();
        let _waiting = cancellation.on_drop();
        let turn = self.turn.clone().acquire_owned().await.map_err(|error| error.to_string())?;
        let running = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(&Repository::open(&path, &options, cancellation)?)
        });
        let answer = running.await.map_err(|_| "the call ended unexpectedly".to_owned())?;
        answer.map_err(|failure| failure.to_string())
    }
}

#[derive(Deserialize)]
struct Status {
    repo_path: String,
}

#[derive(Deserialize)]
struct Diff {
    repo_path: String,
    #[serde(default = "three")]
    context_lines: i64,
}

#[derive(Deserialize)]
struct DiffWith {
    repo_path: String,
    target: String,
    #[serde(default = "three")]
    context_lines: i64,
}

#[derive(Deserialize)]
struct Commit {
    repo_path: String,
    message: String,
}

#[derive(Deserialize)]
struct Add {
    repo_path: String,
    files: Vec<String>,
}

#[derive(Deserialize)]
struct Log {
    repo_path: String,
    #[serde(default = "ten")]
    max_count: i64,
    start_timestamp: Option<String>,
    end_timestamp: Option<String>,
}

#[derive(Deserialize)]
struct CreateBranch {
    repo_path: String,
    branch_name: String,
    base_branch: Option<String>,
}

#[derive(Deserialize)]
struct Checkout {
    repo_path: String,
    branch_name: String,
}

#[derive(Deserialize)]
struct Show {
    repo_path: String,
    revision: String,
}

#[derive(Deserialize)]
struct Branch {
    repo_path: String,
    branch_type: String,
    contains: Option<String>,
    not_contains: Option<String>,
}

fn three() -> i64 {
    3
}

fn ten() -> i64 {
    10
}

const REPOSITORY: &str = r#""repo_path":{"type":"string","description":"The root directory of the repository."}"#;
const CONTEXT: &str = r#""context_lines":{"type":"integer","default":3,"description":"How many unchanged lines are shown around each change."}"#;

/// All tools in the order of the original.
fn tools(calls: &Arc<Calls>) -> Vec<(Kind, ToolEntry)> {
    vec![
        entry(calls, status(), |repository, _: &Status| Ok(format!("Repository status:\n{}", repository.status()?))),
        entry(calls, diff_unstaged(), |repository, call: &Diff| {
            Ok(format!("Unstaged changes:\n{}", repository.diff_unstaged(call.context_lines)?))
        }),
        entry(calls, diff_staged(), |repository, call: &Diff| {
            Ok(format!("Staged changes:\n{}", repository.diff_staged(call.context_lines)?))
        }),
        entry(calls, diff(), |repository, call: &DiffWith| {
            Ok(format!("Diff with {}:\n{}", call.target, repository.diff_with(&call.target, call.context_lines)?))
        }),
        entry(calls, commit(), |repository, call: &Commit| {
            let (hash, note) = repository.commit(&call.message)?;
            Ok(format!("Changes committed successfully with hash {hash}{note}"))
        }),
        entry(calls, add(), |repository, call: &Add| {
            Ok(match repository.add(&call.files)? {
                Staged::Changed => "Files staged successfully".to_owned(),
                Staged::Nothing => "No changes were staged: the given paths had nothing new to stage. \
                                    git_status shows what is modified or untracked."
                    .to_owned(),
            })
        }),
        entry(calls, reset(), |repository, _: &Status| {
            repository.reset()?;
            Ok("All staged changes reset".to_owned())
        }),
        entry(calls, log(), |repository, call: &Log| {
            let (since, until) = (call.start_timestamp.as_deref(), call.end_timestamp.as_deref());
            let range = LogRange { max_count: call.max_count, since, until };
            Ok(format!("Commit history:\n{}", repository.log(&range)?))
        }),
        entry(calls, create_branch(), |repository, call: &CreateBranch| {
            repository.create_branch(&call.branch_name, call.base_branch.as_deref())
        }),
        entry(calls, checkout(), |repository, call: &Checkout| repository.checkout(&call.branch_name)),
        entry(calls, show(), |repository, call: &Show| repository.show(&call.revision)),
        entry(calls, branch(), |repository, call: &Branch| {
            repository.branches(&call.branch_type, call.contains.as_deref(), call.not_contains.as_deref())
        }),
    ]
}

/// The argument that all tools have.
trait NamesRepository {
    fn take_path(&mut self) -> String;
}

macro_rules! names_repository {
    ($($arguments:ty),*) => {
        $(impl NamesRepository for $arguments {
            fn take_path(&mut self) -> String {
                std::mem::take(&mut self.repo_path)
            }
        })*
    };
}

names_repository!(Status, Diff, DiffWith, Commit, Add, Log, CreateBranch, Checkout, Show, Branch);

fn entry<A, F>(calls: &Arc<Calls>, (kind, definition): (Kind, Tool), work: F) -> (Kind, ToolEntry)
where
    A: NamesRepository + DeserializeOwned + Send + 'static,
    F: Fn(&Repository, &A) -> Result<String, Failure> + Copy + Send + Sync + 'static,
{
    let calls = calls.clone();
    let entry = tool(definition, move |mut arguments: A, _| {
        let calls = calls.clone();
        async move {
            let path = arguments.take_path();
            calls.run(path, move |repository| work(repository, &arguments)).await
        }
    });
    (kind, entry)
}

fn reads(name: &str, description: &str, members: &str, required: &str) -> (Kind, Tool) {
    let tool = described(name, description, members, required);
    (Kind::Reads, tool.with_annotations(hints([Some(true), Some(false), Some(true), Some(false)])))
}

fn writes(name: &str, description: &str, members: &str, required: &str, hinted: [bool; 2]) -> (Kind, Tool) {
    let [destructive, idempotent] = hinted;
    let tool = described(name, description, members, required);
    (Kind::Writes, tool.with_annotations(hints([Some(false), Some(destructive), Some(idempotent), Some(false)])))
}

/// `members` and `required` are those besides `repo_path`, as they stand in JSON.
fn described(name: &str, description: &str, members: &str, required: &str) -> Tool {
    let comma = |text: &str| if text.is_empty() { String::new() } else { format!(",{text}") };
    let (members, required) = (comma(members), comma(required));
    let input =
        format!(r#"{{"type":"object","properties":{{{REPOSITORY}{members}}},"required":["repo_path"{required}]}}"#);
    definition(name, description, &input)
}

fn status() -> (Kind, Tool) {
    reads("git_status", "Shows the branch, what is staged, what is changed and which files are untracked.", "", "")
}

fn diff_unstaged() -> (Kind, Tool) {
    reads("git_diff_unstaged", "Shows changes of files that are not staged, as a diff.", CONTEXT, "")
}

fn diff_staged() -> (Kind, Tool) {
    reads("git_diff_staged", "Shows changes that the next commit would record, as a diff.", CONTEXT, "")
}

fn diff() -> (Kind, Tool) {
    let members = format!(r#""target":{{"type":"string","description":"A branch, tag or commit."}},{CONTEXT}"#);
    reads("git_diff", "Shows how files differ from a branch, tag or commit.", &members, r#""target""#)
}

fn commit() -> (Kind, Tool) {
    let members = r#""message":{"type":"string","description":"The message, whose first line is its subject."}"#;
    writes("git_commit", "Records what is staged as a new commit.", members, r#""message""#, [false, false])
}

fn add() -> (Kind, Tool) {
    let members = r#""files":{"type":"array","items":{"type":"string"},"minItems":1,"description":"Paths from the root of the repository; [\".\"] stages everything."}"#;
    writes("git_add", "Stages files for the next commit.", members, r#""files""#, [false, true])
}

fn reset() -> (Kind, Tool) {
    writes("git_reset", "Unstages everything that is staged; files stay as they are.", "", "", [true, true])
}

fn log() -> (Kind, Tool) {
    let dates = "such as '2024-01-15T14:30:25', '2024-01-15', 'Jan 15 2024', '2 weeks ago' or 'yesterday'";
    let members = format!(
        r#""max_count":{{"type":"integer","default":10,"description":"How many commits are shown at most."}},"start_timestamp":{{"anyOf":[{{"type":"string"}},{{"type":"null"}}],"default":null,"description":"Only commits since then, {dates}."}},"end_timestamp":{{"anyOf":[{{"type":"string"}},{{"type":"null"}}],"default":null,"description":"Only commits until then, {dates}."}}"#
    );
    reads("git_log", "Shows the commits of the current branch, youngest first.", &members, "")
}

fn create_branch() -> (Kind, Tool) {
    let members = r#""branch_name":{"type":"string","description":"The name of the new branch."},"base_branch":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"description":"The branch or tag to start from; the current branch if not given."}"#;
    writes(
        "git_create_branch",
        "Creates a branch without switching to it.",
        members,
        r#""branch_name""#,
        [false, false],
    )
}

fn checkout() -> (Kind, Tool) {
    let members = r#""branch_name":{"type":"string","description":"A branch, or a tag or commit to look at."}"#;
    writes("git_checkout", "Switches to a branch.", members, r#""branch_name""#, [false, false])
}

fn show() -> (Kind, Tool) {
    let members = r#""revision":{"type":"string","description":"A commit, branch or tag; REVISION:PATH for a file or directory."}"#;
    let about = "Shows a commit with its changes, or a file or directory as it was in a commit.";
    reads("git_show", about, members, r#""revision""#)
}

fn branch() -> (Kind, Tool) {
    let members = r#""branch_type":{"type":"string","description":"Which branches are listed: 'local', 'remote' or 'all'."},"contains":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"description":"Only branches that have this commit."},"not_contains":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"description":"Only branches that do not have this commit."}"#;
    reads("git_branch", "Lists branches.", members, r#""branch_type""#)
}

//! Skills: what is listed, what is loaded, and what is refused.

use std::io;
use std::sync::Arc;

use jackfield_client::skills::{BadSkill, EXTENSION, LoadedSkill, SkillEntry};
use jackfield_client::{
    BoxFuture, Client, Connector, EndReason, Error, Inbox, Link, NotSent, OpenConnection, Outgoing, OutgoingKind,
};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::script::{Pair, Server, discovery, name, paused};

const MD: &str = "skill://a/pdf/SKILL.md";
const TEXT: &str = "---\nname: pdf\ndescription: Reads PDFs\n---\nOpen the file.\n";
const DIGEST: &str = "sha256:836881b251d205ff240e60023883be2df1b91592dca8d2f2cce7adf49fc25fef";

/// What a server that has skills says about itself.
fn with_skills() -> Value {
    let mut about = discovery();
    about["capabilities"]["extensions"] = json!({ EXTENSION: {} });
    about
}

async fn connected() -> (Client, Server) {
    let (ours, mut server) = Pair::streams();
    let shake_hands = async {
        server.expect("server/discover").await;
        server.answer(with_skills()).await;
    };
    let (client, ()) = tokio::join!(Client::builder().over(ours), shake_hands);
    (client.unwrap(), server)
}

fn entry(resources: Value) -> SkillEntry {
    let frontmatter = json!({ "name": "pdf", "description": "Reads PDFs" });
    serde_json::from_value(json!({ "uri": MD, "frontmatter": frontmatter, "resources": resources })).unwrap()
}

fn listed() -> Value {
    let other = json!({ "uri": "skill://a/pdf/x.bin", "digest": DIGEST_OF_ABC, "size": 3 });
    json!([{ "uri": MD, "digest": DIGEST, "size": TEXT.len() }, other])
}

const DIGEST_OF_ABC: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// Loads a skill from a server that answers the reading of its file with these contents.
async fn load(skill: SkillEntry, contents: Value) -> Result<LoadedSkill, Error> {
    let (client, mut server) = connected().await;
    let serve = async {
        let asked = server.expect("resources/read").await;
        assert_eq!(asked["params"]["uri"], MD);
        server.answer(json!({ "resultType": "complete", "contents": contents })).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        loaded = client.load_skill(skill) => loaded,
        () = serve => unreachable!(),
    }
}

fn problem<T>(outcome: Result<T, Error>) -> BadSkill {
    let Err(error) = outcome else { panic!("it was taken") };
    let problem = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<BadSkill>());
    problem.unwrap_or_else(|| panic!("{error:?}")).clone()
}

/// A skill is loaded if its file is the listed one, whether it comes as text or as bytes; then its other files can be read.
#[test]
fn a_skill_that_is_the_listed_one_is_loaded() {
    paused(async {
        let text = json!([{ "uri": MD, "text": TEXT }]);
        let blob = json!([{ "uri": MD, "blob": "LS0tCm5hbWU6IHBkZgpkZXNjcmlwdGlvbjogUmVhZHMgUERGcwotLS0KT3BlbiB0aGUgZmlsZS4K" }]);
        for contents in [text, blob] {
            let loaded = load(entry(listed()), contents).await.unwrap();
            assert_eq!((loaded.instructions(), loaded.skill().description()), ("Open the file.\n", "Reads PDFs"));
        }
        let loaded = load(entry(listed()), json!([{ "uri": MD, "text": TEXT }])).await.unwrap();
        let (client, mut server) = connected().await;
        for (blob, wanted) in [("YWJj", Ok(b"abc".to_vec())), ("YWJk", Err("Digest"))] {
            let serve = async {
                server.expect("resources/read").await;
                server.answer(json!({ "contents": [{ "uri": "skill://a/pdf/x.bin", "blob": blob }] })).await;
            };
            let (read, ()) = tokio::join!(client.skill_file(&loaded, "skill://a/pdf/x.bin"), serve);
            match wanted {
                Ok(bytes) => assert_eq!(read.unwrap(), bytes),
                Err(_) => assert!(matches!(problem(read), BadSkill::Digest(_))),
            }
        }
        // What was not listed is not even asked for.
        assert!(matches!(problem(client.skill_file(&loaded, "skill://a/pdf/y").await), BadSkill::NotListed(_)));
        client.close().await;
        assert_eq!(server.receive().await, None);
    });
}

/// Whatever comes in place of the listed file is refused.
#[test]
fn another_file_than_the_listed_one_is_refused() {
    paused(async {
        let other = TEXT.replace("Open", "Burn");
        let longer = format!("{TEXT}\n");
        for (contents, wanted) in [
            (json!([{ "uri": MD, "text": other }]), BadSkill::Digest(MD.to_owned())),
            (
                json!([{ "uri": MD, "text": longer }]),
                BadSkill::Size { uri: MD.to_owned(), listed: TEXT.len() as u64, actual: longer.len() as u64 },
            ),
            (json!([]), BadSkill::Missing),
            (json!([{ "uri": MD, "text": TEXT }, { "uri": MD, "text": TEXT }]), BadSkill::Missing),
            (json!([{ "uri": MD, "blob": "%%%" }]), BadSkill::Missing),
        ] {
            assert_eq!(problem(load(entry(listed()), contents).await), wanted);
        }
        // Without a digest the head alone can be compared.
        for (text, wanted) in [
            (TEXT.replace("Reads", "Eats"), BadSkill::Frontmatter),
            ("Open the file.".to_owned(), BadSkill::NoFrontmatter),
        ] {
            let contents = json!([{ "uri": MD, "text": text }]);
            assert_eq!(problem(load(entry(json!("dynamic")), contents).await), wanted);
        }
        let no_text = json!([{ "uri": MD, "blob": "/////w==" }]);
        assert_eq!(problem(load(entry(json!("dynamic")), no_text).await), BadSkill::NoFrontmatter);
    });
}

/// An entry that breaks the rules, or a file outside the skill's directory, is refused before anything is asked for.
#[test]
fn nothing_is_read_for_a_bad_entry() {
    paused(async {
        let loaded = load(entry(json!("dynamic")), json!([{ "uri": MD, "text": TEXT }])).await.unwrap();
        let (client, mut server) = connected().await;
        let mut named = entry(listed());
        named.uri = "skill://a/other/SKILL.md".to_owned();
        assert!(matches!(problem(client.load_skill(named).await), BadSkill::Entry(_)));
        let outside = json!([{ "uri": MD, "digest": DIGEST, "size": 1 }, { "uri": "file:///etc/passwd", "digest": "", "size": 1 }]);
        assert!(matches!(problem(client.load_skill(entry(outside)).await), BadSkill::Entry(_)));
        for uri in [
            "file:///etc/passwd",
            "skill://a/pdf/../x",
            "skill://a/pdf/..",
            "skill://a/pdf/",
            "skill://a/pdfx/y",
            "skill://a/pdf/a//b",
        ] {
            assert!(matches!(problem(client.skill_file(&loaded, uri).await), BadSkill::NotListed(_)), "{uri}");
        }
        client.close().await;
        assert_eq!(server.receive().await, None);
    });
}

/// Answers requests with these results, in order, and then with nothing.
async fn listing(answers: Vec<Value>) -> Result<Vec<SkillEntry>, Error> {
    let (client, mut server) = connected().await;
    let serve = async {
        for answer in answers {
            server.expect("skills/list").await;
            server.answer(answer).await;
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        biased;
        listed = client.skills() => listed,
        () = serve => unreachable!(),
    }
}

/// T-115: pages follow each other to their end; a cursor that comes again and too many pages are errors, and so is what is no list.
#[test]
fn lists_of_skills_have_an_end() {
    paused(async {
        let one = || json!(entry(json!("dynamic")));
        let page = |cursor: &str| json!({ "skills": [one()], "nextCursor": cursor });
        let all = listing(vec![page("1"), page("2"), json!({ "skills": [one()] })]).await.unwrap();
        assert_eq!(all.iter().map(SkillEntry::name).collect::<Vec<_>>(), ["pdf"; 3]);
        let pages = (0..1001).map(|number| page(&number.to_string())).collect();
        for (answers, wanted) in [
            (vec![page("1"), page("1")], "repeated cursor"),
            (vec![page("1"), page("2"), page("1")], "repeated cursor"),
            (pages, "limit"),
            (vec![json!({})], "bad answer"),
            (vec![json!({ "skills": [{ "uri": MD }] })], "bad answer"),
            (vec![json!({ "skills": [{ "uri": MD, "frontmatter": [], "resources": [] }] })], "bad answer"),
            (vec![json!({ "skills": [{ "uri": MD, "frontmatter": {}, "resources": "static" }] })], "bad answer"),
        ] {
            assert_eq!(name(&listing(answers).await), wanted);
        }
    });
}

/// A server that answers with another skill than the one it was asked for is not believed, and one without skills is not asked.
#[test]
fn one_skill_is_the_one_that_was_asked_for() {
    paused(async {
        let (client, mut server) = connected().await;
        for (uri, wanted) in [(MD, true), ("skill://b/SKILL.md", false)] {
            let serve = async {
                assert_eq!(server.expect("skills/get").await["params"]["uri"], uri);
                server.answer(json!({ "skill": entry(listed()) })).await;
            };
            let (got, ()) = tokio::join!(client.skill(uri), serve);
            assert_eq!(got.is_ok(), wanted, "{got:?}");
        }
        let (without, mut server) = Pair::modern(Client::builder()).await;
        assert_eq!(name(&without.skills().await), "not offered");
        assert_eq!(name(&without.skill(MD).await), "not offered");
        without.close().await;
        assert_eq!(server.receive().await, None);
    });
}

/// A server whose first connection is cut, and whose next one comes when it is let through.
#[derive(Debug)]
struct Gate {
    /// How many connections were asked for.
    asked: watch::Sender<usize>,
    /// How many are let through.
    open: watch::Sender<usize>,
    cut: watch::Sender<bool>,
}

/// One of its doors.
#[derive(Debug)]
struct Door(Arc<Gate>);

#[derive(Debug)]
struct GateLink(Inbox);

impl Connector for Door {
    fn connect(&self, inbox: Inbox) -> BoxFuture<'_, io::Result<OpenConnection>> {
        let mut number = 0;
        self.0.asked.send_modify(|asked| {
            *asked += 1;
            number = *asked;
        });
        Box::pin(async move {
            let _ = self.0.open.subscribe().wait_for(|open| *open >= number).await;
            let mut cut = self.0.cut.subscribe();
            let run = Box::pin(async move {
                if number > 1 {
                    std::future::pending::<()>().await;
                }
                let _ = cut.wait_for(|cut| *cut).await;
                EndReason::new("cut")
            });
            Ok(OpenConnection { link: Arc::new(GateLink(inbox)), run })
        })
    }

    fn can_reconnect(&self) -> bool {
        true
    }
}

impl Link for GateLink {
    fn send(&self, message: Outgoing<'_>) -> Result<(), NotSent> {
        let OutgoingKind::Request(facts) = message.kind else { return Ok(()) };
        let result = match facts.method {
            "server/discover" => with_skills(),
            "skills/list" => json!({ "skills": [entry(listed())] }),
            _ => json!({ "skill": entry(listed()) }),
        };
        let answer = json!({ "jsonrpc": "2.0", "id": facts.id, "result": result });
        self.0.receive(answer.to_string().into_bytes().into());
        Ok(())
    }

    fn close(&self) {}
}

/// While the connection is opened anew nothing is known of the server; that does not mean that it has no skills.
#[test]
fn skills_wait_for_the_connection() {
    paused(async {
        let gate = Arc::new(Gate {
            asked: watch::Sender::new(0),
            open: watch::Sender::new(1),
            cut: watch::Sender::new(false),
        });
        let client = Client::builder().through(Door(gate.clone())).await.unwrap();
        assert_eq!(client.skills().await.unwrap().len(), 1);
        gate.cut.send_replace(true);
        gate.asked.subscribe().wait_for(|asked| *asked == 2).await.unwrap();
        let let_through = async { gate.open.send_replace(2) };
        // The three are polled in this order, so both requests wait before the connection is there.
        let (all, one, _) = tokio::join!(biased; client.skills(), client.skill(MD), let_through);
        assert_eq!((all.unwrap().len(), one.unwrap().uri.as_str()), (1, MD));
    });
}

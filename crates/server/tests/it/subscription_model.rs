//! Subscriptions of clients of all revisions beside a model of them: who hears of what.

use std::collections::{BTreeMap, BTreeSet};

use jackfield_protocol::{CallToolResult, Revision};
use jackfield_server::RunningServer;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::demo::{demo, review, sync_tool, text_resource};
use crate::talk::{Talk, runtime, started};

/// The last of them nobody can read.
const URIS: [&str; 4] = ["note:one", "note:two", "note://3", "nobody:x"];
const LISTS: [(&str, &str); 3] = [
    ("toolsListChanged", "notifications/tools/list_changed"),
    ("promptsListChanged", "notifications/prompts/list_changed"),
    ("resourcesListChanged", "notifications/resources/list_changed"),
];

#[derive(Clone, Debug)]
enum Act {
    /// A client wants to hear of resources, and of lists where it can choose.
    Want(usize, BTreeSet<usize>, BTreeSet<usize>),
    /// A client does not want to hear of something any more.
    Stop(usize, Index),
    /// Lists change, some of them more than once, and resources are touched.
    Change(Vec<usize>, Vec<usize>),
    Leave(usize),
}

fn act() -> impl Strategy<Value = Act> {
    let few = |count: usize| prop::collection::btree_set(0..count, 0..3);
    prop_oneof![
        4 => (0usize..3, few(URIS.len()), few(LISTS.len())).prop_map(|(client, uris, lists)| Act::Want(client, uris, lists)),
        3 => (0usize..3, any::<Index>()).prop_map(|(client, what)| Act::Stop(client, what)),
        6 => (prop::collection::vec(0..LISTS.len(), 0..4), prop::collection::vec(0..URIS.len(), 0..5))
            .prop_map(|(lists, uris)| Act::Change(lists, uris)),
        1 => (0usize..3).prop_map(Act::Leave),
    ]
}

/// What a client wants to hear of: once in a session, or on each of its streams.
#[derive(Debug)]
enum Wants {
    Session(BTreeSet<usize>),
    Streams(BTreeMap<u64, (BTreeSet<usize>, BTreeSet<usize>)>),
}

impl Wants {
    /// Returns the notices of a change, as (method, resource, stream).
    fn notices(&self, lists: &BTreeSet<usize>, uris: &BTreeSet<usize>) -> Vec<Notice> {
        let list = |list: &usize, stream| (LISTS[*list].1.to_owned(), None, stream);
        let resource =
            |uri: &usize, stream| ("notifications/resources/updated".to_owned(), Some(URIS[*uri].to_owned()), stream);
        match self {
            Self::Session(wanted) => {
                let lists = lists.iter().map(|changed| list(changed, None));
                lists.chain(uris.intersection(wanted).map(|uri| resource(uri, None))).collect()
            }
            Self::Streams(streams) => streams
                .iter()
                .flat_map(|(stream, (wanted_uris, wanted_lists))| {
                    let lists = lists.intersection(wanted_lists).map(|changed| list(changed, Some(*stream)));
                    let uris = uris.intersection(wanted_uris).map(|uri| resource(uri, Some(*stream)));
                    lists.chain(uris).collect::<Vec<_>>()
                })
                .collect(),
        }
    }
}

type Notice = (String, Option<String>, Option<u64>);

struct Client {
    talk: Talk,
    wants: Wants,
    next: u64,
}

impl Client {
    async fn new(server: &RunningServer, revision: Revision) -> Self {
        let mut talk = Talk::new(server);
        talk.play(&format!("@ {revision}")).await;
        let wants = match revision.has_handshake() {
            true => Wants::Session(BTreeSet::new()),
            false => Wants::Streams(BTreeMap::new()),
        };
        Self { talk, wants, next: 1 }
    }

    fn next(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    async fn want(&mut self, uris: &BTreeSet<usize>, lists: &BTreeSet<usize>) {
        let id = self.next();
        let known: BTreeSet<usize> = uris.iter().copied().filter(|uri| *uri != 3).collect();
        if let Wants::Streams(streams) = &mut self.wants {
            streams.insert(id, (known.clone(), lists.clone()));
            let mut asked: Value = lists.iter().map(|list| (LISTS[*list].0.to_owned(), json!(true))).collect();
            asked["resourceSubscriptions"] = uris.iter().map(|uri| URIS[*uri]).collect();
            let mut honoured = asked.clone();
            honoured["resourceSubscriptions"] = known.iter().map(|uri| URIS[*uri]).collect();
            self.talk.play(&format!("> {id} subscriptions/listen {}", json!({ "notifications": asked }))).await;
            let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
            let expected = json!({ "_meta": meta, "notifications": honoured });
            self.talk.play(&format!("< notifications/subscriptions/acknowledged {expected}")).await;
            return;
        }
        for uri in uris {
            let id = self.next();
            let answer = if *uri == 3 { "error -32002" } else { "{}" };
            let params = json!({ "uri": URIS[*uri] });
            self.talk.play(&format!("> {id} resources/subscribe {params}\n < {id} {answer}")).await;
        }
        if let Wants::Session(wanted) = &mut self.wants {
            wanted.extend(known);
        }
    }

    async fn stop(&mut self, what: &Index) {
        let id = self.next();
        match &mut self.wants {
            Wants::Session(wanted) => {
                let uri = what.index(URIS.len());
                wanted.remove(&uri);
                let params = json!({ "uri": URIS[uri] });
                self.talk.play(&format!("> {id} resources/unsubscribe {params}\n < {id} {{}}")).await;
            }
            Wants::Streams(streams) if !streams.is_empty() => {
                let numbers: Vec<u64> = streams.keys().copied().collect();
                let stream = what.get(&numbers);
                streams.remove(stream);
                self.talk.play(&format!("> notifications/cancelled {}", json!({ "requestId": stream }))).await;
            }
            Wants::Streams(_) => {}
        }
    }

    /// Returns all that has been told, in some order.
    async fn heard(&mut self) -> Vec<Notice> {
        let notice = |message: &Value| {
            let stream = message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].as_u64();
            let uri = message["params"]["uri"].as_str().map(str::to_owned);
            (message["method"].as_str().unwrap_or_else(|| panic!("{message}")).to_owned(), uri, stream)
        };
        let mut heard: Vec<_> = self.talk.rest().await.iter().map(notice).collect();
        heard.sort();
        heard
    }
}

/// Changes a list by something that comes, and goes at once.
fn change(server: &RunningServer, list: usize) {
    match list {
        0 => drop(
            server
                .registry()
                .tools()
                .add(sync_tool("new", json!({"type": "object"}), |_, _| CallToolResult::text("x")))
                .unwrap(),
        ),
        1 => {
            let mut entry = review();
            entry.definition.name = "new".into();
            drop(server.registry().prompts().add(entry).unwrap());
        }
        _ => drop(server.registry().resources().add(text_resource("new:x", "x")).unwrap()),
    }
}

async fn play(revisions: [Revision; 3], acts: Vec<Act>) -> Result<(), TestCaseError> {
    let touch = sync_tool("touch", json!({"type": "object"}), |arguments, cx| {
        for uri in arguments["uris"].as_array().into_iter().flatten() {
            cx.notify_resource_updated(uri.as_str().unwrap());
        }
        CallToolResult::text("touched")
    });
    let server = started(demo().resource(text_resource("note:two", "2")).tool(touch));
    let mut clients = Vec::new();
    for revision in revisions {
        clients.push(Some(Client::new(&server, revision).await));
    }
    let mut hand = Client::new(&server, Revision::LATEST).await;
    for act in acts {
        let (mut lists, mut uris) = (BTreeSet::new(), BTreeSet::new());
        match &act {
            Act::Want(client, uris, lists) => {
                if let Some(client) = &mut clients[*client] {
                    client.want(uris, lists).await;
                }
            }
            Act::Stop(client, what) => {
                if let Some(client) = &mut clients[*client] {
                    client.stop(what).await;
                }
            }
            Act::Change(changed, touched) => {
                let id = hand.next();
                let arguments = json!({ "uris": touched.iter().map(|uri| URIS[*uri]).collect::<Vec<_>>() });
                let params = json!({ "name": "touch", "arguments": arguments });
                changed.iter().for_each(|list| change(&server, *list));
                hand.talk.play(&format!("> {id} tools/call {params}\n < {id} {{}}")).await;
                lists.extend(changed.iter().copied());
                uris.extend(touched.iter().copied());
            }
            Act::Leave(client) => clients[*client] = None,
        }
        for (number, client) in clients.iter_mut().enumerate() {
            let Some(client) = client else { continue };
            let mut expected = client.wants.notices(&lists, &uris);
            expected.sort();
            prop_assert_eq!(client.heard().await, expected, "client {} after {:?}", number, act);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// SRV-010, SRV-042, SRV-043, SRV-060, PAT-060, PAT-061, PAT-062, PAT-063, PAT-065: everyone hears of what they asked for, once for each
    /// time and stream, and of nothing else.
    #[test]
    fn notices_are_what_the_model_says(
        revisions in prop::array::uniform3(prop::sample::select(Revision::ALL.to_vec())),
        acts in prop::collection::vec(act(), 0..24),
    ) {
        runtime().block_on(play(revisions, acts))?;
    }
}

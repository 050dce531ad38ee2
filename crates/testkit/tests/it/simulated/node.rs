//! A node: it crashes in the middle of whatever it does, and begins anew. Only the stores stay.

use std::collections::HashMap;
use std::error::Error;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jackfield::http::HttpConfig;
use jackfield::store::Stores;
use jackfield::transport::Shutdown;
use jackfield::{Cx, Server, tool, tools};
use tokio::task::JoinSet;
use turmoil::net::TcpListener;

pub(super) const PORT: u16 = 80;

/// How often each call was begun.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<HashMap<u64, u32>>);

impl Ledger {
    fn begin(&self, call: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(call).or_default() += 1;
    }

    pub(super) fn has(&self, call: u64) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&call)
    }

    /// What a tool does is done once: a call that may have arrived is never sent again by itself.
    pub(super) fn check(&self, seed: u64) {
        for (call, times) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            assert_eq!(*times, 1, "seed {seed}: call {call} was begun {times} times");
        }
    }
}

/// Count to a number, with a notice for each.
#[tool]
async fn count(call: u64, to: u32, cx: &Cx) -> Result<String, jackfield::Error> {
    cx.state::<Arc<Ledger>>()?.begin(call);
    for number in 1..=to {
        cx.progress(f64::from(number), f64::from(to), None);
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    Ok(format!("{call} is done"))
}

pub(super) async fn serve(stores: Stores, ledger: Arc<Ledger>) -> Result<(), Box<dyn Error>> {
    let server = Server::new("simulated").state(ledger).tools(tools![count]).store(stores).build()?.start().await?;
    let service = server.http_service(HttpConfig::default());
    let listener = TcpListener::bind((IpAddr::from(Ipv4Addr::UNSPECIFIED), PORT)).await?;
    let (_trigger, shutdown) = Shutdown::new();
    let mut connections = JoinSet::new();
    loop {
        let (stream, from) = listener.accept().await?;
        let (service, shutdown) = (service.clone(), shutdown.clone());
        connections.spawn(async move { service.connection(stream, from, shutdown).await });
        while connections.try_join_next().is_some() {}
    }
}

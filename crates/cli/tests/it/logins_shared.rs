//! Logins that are kept in a store: of several processes that are one server, and of those after them.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::logins::{FILE, add_user, log_in};
use crate::run::{Folder, HttpDemo};

/// A load balancer: each connection goes to the next of the servers.
struct Balancer {
    address: SocketAddr,
    servers: Arc<Mutex<Vec<String>>>,
}

impl Balancer {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, servers) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<String>>>::default());
        let known = servers.clone();
        thread::spawn(move || {
            for (client, turn) in listener.incoming().zip(0_usize..) {
                let servers = known.lock().unwrap().clone();
                let server = TcpStream::connect(&servers[turn % servers.len()]).unwrap();
                let client = client.unwrap();
                pass(client.try_clone().unwrap(), server.try_clone().unwrap());
                pass(server, client);
            }
        });
        Self { address, servers }
    }
}

/// Passes on what one says to the other.
fn pass(mut from: TcpStream, mut to: TcpStream) {
    thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
}

/// A user logs in by way of two processes, pages at one and tokens at the other as it comes. The login outlives both.
#[test]
fn processes_with_one_store_share_their_logins() {
    let folder = Folder::new();
    add_user(&folder);
    let (users, store) = (folder.path().join("users.json"), folder.path().join("store.db"));
    let (balancer, store) = (Balancer::new(), format!("sqlite:{}", store.display()));
    let public = format!("http://{}", balancer.address);
    let url = format!("{public}/mcp");
    let start = || {
        let words = ["--auth", users.to_str().unwrap(), "--store", &store, "--public-url", &public];
        let nodes = [HttpDemo::start_with(&words), HttpDemo::start_with(&words)];
        *balancer.servers.lock().unwrap() = nodes.iter().map(|node| node.address.clone()).collect();
        nodes
    };
    let sum = || folder.jackfield(&["call", &url, "get-sum", "a=2", "b=3"], &[]);

    let nodes = start();
    assert_eq!(sum().code, Some(7));
    let logged_in = log_in(&folder, &[&url, FILE], true).ok();
    assert!(logged_in.starts_with(&format!("logged in: {url} by {public}")), "{logged_in}");
    for _ in 0..4 {
        assert_eq!(sum().ok(), "The sum of 2 and 3 is 5.\n");
    }
    drop(nodes);
    let nodes = start();
    for _ in 0..4 {
        assert_eq!(sum().ok(), "The sum of 2 and 3 is 5.\n");
    }
    let logged_out = folder.jackfield(&["logout", &url], &[]);
    assert!(logged_out.err.contains("has revoked the token"), "{logged_out:?}");
    assert_eq!(sum().code, Some(7));
    drop(nodes);
}

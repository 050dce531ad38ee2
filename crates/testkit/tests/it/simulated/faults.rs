//! What goes wrong, drawn from a seed.

use std::time::Duration;

use jackfield_wire::Numbers;
use turmoil::Sim;

use super::{CALLERS, NODES, caller};

/// Makes faults, and mends them.
pub(super) struct Faults {
    numbers: Numbers,
    /// When the next fault comes.
    next: Duration,
    cut: Vec<(String, &'static str)>,
    held: Vec<(String, &'static str)>,
    crashed: Vec<&'static str>,
}

impl Faults {
    pub(super) fn new(seed: u64) -> Self {
        let (numbers, next) = (Numbers::new(seed), Duration::from_millis(300));
        Self { numbers, next, cut: Vec::new(), held: Vec::new(), crashed: Vec::new() }
    }

    fn link(&mut self) -> (String, &'static str) {
        let caller = caller::name(self.numbers.below(CALLERS));
        (caller, NODES[self.numbers.place(NODES.len())])
    }

    /// Lets something go wrong, or mends something, if it is time.
    pub(super) fn make(&mut self, network: &mut Sim<'_>) {
        if network.elapsed() < self.next {
            return;
        }
        self.next = network.elapsed() + Duration::from_millis(50 + self.numbers.below(600));
        match self.numbers.below(8) {
            0 | 1 => {
                let link = self.link();
                network.partition(link.0.as_str(), link.1);
                self.cut.push(link);
            }
            2 => {
                let link = self.link();
                network.hold(link.0.as_str(), link.1);
                self.held.push(link);
            }
            3 | 4 if self.crashed.is_empty() => {
                let node = NODES[self.numbers.place(NODES.len())];
                network.crash(node);
                self.crashed.push(node);
            }
            _ => self.mend(network),
        }
    }

    /// Mends everything.
    pub(super) fn mend(&mut self, network: &mut Sim<'_>) {
        for (one, other) in self.cut.drain(..) {
            network.repair(one.as_str(), other);
        }
        for (one, other) in self.held.drain(..) {
            network.release(one.as_str(), other);
        }
        for node in self.crashed.drain(..) {
            network.bounce(node);
        }
    }
}

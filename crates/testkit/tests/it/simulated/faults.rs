//! What goes wrong, drawn from a seed.

use std::time::Duration;

use turmoil::Sim;

use super::{CALLERS, NODES, caller};

/// Makes faults, and mends them.
pub(super) struct Faults {
    state: u64,
    /// When the next fault comes.
    next: Duration,
    cut: Vec<(String, &'static str)>,
    held: Vec<(String, &'static str)>,
    crashed: Vec<&'static str>,
}

impl Faults {
    pub(super) fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { state, next: Duration::from_millis(300), cut: Vec::new(), held: Vec::new(), crashed: Vec::new() }
    }

    /// A number below `bound` (xorshift).
    fn draw(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % bound
    }

    fn link(&mut self) -> (String, &'static str) {
        let caller = caller::name(self.draw(CALLERS));
        (caller, NODES[usize::try_from(self.draw(2)).unwrap_or_default()])
    }

    /// Lets something go wrong, or mends something, if it is time.
    pub(super) fn make(&mut self, network: &mut Sim<'_>) {
        if network.elapsed() < self.next {
            return;
        }
        self.next = network.elapsed() + Duration::from_millis(50 + self.draw(600));
        match self.draw(8) {
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
                let node = NODES[usize::try_from(self.draw(2)).unwrap_or_default()];
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

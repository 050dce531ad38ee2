//! Events that tell a Windows process to end.

use std::io;

use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

/// `Ctrl-C`, `Ctrl-Break` and closing the window.
pub(super) struct Signals {
    interrupt: CtrlC,
    terminate: CtrlBreak,
    close: CtrlClose,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { interrupt: ctrl_c()?, terminate: ctrl_break()?, close: ctrl_close()? })
    }

    /// Waits for the next event.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.close.recv() => {}
        }
    }
}

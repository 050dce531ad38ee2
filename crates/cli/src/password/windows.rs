//! A terminal that shows what is typed.

use std::io;

/// Nothing is hidden here; pipe the password in where others can see the screen.
pub(super) struct Silence;

impl Silence {
    pub(super) fn begin() -> io::Result<Self> {
        eprint!("(it will be visible) ");
        Ok(Self)
    }
}

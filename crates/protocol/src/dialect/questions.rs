//! Questions about revisions that only the types and the steps between revisions ask.

use crate::Revision::{self, V2025_11_25};

impl Revision {
    /// A `_meta` prefix is reserved by its second label; otherwise by any label.
    #[must_use]
    pub const fn reserves_second_label(self) -> bool {
        (self as u8) >= (V2025_11_25 as u8)
    }

    /// The server may send the user to a page.
    #[must_use]
    pub const fn has_url_elicitation(self) -> bool {
        (self as u8) >= (V2025_11_25 as u8)
    }
}

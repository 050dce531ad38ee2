//! What differs between revisions, as code.
//!
//! The model of this crate is the newest revision plus, as options, what only older ones have. Each module here is the
//! border between two neighbouring revisions and says what a newer value becomes when an older peer must read it
//! (`Older`), and where an older revision has something that the newer one gave up, what becomes of that (`Newer`).
//! [`adapt`] crosses every border that lies between the model and a revision.
//!
//! Reading needs no such step: what an older peer sends is read into the model as it is. Unknown members and blocks are kept, and
//! cross no border to an older revision than that of their sender, which [`note_sender`] notes.

mod questions;
mod schema;
mod text;
mod v2024_11_05;
mod v2025_03_26;
mod v2025_06_18;
mod v2025_11_25;
mod walk;

use crate::Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25};
use crate::{OtherContent, OtherMembers, Revision, TextContent};

pub use walk::Adapt;
pub(crate) use walk::Step;

/// Notes which revision the sender of a value speaks, so that what this library does not know of it is written to no older peer. What
/// nobody notes it for counts as sent in the newest revision.
pub fn note_sender<T: Adapt>(value: &mut T, revision: Revision) {
    value.walk(&Sender(revision));
}

struct Sender(Revision);

impl Step for Sender {
    fn other_members(&self, other: &mut OtherMembers) {
        other.set_sender(self.0);
    }

    fn other_content(&self, content: &mut OtherContent) -> Option<TextContent> {
        content.sender = self.0;
        None
    }
}

/// Changes a value so that a peer of `revision` finds in it only what its revision defines.
///
/// What the revision cannot say is said in another way where there is one, such as a text instead of a link.
/// A value that needs no change is not touched: nothing is allocated or copied.
#[inline]
pub fn adapt<T: Adapt>(value: &mut T, revision: Revision) {
    if revision > V2025_11_25 {
        value.walk(&v2025_11_25::Newer);
        return;
    }
    value.walk(&v2025_11_25::Older);
    if revision <= V2025_06_18 {
        value.walk(&v2025_06_18::Older);
    }
    if revision <= V2025_03_26 {
        value.walk(&v2025_03_26::Older);
    }
    if revision <= V2024_11_05 {
        value.walk(&v2024_11_05::Older);
    }
}

//! Roots: the folders that a client lets a server work in.

use crate::Meta;

model! {
    /// A folder or file that the server may work in.
    Root {
        /// Its URI; it begins with `file://`.
        uri: String,
        ;
        /// Its name, for people.
        name: String,
        /// Anything else; since 2025-06-18.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(Root { with_name => name: String, with_meta => meta: Meta, });

model! {
    /// The answer to `roots/list`.
    ListRootsResult {
        /// The roots.
        roots: Vec<Root>,
        ;
        /// Anything else; until 2025-11-25.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

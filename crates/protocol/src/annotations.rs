//! Annotations of content and resources, and the two roles of a conversation.

words! {
    /// Who says something, or who something is for.
    Role {
        /// The person.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}

open_options! {
    /// Hints about content or a resource for whoever shows or uses it.
    Annotations {
        /// Who it is for.
        audience: Vec<Role>,
        /// How important it is, from 0 (optional) to 1 (required).
        #[serde(with = "crate::number::optional_fraction")]
        priority: f64,
        /// When it was last changed, as an ISO 8601 time; since 2025-06-18.
        last_modified: String,
    }
}

setters!(Annotations { with_audience => audience: Vec<Role>, with_priority => priority: f64, with_last_modified => last_modified: String, });

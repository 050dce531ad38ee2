//! Icons of implementations, tools, prompts and resources.

open_model! {
    /// An image that a user interface may show.
    Icon {
        /// Where the image is: an HTTP(S) URL, or a `data:` URI.
        src: String,
        ;
        /// The image's MIME type, if the source's own is missing or too general.
        mime_type: String,
        /// Sizes such as `48x48`, or `any` for images that scale.
        sizes: Vec<String>,
        /// The background the icon is drawn for.
        theme: IconTheme,
    }
}

words! {
    /// The background that an icon is drawn for.
    IconTheme {
        /// A light background.
        Light = "light",
        /// A dark background.
        Dark = "dark",
    }
}

setters!(Icon { with_mime_type => mime_type: String, with_sizes => sizes: Vec<String>, with_theme => theme: IconTheme, });

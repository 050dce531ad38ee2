//! Content, resources and icons.

use jackfield_protocol::Revision::{V2025_03_26, V2025_06_18, V2025_11_25};
use jackfield_protocol::{IconTheme, Role};

use super::kind::Kind::{Count, List, Number, Of, Text, Word, Words};
use super::kind::{META, Member, Shape, may, must};

pub(super) fn roles() -> Vec<&'static str> {
    Role::ALL.iter().map(|role| role.as_str()).collect()
}

fn themes() -> Vec<&'static str> {
    IconTheme::ALL.iter().map(|theme| theme.as_str()).collect()
}

pub(super) const ANNOTATIONS: Member = may("annotations", Of("Annotations"), "hints for whoever uses it");
pub(super) const ICONS: Member = may("icons", List(&Of("Icon")), "images for it").since(V2025_11_25);
pub(super) const TITLE: Member = may("title", Text, "its name, for people").since(V2025_06_18);
const MIME_TYPE: Member = may("mimeType", Text, "its MIME type");
const DESCRIPTION: Member = may("description", Text, "what it is, for a model");
const URI: Member = must("uri", Text, "its URI");
const SIZE: Member = may("size", Count, "its size in bytes before any encoding");

pub(super) const SHAPES: &[Shape] = &[
    Shape::new(
        "Annotations",
        "hints about content or a resource",
        &[
            may("audience", List(&Words(roles)), "who it is for"),
            may("priority", Number, "how important it is, from 0 to 1"),
            may("lastModified", Text, "when it was last changed").since(V2025_06_18),
        ],
    ),
    Shape::new(
        "Icon",
        "an image that a user interface may show",
        &[
            must("src", Text, "where the image is"),
            MIME_TYPE,
            may("sizes", List(&Text), "sizes such as 48x48"),
            may("theme", Words(themes), "the background it is drawn for"),
        ],
    )
    .since(V2025_11_25),
    Shape::choice(
        "ContentBlock",
        "one piece of content in a tool result or a prompt",
        &["TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource"],
    ),
    Shape::new(
        "TextContent",
        "text for a person or a model",
        &[must("type", Word("text"), "says that it is text"), must("text", Text, "the text"), ANNOTATIONS, META],
    ),
    Shape::new(
        "ImageContent",
        "an image",
        &[
            must("type", Word("image"), "says that it is an image"),
            must("data", Text, "the image in base64"),
            must("mimeType", Text, "its MIME type"),
            ANNOTATIONS,
            META,
        ],
    ),
    Shape::new(
        "AudioContent",
        "sound",
        &[
            must("type", Word("audio"), "says that it is sound"),
            must("data", Text, "the sound in base64"),
            must("mimeType", Text, "its MIME type"),
            ANNOTATIONS,
            META,
        ],
    )
    .since(V2025_03_26),
    Shape::new(
        "ResourceLink",
        "a resource by its URI",
        &[
            must("type", Word("resource_link"), "says that it is a link"),
            URI,
            must("name", Text, "its name, for programs"),
            TITLE,
            DESCRIPTION,
            MIME_TYPE,
            ICONS,
            SIZE,
            ANNOTATIONS,
            META,
        ],
    )
    .since(V2025_06_18),
    Shape::new(
        "EmbeddedResource",
        "a resource's contents, carried inside a message",
        &[
            must("type", Word("resource"), "says that it is a resource"),
            must("resource", Of("ResourceContents"), "the contents"),
            ANNOTATIONS,
            META,
        ],
    ),
    Shape::choice("ResourceContents", "what a resource holds", &["TextResourceContents", "BlobResourceContents"]),
    Shape::new(
        "TextResourceContents",
        "a resource's contents as text",
        &[URI, must("text", Text, "the text"), MIME_TYPE, META],
    ),
    Shape::new(
        "BlobResourceContents",
        "a resource's contents as bytes",
        &[URI, must("blob", Text, "the bytes in base64"), MIME_TYPE, META],
    ),
    Shape::new(
        "Resource",
        "something that can be read by its URI",
        &[
            URI,
            must("name", Text, "its name, for programs"),
            TITLE,
            DESCRIPTION,
            MIME_TYPE,
            ICONS,
            SIZE,
            ANNOTATIONS,
            META,
        ],
    ),
    Shape::new(
        "ResourceTemplate",
        "a family of resources",
        &[
            must("uriTemplate", Text, "the URI template"),
            must("name", Text, "its name, for programs"),
            TITLE,
            DESCRIPTION,
            MIME_TYPE,
            ICONS,
            ANNOTATIONS,
            META,
        ],
    ),
];

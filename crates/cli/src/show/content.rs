//! The content of results: text as it is, everything else described or saved.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jackfield::protocol::{ContentBlock, Resource, ResourceContents};

use super::{Folder, one_line};
use crate::failure::{Class, Failure};

/// How a piece of content is shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// A server's text.
    Text(String),
    /// Our own words about something that is no text, on one line.
    Described(String),
}

/// Shows a piece of content; what is no text is saved if there is a folder. `name` is for files without a name of their own.
pub(crate) fn block(content: &ContentBlock, name: &str, folder: Option<&Folder>) -> Result<Shown, Failure> {
    match content {
        ContentBlock::Text(text) => Ok(Shown::Text(text.text.to_string())),
        ContentBlock::Image(image) => binary("image", Some(&image.mime_type), &image.data, name, folder),
        ContentBlock::Audio(audio) => binary("audio", Some(&audio.mime_type), &audio.data, name, folder),
        ContentBlock::ResourceLink(link) => Ok(Shown::Described(format!("[link {}]", described(link)))),
        ContentBlock::Resource(embedded) => resource(&embedded.resource, folder),
        ContentBlock::Other(other) => {
            Ok(Shown::Described(format!("[content of the kind {:?}]", one_line(other.kind()))))
        }
        _ => Ok(Shown::Described("[content of an unknown kind]".to_owned())),
    }
}

/// Shows the contents of a resource.
pub(crate) fn resource(contents: &ResourceContents, folder: Option<&Folder>) -> Result<Shown, Failure> {
    match (contents, folder) {
        (ResourceContents::Text(text), None) => Ok(Shown::Text(text.text.to_string())),
        (ResourceContents::Text(text), Some(folder)) => {
            let mime_type = text.mime_type.as_deref().or(Some("text/plain"));
            let path = folder.save(&text.uri, mime_type, text.text.as_bytes())?;
            Ok(Shown::Described(format!("[resource {} saved as {}]", one_line(&text.uri), path.display())))
        }
        (ResourceContents::Blob(blob), folder) => {
            let what = format!("resource {}", one_line(&blob.uri));
            binary(&what, blob.mime_type.as_deref(), &blob.blob, &blob.uri, folder)
        }
        _ => Ok(Shown::Described("[a resource of an unknown kind]".to_owned())),
    }
}

fn binary(
    what: &str,
    mime_type: Option<&str>,
    data: &str,
    name: &str,
    folder: Option<&Folder>,
) -> Result<Shown, Failure> {
    let bytes = decoded(data)?;
    let kind = mime_type.map(|kind| format!(" {}", one_line(kind))).unwrap_or_default();
    let saved: Option<PathBuf> = folder.map(|folder| folder.save(name, mime_type, &bytes)).transpose()?;
    let saved = saved.map(|path| format!(", saved as {}", path.display())).unwrap_or_default();
    Ok(Shown::Described(format!("[{what}{kind}, {}{saved}]", size(bytes.len() as u64))))
}

/// Reads base64.
pub(crate) fn decoded(data: &str) -> Result<Vec<u8>, Failure> {
    STANDARD.decode(data).map_err(|error| {
        Failure::new(Class::Server, "the server sent binary content that is not base64").why(error.to_string())
    })
}

/// Describes a resource on one line.
fn described(resource: &Resource) -> String {
    let mut out = one_line(&resource.uri).into_owned();
    if resource.name != resource.uri {
        out = format!("{out} {}", one_line(&resource.name));
    }
    if let Some(kind) = &resource.mime_type {
        out = format!("{out}, {}", one_line(kind));
    }
    if let Some(bytes) = resource.size {
        out = format!("{out}, {}", size(bytes));
    }
    out
}

/// Returns a number of bytes as people say it.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_content_is_shown() {
        let link = Resource::new("demo://1", "One").with_mime_type("text/plain").with_size(20_000_u64);
        for (content, shown) in [
            (ContentBlock::text("a\nb"), Shown::Text("a\nb".to_owned())),
            (ContentBlock::image("AAEC", "image/png"), Shown::Described("[image image/png, 3 bytes]".to_owned())),
            (
                ContentBlock::audio("AA==", "audio/wav\x1b"),
                Shown::Described("[audio audio/wav\\u{1b}, 1 byte]".to_owned()),
            ),
            (ContentBlock::link(link), Shown::Described("[link demo://1 One, text/plain, 20 kB]".to_owned())),
            (ContentBlock::resource(ResourceContents::text("demo://t", "inside")), Shown::Text("inside".to_owned())),
            (
                ContentBlock::resource(ResourceContents::blob("demo://b", "AAE=")),
                Shown::Described("[resource demo://b, 2 bytes]".to_owned()),
            ),
        ] {
            assert_eq!(block(&content, "tool", None).unwrap(), shown);
        }
        assert!(block(&ContentBlock::image("not base64!", "image/png"), "tool", None).is_err());
    }
}

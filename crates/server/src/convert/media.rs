//! Images and sound from bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jackfield_protocol::ContentBlock;

/// An image, made of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    base64: String,
    mime_type: String,
}

/// Sound, made of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audio {
    base64: String,
    mime_type: String,
}

/// Encodes bytes as the protocol carries them.
pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

macro_rules! media {
    ($( $type:ident $block:ident { $( $(#[$doc:meta])* $name:ident = $mime:literal, )+ } )+) => { $(
        impl $type {
            /// Takes bytes of any type, such as
            #[doc = concat!("`", media!(@first $($mime)+), "`.")]
            pub fn new(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
                Self { base64: base64(bytes.as_ref()), mime_type: mime_type.into() }
            }

            $(
                $(#[$doc])*
                pub fn $name(bytes: impl AsRef<[u8]>) -> Self {
                    Self::new(bytes, $mime)
                }
            )+
        }

        impl From<$type> for ContentBlock {
            fn from(media: $type) -> Self {
                Self::$block(media.base64, media.mime_type)
            }
        }
    )+ };
    (@first $first:literal $($rest:literal)*) => { $first };
}

media! {
    Image image {
        /// Takes the bytes of a PNG file.
        png = "image/png",
        /// Takes the bytes of a JPEG file.
        jpeg = "image/jpeg",
        /// Takes the bytes of a GIF file.
        gif = "image/gif",
        /// Takes the bytes of a WebP file.
        webp = "image/webp",
    }
    Audio audio {
        /// Takes the bytes of a WAV file.
        wav = "audio/wav",
        /// Takes the bytes of an MP3 file.
        mp3 = "audio/mpeg",
        /// Takes the bytes of an Ogg file.
        ogg = "audio/ogg",
        /// Takes the bytes of a FLAC file.
        flac = "audio/flac",
    }
}

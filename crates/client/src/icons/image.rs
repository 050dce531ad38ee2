//! What bytes are, by themselves: kind, size, and number of pictures.

use super::{BadIcon, IconLimits, svg};

/// A kind of image that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageKind {
    /// Portable network graphics.
    Png,
    /// Photographs.
    Jpeg,
    /// Google's format for both.
    Webp,
    /// Vectors, as XML.
    Svg,
}

impl ImageKind {
    /// Returns its media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Svg => "image/svg+xml",
        }
    }

    /// Whether a server may call it by this media type.
    pub(super) fn is_called(self, said: &str) -> bool {
        let said = said.split(';').next().unwrap_or_default().trim();
        said.eq_ignore_ascii_case(self.media_type()) || (self == Self::Jpeg && said.eq_ignore_ascii_case("image/jpg"))
    }
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Finds out what bytes are, and whether they are small enough to draw.
pub(super) fn inspect(bytes: &[u8], limits: &IconLimits) -> Result<ImageKind, BadIcon> {
    if bytes.len() > limits.bytes {
        return Err(BadIcon::TooLarge("bytes"));
    }
    let (kind, size) = if bytes.starts_with(PNG) {
        (ImageKind::Png, png(bytes))
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        (ImageKind::Jpeg, jpeg(bytes))
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        (ImageKind::Webp, webp(bytes))
    } else {
        svg::check(bytes)?;
        return Ok(ImageKind::Svg);
    };
    // What has no size that can be found is broken, or meant for one decoder only.
    let Size { width, height, frames } = size.ok_or(BadIcon::Unknown)?;
    if width == 0 || height == 0 {
        return Err(BadIcon::Unknown);
    }
    if width > limits.side || height > limits.side {
        return Err(BadIcon::TooLarge("pixels"));
    }
    if frames > limits.frames {
        return Err(BadIcon::TooLarge("frames"));
    }
    Ok(kind)
}

struct Size {
    width: u32,
    height: u32,
    frames: u32,
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_be_bytes(*four))
}

fn little(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*four))
}

/// The first chunk has the size; an animation says how many pictures it has before the first of them.
fn png(bytes: &[u8]) -> Option<Size> {
    if bytes.get(12..16)? != b"IHDR" {
        return None;
    }
    let mut size = Size { width: big(bytes, 16)?, height: big(bytes, 20)?, frames: 1 };
    let mut at = PNG.len();
    while let (Some(length), Some(name)) = (big(bytes, at), bytes.get(at.saturating_add(4)..at.saturating_add(8))) {
        match name {
            b"acTL" => size.frames = big(bytes, at.saturating_add(8))?,
            b"IDAT" | b"IEND" => break,
            _ => {}
        }
        at = at.saturating_add(12).saturating_add(usize::try_from(length).ok()?);
    }
    Some(size)
}

/// The segment that begins a picture has its size; the segments before it are skipped.
fn jpeg(bytes: &[u8]) -> Option<Size> {
    let mut at: usize = 2;
    loop {
        let [0xff, marker] = *bytes.get(at..)?.first_chunk::<2>()? else { return None };
        match marker {
            // Bytes may be filled up between segments.
            0xff => at = at.saturating_add(1),
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let [high_y, low_y, high_x, low_x] = *bytes.get(at.saturating_add(5)..)?.first_chunk::<4>()?;
                let (height, width) = (u16::from_be_bytes([high_y, low_y]), u16::from_be_bytes([high_x, low_x]));
                return Some(Size { width: width.into(), height: height.into(), frames: 1 });
            }
            0x01 | 0xd0..=0xd8 => at = at.saturating_add(2),
            0xd9 | 0xda => return None,
            _ => {
                let length = u16::from_be_bytes(*bytes.get(at.saturating_add(2)..)?.first_chunk::<2>()?);
                at = at.saturating_add(2).saturating_add(usize::from(length.max(2)));
            }
        }
    }
}

/// The first chunk has the size, in one of three forms; each picture of an animation is a chunk.
fn webp(bytes: &[u8]) -> Option<Size> {
    let fourteen = |at: usize| Some(u32::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk::<2>()?)) & 0x3fff);
    let (width, height) = match bytes.get(12..16)? {
        b"VP8 " => {
            if bytes.get(23..26)? != [0x9d, 0x01, 0x2a] {
                return None;
            }
            (fourteen(26)?, fourteen(28)?)
        }
        b"VP8L" => {
            if *bytes.get(20)? != 0x2f {
                return None;
            }
            let bits = little(bytes, 21)?;
            ((bits & 0x3fff).saturating_add(1), (bits >> 14 & 0x3fff).saturating_add(1))
        }
        b"VP8X" => {
            let less_one = |at: usize| Some(little(bytes, at)? & 0x00ff_ffff);
            (less_one(24)?.saturating_add(1), less_one(27)?.saturating_add(1))
        }
        _ => return None,
    };
    let mut frames: u32 = 0;
    let mut at: usize = 12;
    while let (Some(name), Some(length)) = (bytes.get(at..at.saturating_add(4)), little(bytes, at.saturating_add(4))) {
        if name == b"ANMF" {
            frames = frames.saturating_add(1);
        }
        // Chunks of odd length are filled up.
        let length = usize::try_from(length).ok()?;
        at = at.saturating_add(8).saturating_add(length).saturating_add(length % 2);
    }
    Some(Size { width, height, frames: frames.max(1) })
}

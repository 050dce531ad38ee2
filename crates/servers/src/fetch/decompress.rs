//! Decompresses bodies, within a limit.

use std::io::{self, Read};

use flate2::read::{DeflateDecoder, GzDecoder, ZlibDecoder};

/// What requests say that they accept.
pub(super) const ACCEPTED: &str = "gzip, deflate, br";

/// The most codings that are undone for one body. Nobody honest uses more than one.
const MOST_CODINGS: usize = 4;

/// Why a body cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadBody {
    #[error("the body is longer than {0} bytes when it is decompressed")]
    TooLong(usize),
    #[error("the body is not what its content encoding {0} says")]
    Broken(&'static str),
    #[error("the body has more than {MOST_CODINGS} content encodings")]
    TooManyCodings,
}

#[derive(Clone, Copy)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
}

impl Coding {
    fn named(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "deflate" => Some(Self::Deflate),
            "br" => Some(Self::Brotli),
            // What is unknown is left as it is, as browsers do.
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
        }
    }

    fn undo(self, body: &[u8], limit: usize) -> Result<Vec<u8>, BadBody> {
        let result = match self {
            Self::Gzip => read(GzDecoder::new(body), limit),
            // Some servers leave out the zlib header that the name stands for.
            Self::Deflate => read(ZlibDecoder::new(body), limit).or_else(|_| read(DeflateDecoder::new(body), limit)),
            Self::Brotli => read(brotli_decompressor::Decompressor::new(body, 4096), limit),
        };
        let decoded = result.map_err(|_| BadBody::Broken(self.name()))?;
        if decoded.len() > limit { Err(BadBody::TooLong(limit)) } else { Ok(decoded) }
    }
}

/// Undoes the codings that `content-encoding` names, the last one first. No more than `limit` bytes are ever produced.
pub(super) fn decompressed(body: Vec<u8>, content_encoding: &str, limit: usize) -> Result<Vec<u8>, BadBody> {
    let codings: Vec<Coding> = content_encoding.split(',').filter_map(Coding::named).collect();
    if codings.len() > MOST_CODINGS {
        return Err(BadBody::TooManyCodings);
    }
    let mut body = body;
    for coding in codings.into_iter().rev() {
        if !body.is_empty() {
            body = coding.undo(&body, limit)?;
        }
    }
    if body.len() > limit { Err(BadBody::TooLong(limit)) } else { Ok(body) }
}

/// Reads to the end, or one byte more than the limit.
fn read(decoder: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut decoded = Vec::new();
    decoder.take(u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1)).read_to_end(&mut decoded)?;
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_accepted_coding_is_undone() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(b"text").unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(b"text").unwrap();
        let brotli = [0x8b, 0x01, 0x80, b't', b'e', b'x', b't', 0x03];
        for (body, coding) in [
            (gzip(b"text"), "gzip"),
            (gzip(b"text"), " X-GZIP "),
            (zlib.finish().unwrap(), "deflate"),
            (raw.finish().unwrap(), "deflate"),
            (brotli.to_vec(), "br"),
            (gzip(&gzip(b"text")), "gzip, gzip"),
            (b"text".to_vec(), ""),
            (b"text".to_vec(), "identity, unknown"),
        ] {
            assert_eq!(decompressed(body, coding, 100).unwrap(), b"text", "{coding}");
        }
        assert_eq!(decompressed(Vec::new(), "gzip", 100).unwrap(), b"");
    }

    /// 100 MB of zeros are 100 kB on the wire, and 200 bytes if they are compressed twice.
    #[test]
    fn a_decompression_bomb_ends_at_the_limit() {
        let bomb = gzip(&vec![0; 100_000_000]);
        assert!(bomb.len() < 200_000);
        assert_eq!(decompressed(bomb.clone(), "gzip", 1_000_000), Err(BadBody::TooLong(1_000_000)));
        assert_eq!(decompressed(gzip(&bomb), "gzip, gzip", 1_000_000), Err(BadBody::TooLong(1_000_000)));
        assert_eq!(decompressed(gzip(b"0123456789"), "gzip", 9), Err(BadBody::TooLong(9)));
        assert_eq!(decompressed(gzip(b"0123456789"), "gzip", 10).unwrap(), b"0123456789");
    }

    #[test]
    fn what_is_not_compressed_as_it_says_is_an_error() {
        assert_eq!(decompressed(b"plain".to_vec(), "gzip", 100), Err(BadBody::Broken("gzip")));
        let mut cut = gzip(b"a longer text that is cut in the middle");
        cut.truncate(20);
        assert_eq!(decompressed(cut, "gzip", 100), Err(BadBody::Broken("gzip")));
        assert_eq!(decompressed(b"x".to_vec(), "gzip,gzip,gzip,gzip,gzip", 100), Err(BadBody::TooManyCodings));
    }
}

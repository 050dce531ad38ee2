//! A small image, made here.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use jackfield::Image;
use jackfield::protocol::ContentBlock;

const SIDE: u32 = 16;

/// Returns a PNG of a jack: a ring on a dark field.
pub(super) fn tiny_png() -> ContentBlock {
    Image::png(png()).into()
}

fn png() -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [SIDE.to_be_bytes(), SIDE.to_be_bytes()].concat();
    header.extend_from_slice(&[8, 2, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &header);
    chunk(&mut file, b"IDAT", &compressed(&pixels()));
    chunk(&mut file, b"IEND", &[]);
    file
}

/// Rows of red, green and blue, each row after a byte that says it is not filtered.
fn pixels() -> Vec<u8> {
    let mut rows = Vec::new();
    for y in 0..SIDE {
        rows.push(0);
        for x in 0..SIDE {
            let (dx, dy) = (2 * i64::from(x) - i64::from(SIDE) + 1, 2 * i64::from(y) - i64::from(SIDE) + 1);
            let on_ring = (60..=160).contains(&(dx * dx + dy * dy));
            rows.extend_from_slice(if on_ring { &[240, 170, 40] } else { &[30, 34, 42] });
        }
    }
    rows
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend_from_slice(&u32::try_from(data.len()).unwrap_or_default().to_be_bytes());
    let mut checksum = flate2::Crc::new();
    for part in [&kind[..], data] {
        file.extend_from_slice(part);
        checksum.update(part);
    }
    file.extend_from_slice(&checksum.sum().to_be_bytes());
}

//! Icons: where they may come from, and what they may be.

use std::sync::{Arc, Mutex};
use std::{fmt, io};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jackfield_client::ByteStream;
use jackfield_client::icons::{BadIcon, IconLimits, Icons, ImageKind};
use jackfield_http::client::{Agent, AgentConfig, Boxed, Dial};
use jackfield_protocol::Icon;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

/// A web in memory: it answers every GET from a table, and remembers what it was asked.
#[derive(Default)]
struct Web {
    pages: Vec<(&'static str, Vec<u8>)>,
    seen: Arc<Mutex<Vec<String>>>,
    tasks: Mutex<JoinSet<()>>,
}

impl Web {
    fn of(pages: &[(&'static str, Vec<u8>)]) -> (Agent, Arc<Mutex<Vec<String>>>) {
        let web = Self { pages: pages.to_vec(), ..Self::default() };
        let seen = web.seen.clone();
        let mut config = AgentConfig::default();
        config.dial = Some(Arc::new(web));
        (Agent::new(config), seen)
    }
}

impl fmt::Debug for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Web")
    }
}

impl Dial for Web {
    fn dial<'a>(&'a self, uri: &'a http::Uri) -> Boxed<'a, io::Result<ByteStream>> {
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let (pages, seen, host) = (self.pages.clone(), self.seen.clone(), uri.host().unwrap_or_default().to_owned());
        self.tasks.lock().unwrap().spawn(async move {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(theirs.read_u8().await.unwrap());
            }
            let head = String::from_utf8(head).unwrap();
            let url = format!("{host}{}", head.split(' ').nth(1).unwrap());
            seen.lock().unwrap().push(head);
            let page = pages.iter().find(|(at, _)| *at == url).map(|(_, page)| page.clone());
            let page = page.unwrap_or_else(|| b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n".to_vec());
            // A client that has read enough goes away.
            let _ = theirs.write_all(&page).await;
        });
        let (reader, writer) = tokio::io::split(ours);
        Box::pin(async move { Ok(ByteStream::new(reader, writer)) })
    }
}

fn page(kind: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", bytes.len());
    [head.as_bytes(), bytes].concat()
}

fn chunk(name: &[u8], data: &[u8]) -> Vec<u8> {
    [&u32::try_from(data.len()).unwrap().to_be_bytes(), name, data, &[0; 4]].concat()
}

fn png(width: u32, height: u32, frames: Option<u32>) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    let animation = frames.map(|frames| chunk(b"acTL", &[frames.to_be_bytes(), [0; 4]].concat()));
    let parts = [chunk(b"IHDR", &header), animation.unwrap_or_default(), chunk(b"IDAT", b""), chunk(b"IEND", b"")];
    [b"\x89PNG\r\n\x1a\n".to_vec(), parts.concat()].concat()
}

fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let size = [&[8][..], &height.to_be_bytes(), &width.to_be_bytes(), &[3]].concat();
    [&b"\xff\xd8\xff\xe0\0\x06JFIF\xff\xff\xc0\0\x08"[..], &size].concat()
}

fn riff(chunks: &[(&[u8], Vec<u8>)]) -> Vec<u8> {
    let one = |(name, data): &(&[u8], Vec<u8>)| {
        let fill = vec![0; data.len() % 2];
        [*name, &u32::try_from(data.len()).unwrap().to_le_bytes(), data, &fill].concat()
    };
    [b"RIFF\0\0\0\0WEBP".to_vec(), chunks.iter().flat_map(one).collect()].concat()
}

fn animation(frames: usize) -> Vec<u8> {
    let mut chunks = vec![(&b"VP8X"[..], [&[2, 0, 0, 0][..], &[31, 0, 0], &[15, 0, 0]].concat())];
    chunks.extend(vec![(&b"ANMF"[..], vec![0; 3]); frames]);
    riff(&chunks)
}

fn svg(inside: &str) -> Vec<u8> {
    format!(r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{inside}</svg>"#)
        .into()
}

fn embedded(kind: &str, bytes: &[u8]) -> Icon {
    Icon::new(format!("data:{kind};base64,{}", STANDARD.encode(bytes)))
}

async fn load(kind: &str, bytes: &[u8]) -> Result<ImageKind, BadIcon> {
    Icons::embedded().load(&embedded(kind, bytes)).await.map(|image| image.kind)
}

/// BASE-068, BASE-069, BASE-078: the kinds that icons may have are known by their bytes, and must agree with what is said.
#[tokio::test]
async fn the_bytes_say_what_an_image_is() {
    let lossy = riff(&[(b"VP8 ", [&[0; 3][..], &[0x9d, 0x01, 0x2a, 16, 0, 16, 0]].concat())]);
    let lossless = riff(&[(b"VP8L", vec![0x2f, 15, 0xc0, 3, 0])]);
    for (said, bytes, kind) in [
        ("image/png", png(16, 16, None), ImageKind::Png),
        ("image/png", png(16, 16, Some(2)), ImageKind::Png),
        ("image/jpeg", jpeg(16, 16), ImageKind::Jpeg),
        ("image/jpg", jpeg(16, 16), ImageKind::Jpeg),
        ("IMAGE/WebP", lossy, ImageKind::Webp),
        ("image/webp", lossless, ImageKind::Webp),
        ("image/webp", animation(3), ImageKind::Webp),
        ("image/svg+xml", svg(r#"<path d="M0 0"/>"#), ImageKind::Svg),
    ] {
        assert_eq!(load(said, &bytes).await.unwrap(), kind, "{said}");
        for other in ["image/png", "image/jpeg", "image/webp", "image/svg+xml", "text/html"] {
            if other != kind.media_type() {
                assert!(matches!(load(other, &bytes).await, Err(BadIcon::Mismatch { .. })), "{said} as {other}");
            }
        }
        let icon = embedded(said, &bytes).with_mime_type("image/gif");
        assert!(matches!(Icons::embedded().load(&icon).await, Err(BadIcon::Mismatch { .. })));
    }
    let plain = Icon::new(format!("data:image/svg+xml,{}", "%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"));
    assert_eq!(Icons::embedded().load(&plain).await.unwrap().kind, ImageKind::Svg);
    for other in
        [&b"GIF89a"[..], b"<html></html>", b"MZ", b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBP"]
    {
        assert!(matches!(load("image/png", other).await, Err(BadIcon::Unknown)), "{other:?}");
    }
}

/// BASE-070, BASE-073, T-105: what is too large to be an icon is not handed to a decoder; what is cut short is no image.
#[tokio::test]
async fn sizes_are_bounded() {
    let limits = IconLimits::default();
    let side = limits.side;
    assert!(load("image/png", &png(side, side, Some(limits.frames))).await.is_ok());
    let frames = usize::try_from(limits.frames).unwrap();
    assert!(load("image/webp", &animation(frames)).await.is_ok());
    for (kind, bytes, what) in [
        ("image/png", png(side + 1, 1, None), "pixels"),
        ("image/png", png(1, u32::MAX, None), "pixels"),
        ("image/jpeg", jpeg(1, u16::MAX), "pixels"),
        ("image/png", png(1, 1, Some(limits.frames + 1)), "frames"),
        ("image/webp", animation(frames + 1), "frames"),
        ("image/png", vec![0; limits.bytes + 1], "bytes"),
        ("image/svg+xml", svg(&"<g/>".repeat(30_000)), "elements"),
    ] {
        let error = load(kind, &bytes).await.unwrap_err();
        assert!(matches!(error, BadIcon::TooLarge(found) if found == what), "{what}: {error}");
    }
    assert!(matches!(load("image/png", &png(0, 5, None)).await, Err(BadIcon::Unknown)));
    // No prefix of an image makes it panic or loop.
    for bytes in [png(9, 9, Some(3)), jpeg(9, 9), animation(2), svg("<g/>")] {
        for end in 0..bytes.len() {
            let _ = load("image/png", &bytes[..end]).await;
        }
    }
}

/// BASE-077, T-105: vector images that could run or fetch something are refused.
#[tokio::test]
async fn vector_images_are_still() {
    for harmless in [
        r##"<defs><path id="a"/></defs><use href="#a" fill="url(#b)"/>"##,
        "<style>path { fill: url(#b) }</style>",
        r#"<image href="data:image/png;base64,AAAA"/>"#,
        "<title>on click</title>",
    ] {
        assert!(load("image/svg+xml", &svg(harmless)).await.is_ok(), "{harmless}");
    }
    for active in [
        "<script>alert(1)</script>",
        "<SCRIPT/>",
        r#"<x:script xmlns:x="http://www.w3.org/2000/svg"/>"#,
        r#"<g onload="alert(1)"/>"#,
        r#"<g ONCLICK="alert(1)"/>"#,
        r#"<a href="javascript:alert(1)"/>"#,
        r#"<a xlink:href="&#106;avascript:alert(1)"/>"#,
        r#"<image href="https://elsewhere/x.png"/>"#,
        r#"<image href="data:image/svg+xml,x"/>"#,
        r#"<use xlink:href="other.svg#a"/>"#,
        "<foreignObject/>",
        r#"<set attributeName="href" to="javascript:alert(1)"/>"#,
        "<style>@import 'x'</style>",
        "<style><!-- --> @import url(https://elsewhere)</style>",
        "<style>a{b:url( 'https://elsewhere')}</style>",
        r#"<g style="fill:url(//elsewhere)"/>"#,
        r#"<g style="fill:\75rl(//elsewhere)"/>"#,
        "<?xml-stylesheet href='x'?>",
    ] {
        assert!(matches!(load("image/svg+xml", &svg(active)).await, Err(BadIcon::Active(_))), "{active}");
    }
    let entities = [br#"<!DOCTYPE svg [<!ENTITY a "b">]>"#.to_vec(), svg("&a;")].concat();
    assert!(matches!(load("image/svg+xml", &entities).await, Err(BadIcon::Active(_))));
}

/// BASE-071: nothing but `https:` and `data:` is looked at.
#[tokio::test]
async fn other_schemes_are_refused() {
    let (agent, seen) = Web::of(&[]);
    let icons = Icons::of_server("http://server.test/mcp").trust("ftp://server.test").agent(agent);
    for src in [
        "http://server.test/icon.png",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://server.test/icon.png",
        "ws://server.test/",
        "app://icon",
        "/icon.png",
        "",
    ] {
        assert!(matches!(icons.load(&Icon::new(src)).await, Err(BadIcon::Scheme)), "{src}");
    }
    for src in ["data:", "data:image/png", "data:image/png;base64,?", "data:,%4", "data:,%zz"] {
        assert!(matches!(icons.load(&Icon::new(src)).await, Err(BadIcon::Data)), "{src}");
    }
    assert!(seen.lock().unwrap().is_empty());
}

/// BASE-072, BASE-074, BASE-075, BASE-076, T-105: icons come from the server's own origin or a trusted one, without redirects to another,
/// and nobody learns who asks.
#[tokio::test]
async fn icons_stay_with_their_server() {
    let moved = |to: &str| format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n").into_bytes();
    let endless = b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 999999999\r\n\r\n".to_vec();
    let image = png(16, 16, None);
    let (agent, seen) = Web::of(&[
        ("server.test/icon.png", page("image/png", &image)),
        ("cdn.test/icon.png", page("image/png; x=y", &image)),
        ("elsewhere.test/icon.png", page("image/png", &image)),
        ("server.test/html", page("text/html", &image)),
        ("server.test/near", moved("/icon.png")),
        ("server.test/far", moved("https://elsewhere.test/icon.png")),
        ("server.test/plain", moved("http://server.test/icon.png")),
        ("server.test/endless", [endless, vec![0; 2 * 1024 * 1024]].concat()),
    ]);
    let icons = Icons::of_server("https://server.test/mcp").trust("https://cdn.test").agent(agent);
    let load = async |src: &str| icons.load(&Icon::new(src)).await;
    for good in ["https://server.test/icon.png", "https://cdn.test:443/icon.png", "https://server.test/near"] {
        assert_eq!(load(good).await.unwrap().bytes, image, "{good}");
    }
    for other in [
        "https://elsewhere.test/icon.png",
        "https://server.test:444/icon.png",
        "https://server.test.elsewhere.test/icon.png",
        "https://user@server.test/icon.png",
    ] {
        assert!(matches!(load(other).await, Err(BadIcon::Origin)), "{other}");
    }
    for redirect in ["https://server.test/far", "https://server.test/plain"] {
        assert!(matches!(load(redirect).await, Err(BadIcon::Status(status)) if status == 302), "{redirect}");
    }
    assert!(matches!(load("https://server.test/missing").await, Err(BadIcon::Status(status)) if status == 404));
    assert!(matches!(load("https://server.test/html").await, Err(BadIcon::Mismatch { .. })));
    assert!(matches!(load("https://server.test/endless").await, Err(BadIcon::TooLarge("bytes"))));
    for head in seen.lock().unwrap().iter() {
        let head = head.to_ascii_lowercase();
        assert!(!head.contains("host: elsewhere.test"), "{head}");
        assert!(!head.contains("cookie") && !head.contains("authorization") && !head.contains("referer"), "{head}");
    }
}

/// T-105, T-062 in part: by default nothing inside the user's own network is asked.
#[tokio::test]
async fn the_inner_network_is_out_of_reach() {
    for host in ["127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "[::1]"] {
        let icons = Icons::of_server(&format!("https://{host}/mcp"));
        let error = icons.load(&Icon::new(format!("https://{host}/icon.png"))).await.unwrap_err();
        assert!(error.is_out_of_reach(), "{host}: {error:?}");
    }
}

//! Returns an image.

use std::io::Cursor;

use image::ImageFormat;
use jackfield::{Image, Server, tool, tools};

/// Make a thumbnail of a PNG image, at most 100 by 100 pixels.
#[tool(read_only, blocking)]
fn create_thumbnail(
    /** Path of the image. */
    image_path: String,
) -> anyhow::Result<Image> {
    let image = image::open(image_path)?;
    let mut png = Cursor::new(Vec::new());
    image.thumbnail(100, 100).write_to(&mut png, ImageFormat::Png)?;
    Ok(Image::png(png.into_inner()))
}

#[tokio::main]
async fn main() -> jackfield::Result {
    Server::new("thumbnails").tools(tools![create_thumbnail]).run_cli().await
}

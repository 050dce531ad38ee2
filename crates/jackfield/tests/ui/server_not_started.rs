use jackfield::Server;
use jackfield::transport::ByteStream;

async fn serve(stream: ByteStream) -> jackfield::Result {
    let built = Server::new("demo").build()?;
    built.serve_stream(stream).await
}

fn main() {}

use jackfield::Server;

async fn late() -> jackfield::Result {
    let built = Server::new("demo").build()?;
    let built = built.page_size(10);
    let running = Server::new("demo").start().await?;
    let running = running.state(10_u8);
    Ok(())
}

fn main() {}

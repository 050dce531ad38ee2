use jackfield::Server;

fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    let _ = Server::new("demo").tool(add);
}

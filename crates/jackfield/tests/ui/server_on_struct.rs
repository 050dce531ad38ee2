use jackfield::server;

#[server]
struct Notes;

fn main() {}

use jackfield::{Server, tools};

mod notes {
    #[jackfield::tool]
    pub fn save(text: String) -> String {
        text
    }
}

use notes::save;

fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    let _ = Server::new("demo").tools(tools![add, save, notes::missing, add(1, 2)]);
    let _ = Server::new("demo").tools(tools![add, save, notes::missing]);
}

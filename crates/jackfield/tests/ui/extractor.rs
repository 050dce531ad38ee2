use jackfield::tool;

struct Database;

#[tool]
fn query(sql: String, #[extract] database: Database) -> String {
    let _ = database;
    sql
}

fn main() {}

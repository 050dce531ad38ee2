use jackfield::tool;

#[tool(task = "sometimes")]
fn no_such_word() {}

#[tool(task = true)]
fn not_a_text() {}

#[tool(task = "forbidden", becomes_task)]
fn both_ways() {}

#[tool(becomes_task = "later")]
fn not_a_flag() {}

fn main() {}

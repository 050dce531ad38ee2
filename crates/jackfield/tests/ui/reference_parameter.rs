use jackfield::tool;

#[tool]
fn total(numbers: &Vec<i64>, factor: &mut i64) -> i64 {
    numbers.iter().sum::<i64>() * *factor
}

fn main() {}

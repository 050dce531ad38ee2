use jackfield::tool;

struct Point {
    x: f64,
    y: f64,
}

#[tool]
fn length(point: Point) -> f64 {
    point.x.hypot(point.y)
}

fn main() {}

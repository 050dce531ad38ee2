use jackfield::server;

struct Counter(u64);

#[server]
impl Counter {
    #[tool]
    fn count(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

fn main() {}

//! Small servers that show one thing each. Run one with `cargo run --package jackfield-examples --example quickstart`; it speaks on
//! its standard input and output.

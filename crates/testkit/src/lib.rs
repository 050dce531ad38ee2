//! What Jackfield's own tests share.

mod faults;

pub use faults::{Faults, Faulty};

use std::process::Command;

use super::super::documents;
use super::*;
use crate::workspace::Workspace;

const SOURCE: &str = r#"
//! A crate with one item of each kind.
use std::fmt;
/// A type.
pub struct Plain<'a, T: Clone + 'static, const N: usize = 3> where T: fmt::Debug { pub a: &'a mut T, b: [u8; N], pub c: Option<Box<dyn Fn(&str, u8) -> Result<(), fmt::Error> + Send + 'a>> }
impl<'a, T: Clone + fmt::Debug, const N: usize> Plain<'a, T, N> {
    pub const X: u8 = 3;
    pub fn new(a: &'a mut T) -> Self where T: Default { todo!() }
    pub async fn go(&mut self, f: impl FnOnce(u8) -> bool + Send) -> impl Iterator<Item = u8> + '_ { [1u8].into_iter() }
    fn hidden(&self) {}
}
#[derive(Clone)]
#[non_exhaustive]
pub enum Kind { A, B(u8, String), C { x: (u8, [u8; 2]) } }
pub trait Shape<X>: Send + fmt::Debug { type Out<'a>: Clone where Self: 'a; const K: u8 = 1; fn f(&self, x: X) -> Self::Out<'_>; fn d(self) where Self: Sized {} }
impl Shape<u8> for Vec<bool> { type Out<'a> = u8; fn f(&self, x: u8) -> u8 { x } }
pub struct Tuple(pub u8, u16);
impl From<Tuple> for Kind { fn from(_: Tuple) -> Self { Kind::A } }
pub type Alias<T> = Result<T, fmt::Error>;
pub const K: &str = "x";
mod private { pub fn exported(f: for<'a> fn(&'a u8) -> &'a u8, g: &dyn for<'b> Fn(&'b u8)) -> ! { loop {} } }
pub use private::exported;
pub mod m { pub use super::Tuple as Pair; pub fn q<I: Iterator<Item: Clone> + ?Sized>(i: *const I) -> <I as Iterator>::Item { todo!() } }
#[macro_export] macro_rules! make { () => {} }
#[doc(hidden)] pub fn internal() {}
"#;

const EXPECTED: &str = "\
type one_of_each::Alias<T> = Result<T, fmt::Error>
const one_of_each::K: &str
#[non_exhaustive] enum one_of_each::Kind
    A
    B(u8, String)
    C
    C.x: (u8, [u8; 2])
    impl Clone for Kind
    impl From<Tuple> for Kind
struct one_of_each::Plain<'a, T, const N: usize = 3> where T: fmt::Debug + Clone + 'static
    a: &'a mut T
    c: Option<Box<dyn Fn(&str, u8) -> Result<(), fmt::Error> + Send + 'a>>
    private fields
    Plain<'a, T, N>: async fn go(&mut self, f: impl FnOnce(u8) -> bool + Send) -> impl Iterator<Item = u8> + '_
    Plain<'a, T, N>: const X: u8
    Plain<'a, T, N>: fn new(a: &'a mut T) -> Self where T: Default
trait one_of_each::Shape<X>: Send + fmt::Debug
    const K: u8
    fn d(self) where Self: Sized
    fn f(&self, x: X) -> Self::Out<'_>
    type Out<'a>: Clone
    impl Shape<u8> for Vec<bool>
struct one_of_each::Tuple
    (u8, _)
    impl From<Tuple> for Kind
fn one_of_each::exported(f: for<'a> fn(&'a u8) -> &'a u8, g: &dyn for<'b> Fn(&'b u8)) -> !
mod one_of_each::m
use one_of_each::m::Pair = one_of_each::Tuple
fn one_of_each::m::q<I: Iterator<Item: Clone> + ?Sized>(i: *const I) -> <I as Iterator>::Item
macro one_of_each::make!
";

#[test]
fn every_kind_of_item_is_listed_with_its_members() {
    let folder = Workspace::find().unwrap().target.join("public-api-test");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("one_of_each.rs"), SOURCE).unwrap();
    let mut rustdoc = Command::new("rustdoc");
    rustdoc.current_dir(&folder).env("RUSTC_BOOTSTRAP", "1");
    rustdoc.args(["--edition", "2024", "--crate-type", "lib", "-Zunstable-options", "--output-format", "json"]);
    let output = rustdoc.args(["--out-dir", ".", "one_of_each.rs"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(folder.join("one_of_each.json")).unwrap();
    let documents = Documents::from([("one_of_each".to_owned(), documents::read(&text).unwrap())]);
    let listing = write(&documents, "one_of_each").unwrap();
    assert_eq!(listing, EXPECTED, "{listing}");
    let names = root_names(&documents, "one_of_each").unwrap();
    assert!(names.contains("exported") && names.contains("m") && !names.contains("internal"), "{names:?}");
}

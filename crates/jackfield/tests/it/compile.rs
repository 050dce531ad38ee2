//! What the macros accept, and how they refuse: each message points at the user's line and names the fix.

#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}

//! What globs match, and that no pattern takes long.

use super::Glob;

fn is_match(pattern: &str, path: &str) -> bool {
    let names: Vec<&str> = path.split('/').collect();
    Glob::new(pattern).unwrap().is_match(&names)
}

#[track_caller]
fn check(pattern: &str, matching: &[&str], others: &[&str]) {
    for path in matching {
        assert!(is_match(pattern, path), "{pattern} should match {path}");
    }
    for path in others {
        assert!(!is_match(pattern, path), "{pattern} should not match {path}");
    }
}

#[test]
fn stars_and_marks_stay_within_a_component() {
    check("*.txt", &["a.txt", ".txt", ".a.txt"], &["a.txt.x", "d/a.txt", "atxt"]);
    check("a*c", &["ac", "abc", "abbc"], &["ab", "bc", "a/c"]);
    check("a*", &["a", "ab"], &["ba"]);
    check("?.js", &["a.js", "é.js"], &["ab.js", ".js"]);
    check("??.js", &["ab.js", "🦀.js"], &["a.js", "abc.js"]);
    check("?", &["a", "é"], &["🦀", "ab"]);
    check("a*b*c", &["abc", "axbyc", "abbcc"], &["acb"]);
    check("*", &["a", ".a"], &["a/b"]);
    check("hello", &["hello"], &["hello.txt", "d/hello", "Hello"]);
}

/// The original takes a shortcut here that knows no escapes.
#[test]
fn escapes_after_a_leading_star_or_mark_stand_for_themselves() {
    check("*\\.txt", &["a\\.txt"], &["a.txt"]);
    check("?\\.txt", &["a\\.txt"], &["a.txt"]);
    check("a*\\.txt", &["ab.txt"], &["ab.txtx"]);
}

#[test]
fn two_stars_are_any_number_of_names() {
    check("**", &["a", "a/b", ".git/config"], &[]);
    check("**/*.js", &["a.js", "d/a.js", "d/e/.a.js"], &["a.ts"]);
    check("a/**", &["a/b", "a/b/c"], &["a", "b/a"]);
    check("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a", "b", "a/b/c"]);
    check("**/a/**", &["a/b", "x/a/b"], &["a", "x/a"]);
    check("**/a/**/b/c", &["a/b/c", "x/a/b/b/c"], &["a/b/x/c"]);
    check("a**", &["abc"], &["a/b"]);
    check("**/**/a", &["a", "x/a"], &[]);
    check("x/../a", &["a"], &["x/../a"]);
    check("a//b", &["a/b"], &["a"]);
}

#[test]
fn what_matches_nothing() {
    for pattern in ["", "#a", "./a", "a/", "/a", "[b-a]x", "{,}"] {
        check(pattern, &[], &["a", "#a", "x", "ax"]);
    }
}

#[test]
fn a_leading_mark_negates_the_whole_pattern() {
    check("!*.js", &["a.ts", "d/a.js"], &["a.js"]);
    check("!!*.js", &["a.js"], &["a.ts"]);
    check("!(a)", &["a", "b"], &["(a)"]);
}

#[test]
fn classes() {
    check("[a-c]x", &["ax", "cx"], &["dx", "Ax", "x"]);
    check("[!a-c]", &["d", "é"], &["a"]);
    check("[^a]", &["b"], &["a"]);
    check("[]a]", &["]", "a"], &["b"]);
    check("[a-]", &["a", "-"], &["b"]);
    check("[\\]a]", &["]", "a"], &["\\"]);
    check("[[:digit:][:upper:]_]", &["5", "Ł", "_", "٣"], &["a", "-"]);
    check("[[:alpha:]]x", &["äx"], &["1x"]);
    check("[![:space:]]", &["a"], &[" "]);
    check("[abc", &["[abc"], &["a"]);
    check("[*]", &["*"], &["a"]);
}

#[test]
fn braces() {
    check("*.{js,ts}", &["a.js", "a.ts"], &["a.rs", "a.{js,ts}"]);
    check("{1..3}.txt", &["1.txt", "3.txt"], &["4.txt"]);
    check("{08..10}", &["08", "09", "10"], &["8"]);
    check("{a..e..2}", &["a", "c", "e"], &["b"]);
    check("{c..a}", &["a", "b", "c"], &["d"]);
    check("{-1..1}", &["-1", "0", "1"], &["2"]);
    check("{src,test/**}/*.rs", &["src/a.rs", "test/x/a.rs", "test/a.rs"], &["a.rs"]);
    check("a{b,c{d,e}}f", &["abf", "acdf", "acef"], &["acf"]);
    check("{a}", &["{a}"], &["a"]);
    check("{a", &["{a"], &["a"]);
    check("${a,b}", &["${a,b}"], &["a"]);
    check("{}a", &["{}a"], &["a"]);
    check("\\{a,b}", &["{a,b}"], &["a"]);
    check("{*,x}*", &["a", "a/b", "xy"], &[]);
    check("[{a,b}]", &["a", "b"], &["c"]);
    check("!(x{a,b})", &["xa"], &["(xa)", "(xb)"]);
    check("a!(x{a,b})", &["axa", "axb", "ay"], &["b"]);
    check("{.a,b}", &[".a", "b"], &["a"]);
    check("x{,.min}.js", &["x.js", "x.min.js"], &["x.max.js"]);
}

#[test]
fn groups() {
    check("@(a|b).js", &["a.js", "b.js"], &["ab.js", ".js"]);
    check("?(a)b", &["b", "ab"], &["aab"]);
    check("*(ab)", &["ab", "abab"], &["aba"]);
    check("+(a|b)c", &["ac", "abac"], &["c"]);
    check("a!(b)c", &["ac", "axc", "abbc", "abcc"], &["abc"]);
    check("a!(*.js)", &["a", "a.ts"], &["ab.js", "a.js"]);
    check("x!()", &["xa", "xab"], &["x"]);
    check("*(a|!(b))c", &["c", "ac", "xc"], &[]);
    check("x+(a*(b|c)d)", &["xad", "xabcdad"], &["x", "xab"]);
    check("@(a", &["@(a"], &["a"]);
    check("+(a|b", &["+(a|b"], &["a"]);
    check("@(a/b)", &["@(a/b)"], &["a"]);
    check("a|b", &["a|b"], &["a"]);
    check("@([a|b]|c)", &["a", "|", "c"], &["["]);
    check("\\@(a)", &["@(a)"], &["a"]);
    check("\\*", &["*"], &["a"]);
    check("a\\", &["a\\"], &["a"]);
}

/// Patterns that keep the matcher of the original busy for minutes.
#[test]
fn no_pattern_explodes() {
    let name = "a".repeat(250);
    for pattern in [
        "+(a|aa)+(a|aa)b".to_owned(),
        "+(+(+(a)))b".to_owned(),
        "*(*(*(a|)|)|)b".to_owned(),
        "*a".repeat(200) + "b",
        "a!(b)".repeat(16) + "c",
        "+(!(b)|a)".repeat(8) + "b",
        "{a,b}".repeat(12),
        "{a,b}".repeat(200),
        "**/*a".repeat(100),
        "@(".repeat(2000),
        "{".repeat(2000),
        "[".repeat(2000),
        "*(a|".repeat(15) + &")".repeat(15) + "b",
    ] {
        assert!(!is_match(&pattern, &name), "{pattern}");
    }
    let deep = ["a"; 150].join("/");
    assert!(!is_match(&"**/a/".repeat(100), &deep));
}

#[test]
fn what_would_need_too_much_is_refused() {
    for pattern in [
        "{*,b}".repeat(12),
        "{1..1001}".to_owned(),
        "{1..99999999999}".to_owned(),
        "{*,{*,{*,{*,{*,a}b}c}d}e}".repeat(5),
        "x!(a)".repeat(17),
        "a".repeat(5000),
    ] {
        let failure = Glob::new(&pattern).unwrap_err().to_string();
        assert!(failure.starts_with("Invalid pattern: "), "{failure}");
    }
}

use std::time::{Duration, Instant};

use super::*;
use proptest::prelude::*;

fn values(name: &str) -> Option<TemplateValue> {
    let list = |items: &[&str]| TemplateValue::List(items.iter().map(|&item| item.to_owned()).collect());
    Some(match name {
        "count" => list(&["one", "two", "three"]),
        "dom" => list(&["example", "com"]),
        "dub" => "me/too".into(),
        "hello" => "Hello World!".into(),
        "half" => "50%".into(),
        "var" => "value".into(),
        "who" => "fred".into(),
        "base" => "http://example.com/home/".into(),
        "path" => "/foo/bar".into(),
        "list" => list(&["red", "green", "blue"]),
        "keys" => TemplateValue::Map(
            [("semi", ";"), ("dot", "."), ("comma", ",")]
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .to_vec(),
        ),
        "v" => "6".into(),
        "x" => "1024".into(),
        "y" => "768".into(),
        "empty" => "".into(),
        "empty_keys" => TemplateValue::Map(Vec::new()),
        _ => return None,
    })
}

/// The examples of the RFC, sections 3.2.2 to 3.2.9.
#[test]
fn templates_expand_as_the_rfc_says() {
    for (template, expected) in [
        ("{count}", "one,two,three"),
        ("{count*}", "one,two,three"),
        ("{/count}", "/one,two,three"),
        ("{/count*}", "/one/two/three"),
        ("{;count}", ";count=one,two,three"),
        ("{;count*}", ";count=one;count=two;count=three"),
        ("{?count}", "?count=one,two,three"),
        ("{?count*}", "?count=one&count=two&count=three"),
        ("{&count*}", "&count=one&count=two&count=three"),
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("O{undef}X", "OX"),
        ("{x,y}", "1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("?{x,empty}", "?1024,"),
        ("?{x,undef}", "?1024"),
        ("?{undef,y}", "?768"),
        ("{var:3}", "val"),
        ("{var:30}", "value"),
        ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"),
        ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
        ("{+var}", "value"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("O{+empty}X", "OX"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("up{+path}{var}/here", "up/foo/barvalue/here"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"),
        ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{+path:6}/here", "/foo/b/here"),
        ("{+keys}", "semi,;,dot,.,comma,,"),
        ("{+keys*}", "semi=;,dot=.,comma=,"),
        ("{#var}", "#value"),
        ("{#hello}", "#Hello%20World!"),
        ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"),
        ("{#path:6}/here", "#/foo/b/here"),
        ("{#keys*}", "#semi=;,dot=.,comma=,"),
        ("{.who}", ".fred"),
        ("{.who,who2}", ".fred"),
        ("{.half}", ".50%25"),
        ("www{.dom*}", "www.example.com"),
        ("X{.var:3}", "X.val"),
        ("X{.list}", "X.red,green,blue"),
        ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"),
        ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
        ("X{.empty_keys}", "X"),
        ("X{.empty_keys*}", "X"),
        ("{/who}", "/fred"),
        ("{/half,who}", "/50%25/fred"),
        ("{/who,dub}", "/fred/me%2Ftoo"),
        ("{/var,empty}", "/value/"),
        ("{/var,undef}", "/value"),
        ("{/var:1,x}", "/v/1024"),
        ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
        ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
        ("{;who}", ";who=fred"),
        ("{;half}", ";half=50%25"),
        ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{;v,bar,who}", ";v=6;who=fred"),
        ("{;hello:5}", ";hello=Hello"),
        ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"),
        ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
        ("{?who}", "?who=fred"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?x,y,undef}", "?x=1024&y=768"),
        ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
        ("{&who}", "&who=fred"),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{&x,y,empty}", "&x=1024&y=768&empty="),
    ] {
        assert_eq!(UriTemplate::new(template).unwrap().expand(values), expected, "{template}");
    }
}

#[track_caller]
fn check(template: &str, uri: &str, expected: Option<&[(&str, &[&str])]>) {
    let found = UriTemplate::new(template).unwrap().matches(uri);
    let expected = expected.map(|pairs| {
        Variables(
            pairs
                .iter()
                .map(|(name, values)| ((*name).to_owned(), values.iter().map(|&v| v.to_owned()).collect()))
                .collect(),
        )
    });
    assert_eq!(found, expected, "{template} {uri}");
}

#[test]
fn values_are_found_again() {
    check("note://{id}", "note://7", Some(&[("id", &["7"])]));
    check("note://{id}", "note://", None);
    check("note://{id}", "note://7/8", None);
    check("note://{id}", "other://7", None);
    check("note://{id}", "note://a%20b%2Fc", Some(&[("id", &["a b/c"])]));
    check("note://{id}", "note://a,b@c:d", Some(&[("id", &["a,b@c:d"])]));
    check("note://{a}-{b}", "note://1-2-3", Some(&[("a", &["1-2"]), ("b", &["3"])]));
    check("note://{id}.txt", "note://a.txt.txt", Some(&[("id", &["a.txt"])]));
    check("file:///{+dir}/{name}", "file:///a/b/c", Some(&[("dir", &["a/b"]), ("name", &["c"])]));
    check("x:{+path}{?q}", "x:a/b?q=1", Some(&[("path", &["a/b"]), ("q", &["1"])]));
    check("x:{name}{.ext}", "x:a.b", Some(&[("name", &["a"]), ("ext", &["b"])]));
    check("x:{+all}", "x:a/b?c#d", Some(&[("all", &["a/b?c#d"])]));
    check("x:{a,b}", "x:1,2", Some(&[("a", &["1"]), ("b", &["2"])]));
    check("x:{a,b}", "x:1", Some(&[("a", &["1"])]));
    check("x:a{/b,c}", "x:a/1/2", Some(&[("b", &["1"]), ("c", &["2"])]));
    check("x:a{/b,c}", "x:a/1", Some(&[("b", &["1"])]));
    check("x:a{/b}", "x:a/1/2", None);
    check("x:a{/b*}", "x:a/1/2/3", Some(&[("b", &["1", "2", "3"])]));
    check("x:a{/b*}", "x:a", Some(&[]));
    check("x:a{.b*}", "x:a.1.2", Some(&[("b", &["1", "2"])]));
    check("x:a{.b}", "x:a.1.2", Some(&[("b", &["1.2"])]));
    check("x:a{?q,n}", "x:a?n=2&q=w%26x", Some(&[("n", &["2"]), ("q", &["w&x"])]));
    check("x:a{?q,n}", "x:a", Some(&[]));
    check("x:a{?q,n}", "x:a?other=1", None);
    check("x:a{?q,n}", "x:a?q=1&q=2", None);
    check("x:a{?q*}", "x:a?q=1&q=2", Some(&[("q", &["1", "2"])]));
    check("x:a?k=v{&q}", "x:a?k=v&q=1", Some(&[("q", &["1"])]));
    check("x:a{;p}", "x:a;p=1", Some(&[("p", &["1"])]));
    check("x:a{#f}", "x:a#top", Some(&[("f", &["top"])]));
    check("x:{a:3}", "x:abcd", None);
    check("x:{a:3}", "x:abc", Some(&[("a", &["abc"])]));
    check("x:{a}", "x:%zz", None);
    check("x:{a}", "x:%ff", None);
    check("x:{a}", "x:%00", None);
}

/// SRV-056, T-104: decoded once, then checked; nothing leads out of a folder.
#[test]
fn files_outside_are_not_found() {
    for bad in [
        "..",
        "%2e%2e",
        "..%2f..%2fetc",
        "a%5c..%5cb",
        "a%00b",
        "C:",
        "c%3Awindows",
        ".%2e",
        "a/../b",
        "../a",
        "%2e%2e/a",
    ] {
        check("file:///root/{+path}", &format!("file:///root/{bad}"), None);
    }
    check("file:///root/{+path}", "file:///root/a/b..c/%252e%252e", Some(&[("path", &["a/b..c/%2e%2e"])]));
    let found = UriTemplate::new("x:{+p}").unwrap().matches("x:../a").unwrap();
    assert_eq!((found.get("p"), found.path("p")), (Some("../a"), None));
}

#[test]
fn what_is_no_template_is_refused() {
    for bad in
        ["{", "}", "a{b", "a}b", "{}", "{a b}", "{a}{a}", "{a:0}", "{a:x}", "{a:3*}", "{.}", "a b", "{=a}", "{a,}"]
    {
        assert!(UriTemplate::new(bad).is_err(), "{bad}");
    }
    assert!(UriTemplate::new("{scheme}://x").unwrap().check_scheme().is_err());
    assert!(UriTemplate::new("note://{x}").unwrap().check_scheme().is_ok());
}

/// T-101: hostile URIs take no longer than others.
#[test]
fn matching_takes_linear_time() {
    let start = Instant::now();
    for template in
        ["x:{/id*}", "x:{id*}", "x:{a,b,c,d}", "x:{+a}{+b}{+c}{+d}", "x:{a}{b}{c}{d}", "x:{+a},{+b},{+c}!", "x:{?a*}"]
    {
        let template = UriTemplate::new(template).unwrap();
        for unit in [",", "/", "a", "&", "%41", "?", "/,"] {
            let uri = format!("x:/{}", unit.repeat(5000 / unit.len()));
            let _ = template.matches(&uri);
            let _ = template.matches(&format!("{uri}\u{1}"));
        }
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

proptest! {
    #[test]
    fn expanded_values_are_found_again(a in "[ -~é]{1,12}", b in "[ -~é]{1,12}", c in "[ -~é]{1,8}") {
        for source in ["x:{a}/{b}/{c}", "x:{a}{?b,c}", "x:z{/a,b,c}", "x:{a}{;b,c}"] {
            let template = UriTemplate::new(source).unwrap();
            let given = |name: &str| Some(TemplateValue::Text(match name { "a" => &a, "b" => &b, _ => &c }.clone()));
            let uri = template.expand(given);
            let found = template.matches(&uri);
            prop_assert!(found.is_some(), "{} {}", source, uri);
            let found = found.unwrap_or_default();
            for name in template.variables() {
                let expected = match name { "a" => &a, "b" => &b, _ => &c };
                prop_assert_eq!(found.get(name), Some(expected.as_str()), "{} {}", source, uri);
            }
        }
    }

    #[test]
    fn no_input_panics(source in "[a-z:/{}+*,?&#.;0-9]{0,30}", uri in ".{0,40}") {
        if let Ok(template) = UriTemplate::new(&source) {
            let _ = template.matches(&uri);
            let _ = template.expand(values);
        }
    }
}

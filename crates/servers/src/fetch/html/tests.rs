//! Pages and what becomes of them. The expected texts are what the original makes of the same pages, where it has no Node.js.

use super::{TooLarge, markdown, markdown_within};

#[track_caller]
fn check(html: &str, wanted: &str) {
    assert_eq!(markdown(html, 10_000, 512).unwrap(), wanted, "{html}");
}

#[test]
fn headings_paragraphs_and_lists() {
    check(
        "<!doctype html><html><head><title>Demo page</title></head><body><article><h1>Heading One</h1><p>First <b>bold</b> and <a href='https://example.org/x'>a link</a> paragraph, long enough.</p><h2>Second</h2><ul><li>alpha</li><li>beta</li></ul><pre><code>let x = 1;\nlet y = 2;</code></pre><p>Second paragraph.</p></article></body></html>",
        "Demo page\n\n# Heading One\n\nFirst bold and a link paragraph, long enough.\n\n## Second\n\n* alpha\n* beta\n\n```\nlet x = 1; let y = 2;\n```\n\nSecond paragraph.",
    );
}

#[test]
fn bullets_and_numbers_by_depth() {
    check(
        "<!doctype html><title>L</title><ul><li>a<ul><li>b<ul><li>c<ul><li>d</ul></ul><li>e</ul><li>f</ul><ol start=5><li>x<li>y<ol><li>z</ol></ol><p>after</p><ol start='abc'><li>q</ol><ul><li><p>para</p><p>two</p></li></ul><ul><li></li><li>full</li></ul><li>stray",
        "L\n\n* a\n\n  + b\n\n    - c\n\n      * d\n  + e\n* f\n\n5. x\n6. y\n\n   1. z\n\nafter\n\n1. q\n\n* para\n\n  two\n\n* full\n\n- stray",
    );
}

#[test]
fn tables_with_and_without_heads() {
    check(
        "<!doctype html><h1>T</h1><table><thead><tr><th>A<th>B</thead><tbody><tr><td>1<td>2<tr><td colspan=2>wide</table><p>x</p><table><tr><td>a<td>b<tr><td>c<td>d</table><table><caption>Cap</caption><tr><th>H<td>v</table><table><tr><th>H1<th>H2<tr><td>v1<td>v2</table><table><tbody><tr><td>1</tbody><tbody><tr><td>2</tbody></table><table><thead><tr><td>h1<tr><td>h2</thead><tr><td>x</table>",
        "# T\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n| wide | |\n\nx\n\n|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n\nCap\n\n|  |  |\n| --- | --- |\n| H | v |\n\n| H1 | H2 |\n| --- | --- |\n| v1 | v2 |\n\n|  |\n| --- |\n| 1 |\n|  |\n| --- |\n| 2 |\n\n|  |\n| --- |\n| h1 |\n| h2 |\n| x |",
    );
}

#[test]
fn tables_in_tables() {
    check(
        "<!doctype html><table><tr><td><table><tr><td>in</table><td>out<p>p1<p>p2<ul><li>i1<li>i2</ul></table>",
        "|  |  |  |\n| --- | --- | --- |\n| |  | | --- | | in | | out  p1  p2   * i1 * i2 |",
    );
}

#[test]
fn breaks_and_rules_end_paragraphs() {
    check(
        "<!doctype html><p>one<br>two<br><br>three<br><br><br>four<hr>five<div>a<br><br>b</div><ul><li>x<br><br>y<li>z<br></ul>text<br><br>more<br>",
        "one two\n\nthree\n\nfour\n\nfive\n\na\n\nb\n\n* x\n\n  y\n* z\n\ntext\n\nmore",
    );
}

#[test]
fn broken_paragraphs_are_several() {
    check(
        "<!doctype html><p>a<br><br></p><p><br><br>b</p><div><br><br></div><p>x<br><br>y<br><br>z</p>w",
        "a\n\nb\n\nx\n\ny\n\nz\n\nw",
    );
}

#[test]
fn definitions() {
    check(
        "<!doctype html><dl><dt>Term<dd>Def one<dd>Def <b>two</b><p>para<dt>T2<dt>T3<dd></dl><dl></dl>",
        "Term\n:   Def one\n:   Def two\n\n    para\n\nT2\n\nT3",
    );
}

#[test]
fn quotes_and_marks() {
    check(
        "<!doctype html><blockquote>q1<p>q2</p><blockquote>inner</blockquote></blockquote><p><q>quoted</q> H<sub>2</sub>O x<sup>2</sup></p>",
        r#"> q1
>
> q2
>
> > inner

"quoted" H\_2O x^2"#,
    );
}

#[test]
fn bare_text_becomes_paragraphs() {
    check(
        "<!doctype html><div>bare <span>text</span> here<p>para</p>tail <em>e</em></div><h2>Head <br> ing</h2><h3><div>div in h</div></h3><header>hd</header><footer>ft <p>x</footer><aside>as</aside><main>mn</main><figure><img src=x><figcaption>cap</figcaption></figure>",
        "bare text here\n\npara\n\ntail e\n\n## Head ing\n\n### div in h\n\nhd\n\nft\n\nx\n\nasmn\n\ncap",
    );
}

#[test]
fn emphasis_is_escaped() {
    check(
        "<!doctype html><p>2*3*4 snake_case_name &lt;b&gt; &amp; [x](y) `code` # not</p><pre>a*b_c</pre><h1>h*1_2</h1>",
        r#"2\*3\*4 snake\_case\_name <b> & [x](y) `code` # not

```
a*b_c
```

# h\*1\_2"#,
    );
}

#[test]
fn invisible_characters_and_compatibility_forms() {
    check(
        "<!doctype html><p>ﬁne ½ ① Ｆｕｌｌ e\u{301} soft\u{ad}hyphen zero\u{200b}width nb\u{a0}sp 👩\u{200d}🔬</p>",
        "fine 1⁄2 1 Full é softhyphen zerowidth nb sp 👩🔬",
    );
}

#[test]
fn what_is_not_read_goes() {
    check(
        "<!doctype html><nav>NAV</nav><form><input><label>L</label></form><script>alert(1)</script><style>x{}</style><noscript>NS</noscript><svg><text>S</text></svg><details><summary>s</summary>d</details><p>kept</p><button>b</button><select><option>o</select><iframe>if</iframe><video>v</video><template>t</template><object>ob</object><custom-el>custom <p>in</p></custom-el><font>f</font><center>c</center><address>ad</address><kbd>k</kbd><dialog>dd</dialog><data value=1>dv</data>",
        "kept\n\ncustom\n\nin\n\nfcadk",
    );
}

#[test]
fn old_pages_put_tables_into_paragraphs() {
    check("<p>before<table><tr><td>cell</table>after<p>next", "before\n\n|  |\n| --- |\n| cell |\n\nafter\n\nnext");
}

#[test]
fn title_comes_first() {
    check(
        "<!doctype html><html><head><meta charset=utf-8><title> Ti \n tle </title><base href=/></head><body>\n\n<div>\n<div>\n x \n</div></div>\n</body></html>",
        "Ti tle\n\nx",
    );
}

#[test]
fn long_numbers_indent_more() {
    check(
        "<!doctype html><ol><li>item 0<p>more</p></li><li>item 1<p>more</p></li><li>item 2<p>more</p></li><li>item 3<p>more</p></li><li>item 4<p>more</p></li><li>item 5<p>more</p></li><li>item 6<p>more</p></li><li>item 7<p>more</p></li><li>item 8<p>more</p></li><li>item 9<p>more</p></li><li>item 10<p>more</p></li><li>item 11<p>more</p></li></ol>",
        "1. item 0\n\n   more\n2. item 1\n\n   more\n3. item 2\n\n   more\n4. item 3\n\n   more\n5. item 4\n\n   more\n6. item 5\n\n   more\n7. item 6\n\n   more\n8. item 7\n\n   more\n9. item 8\n\n   more\n10. item 9\n\n    more\n11. item 10\n\n    more\n12. item 11\n\n    more",
    );
}

#[test]
fn items_with_blocks() {
    check(
        "<!doctype html><ul><li>text <p>para</p> tail</li><li><div>d1</div><div>d2</div></li><li><h3>h</h3>x</li></ul><ol><li><ul><li>n</li></ul></li></ol><blockquote><ul><li>a</li></ul></blockquote><td>stray</td>",
        "* text\n\n  para\n\n  tail\n* d1\n\n  d2\n* ### h\n\n  x\n\n1. * n\n\n> * a\n\nstray",
    );
}

#[test]
fn bad_nesting_is_repaired() {
    check(
        "<b>1<p>2</b>3</p><a href=1>x<a href=2>y</a></a><table>foster<tr>f2<td>c</table><p><ul><li>x</p></ul>",
        "1\n\n23\n\nxyfosterf2\n\n|  |\n| --- |\n| c |\n\n* x",
    );
}

#[test]
fn comments_separate_nothing() {
    check("<!doctype html><!-- c --><p>a<!-- x -->b<!----> c<![CDATA[cd]]><?pi x?>d</p>", "ab cd");
}

#[test]
fn text_in_lists() {
    check(
        "<!doctype html><ul>text<li>a</li>more</ul><ol>t<p>p</p></ol><dl>x<dt>y</dl>",
        "text\n\n* a\n\nmore\n\nt\n\np\n\nx\n\ny",
    );
}

#[test]
fn all_headings() {
    check(
        "<!doctype html><h1>H1 <em>e</em></h1><h2>H2 <em>e</em></h2><h3>H3 <em>e</em></h3><h4>H4 <em>e</em></h4><h5>H5 <em>e</em></h5><h6>H6 <em>e</em></h6><h7>h7</h7><hgroup><h1>A</h1><p>B</p></hgroup>",
        "# H1 e\n\n## H2 e\n\n### H3 e\n\n#### H4 e\n\n##### H5 e\n\n###### H6 e\n\nh7\n\n# A\n\nB",
    );
}

#[test]
fn preformatted_text_and_ruby() {
    check(
        "<!doctype html><p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> <time>now</time> <mark>m</mark></p><pre>  line1\n   line2\n\n</pre><pre><p>x</p>y</pre><pre></pre>",
        "漢(kan) now m\n\n```\nline1 line2\n```\n\n```\nx\n\n\n\ny\n```",
    );
}

#[test]
fn empty_blocks_go() {
    check(
        "<!doctype html><body><section><h2>S</h2><p></p><div></div><p> </p><p>x</p></section><section></section><article><header><h1>A</h1></header><p>B</p></article>",
        "## S\n\nx\n\n# A\n\nB",
    );
}

#[test]
fn cells_stay_on_one_line() {
    check(
        "<!doctype html><table><tr><th><p>A</p><p>B</p></th><td><ul><li>x</li></ul></td><td>a<br><br>b</td></tr></table>",
        "|  |  |  |\n| --- | --- | --- |\n| A  B | * x | a  b |",
    );
}

#[test]
fn blocks_in_cells() {
    check(
        "<!doctype html><table><tr><td><h2>H</h2><blockquote>q</blockquote><dl><dt>t<dd>d</dl><pre>p q</pre></td></tr></table>",
        "|  |\n| --- |\n| H q  t  d   ``` p q ``` |",
    );
}

#[test]
fn menus() {
    check(
        "<!doctype html><menu><li>m1<li>m2</menu><dir><li>d</dir><search>s</search><select><p>x</select><frameset>",
        "- m1\n- m2\n- d\n\ns",
    );
}

#[test]
fn framesets() {
    check("<frameset><frame><noframes>nf</noframes></frameset>", "nf");
}

/// The original loses what stands beside a block in the cell of a table in a paragraph.
#[test]
fn nothing_is_lost_where_paragraphs_contain_tables() {
    let wanted = "beforex y\n\n|  |\n| --- |\n| cell p |\n\nafter";
    check("<body><p>before<b>x</b><br>y<table><tr><td><p>cell p</table>after", wanted);
}

/// Preformatted text cannot end its own fence.
#[test]
fn fences_are_longer_than_those_in_the_text() {
    check("<pre>```</pre>", "````\n```\n````");
}

#[test]
fn a_page_without_text_is_empty() {
    for page in ["", " ", "<html><body></body></html>", "<script>x</script>", "<p> <br> &nbsp;</p>", "<nav>x</nav>"] {
        check(page, "");
    }
}

/// Each level indents what is below again, so that the result grows with the square of the page; and a cell may span many columns.
#[test]
fn a_small_page_does_not_become_a_large_one() {
    let deep = |tag: &str| format!("{}{}", tag.repeat(100), "<p>x".repeat(1000));
    for page in [deep("<blockquote>"), deep("<ul><li>"), deep("<dl><dd>"), "<td colspan=1000>x".repeat(1000)] {
        let page = format!("<table><tr>{page}");
        assert_eq!(markdown_within(&page, 10_000, 512, 1_000_000), Err(TooLarge));
    }
}

/// Items are counted once, and the head of a table is looked up once.
#[test]
fn long_lists_and_tables_take_no_long_time() {
    let items = markdown(&"<li>x".repeat(20_000).replacen("<li>", "<ol><li>", 1), 500_000, 512).unwrap();
    assert!(items.ends_with("\n20000. x"));
    let rows = format!("<table><thead><tr><th>h</thead>{}", "<tbody><tr><td>x</tbody>".repeat(10_000));
    assert_eq!(markdown(&rows, 500_000, 512).unwrap().lines().count(), 10_002);
}

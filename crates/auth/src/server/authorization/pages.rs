//! The few pages that users see. They work without scripts and load nothing from anywhere.

use base64::Engine as _;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};
use http::{HeaderValue, Response, StatusCode};
use ring::digest;
use url::Url;

use crate::metadata::is_loopback;
use crate::server::authorization::authorize::Pending;
use crate::server::oauth_clients::client::{Client, Origin};
use crate::server::requests::respond::Answer;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:4rem auto;padding:0 1rem;color:#222;background:#fff}\
h1{font-size:1.4rem}label{display:block;margin:1rem 0 .25rem}input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem}\
button{font:inherit;padding:.5rem 1.5rem;margin:1rem .5rem 0 0}.warning{border-left:4px solid #b50;padding:.5rem 1rem;background:#fff4e5}\
code{overflow-wrap:anywhere}";

pub(in crate::server) fn problem(title: &str, text: &str, status: StatusCode) -> Answer {
    page(title, &format!("<p>{}</p>", escape(text)), status, None)
}

pub(in crate::server) fn bad_request(text: &str) -> Answer {
    problem("This does not work", text, StatusCode::BAD_REQUEST)
}

pub(in crate::server) fn login(
    action: &str,
    request: &str,
    pending: &Pending,
    client: &Client,
    error: Option<&str>,
) -> Answer {
    let error =
        error.map_or_else(String::new, |text| format!("<p class=\"warning\" role=\"alert\">{}</p>", escape(text)));
    let body = format!(
        "{error}<p>to go on to <strong>{}</strong></p><form method=\"post\" action=\"{}\">{}\
        <label for=\"username\">Name</label><input id=\"username\" name=\"username\" autocomplete=\"username\" required autofocus>\
        <label for=\"password\">Password</label><input id=\"password\" name=\"password\" type=\"password\" autocomplete=\"current-password\" required>\
        <button type=\"submit\">Log in</button></form>",
        escape(client.shown_name()),
        escape(action),
        hidden(request, &pending.csrf),
    );
    page("Log in", &body, StatusCode::OK, None)
}

/// What the consent page shows.
pub(in crate::server) struct ConsentPage<'a> {
    pub(in crate::server) action: &'a str,
    pub(in crate::server) request: &'a str,
    pub(in crate::server) pending: &'a Pending,
    pub(in crate::server) client: &'a Client,
    pub(in crate::server) user: Option<&'a str>,
    /// Each scope, and what it means.
    pub(in crate::server) scopes: &'a [(&'a str, &'a str)],
    /// The provider that the user is sent to, and what is asked for there.
    pub(in crate::server) third_party: Option<(&'a str, &'a str)>,
}

pub(in crate::server) fn consent(shown: &ConsentPage<'_>) -> Answer {
    let ConsentPage { pending, client, .. } = shown;
    let scopes: String = shown
        .scopes
        .iter()
        .map(|(scope, meaning)| format!("<li>{} <code>({})</code></li>", escape(meaning), escape(scope)))
        .collect();
    let user = shown
        .user
        .map_or_else(String::new, |user| format!("<p>You are logged in as <strong>{}</strong>.</p>", escape(user)));
    let third_party = shown.third_party.map_or_else(String::new, |(issuer, scopes)| {
        format!(
            "<p>You will be sent to <strong>{}</strong> to log in, with the scopes <code>{}</code>.</p>",
            escape(&host_of(issuer)),
            escape(scopes)
        )
    });
    let body = format!(
        "{user}<p><strong>{}</strong> asks for access to <code>{}</code>.</p><p>{}</p><ul>{scopes}</ul>{third_party}\
        <p>After this you return to <strong>{}</strong> <code>({})</code>.</p>{}\
        <form method=\"post\" action=\"{}\">{}<button name=\"decision\" value=\"allow\">Allow</button>\
        <button name=\"decision\" value=\"deny\">Deny</button></form>",
        escape(client.shown_name()),
        escape(&pending.resource),
        provenance(client),
        escape(&host_of(&pending.redirect_uri)),
        escape(&pending.redirect_uri),
        warning(pending),
        escape(shown.action),
        hidden(shown.request, &pending.csrf_for(shown.user)),
    );
    page("Allow access?", &body, StatusCode::OK, None)
}

/// Says that a client gets nothing, and lets the user decide whether to return there.
pub(in crate::server) fn refused(client: &Client, to: &str, reason: &str) -> Answer {
    let body = format!(
        "<p><strong>{}</strong> gets no access: {}.</p><p>{}</p><p><a href=\"{}\">Return to <strong>{}</strong></a>, \
        or close this page.</p>",
        escape(client.shown_name()),
        escape(reason),
        provenance(client),
        escape(to),
        escape(&host_of(to)),
    );
    page("No access", &body, StatusCode::OK, None)
}

/// Turns the answer to a form that leads elsewhere into a page that does. Browsers check all addresses that a form leads to by
/// redirects against the policy of its page, also those that the client's own page redirects to, which nobody knows. Programs
/// that fill in forms find the address in the header, as if it were a redirect.
pub(in crate::server) fn leading(answer: Answer) -> Answer {
    let location = answer.headers().get(LOCATION).and_then(|location| location.to_str().ok());
    let Some(to) = location.filter(|_| answer.status().is_redirection()) else { return answer };
    let (to, host) = (escape(to), escape(&host_of(to)));
    let body = format!("<p>You are on your way to <a href=\"{to}\">{host}</a>.</p>");
    let mut leading = page("One moment", &body, StatusCode::OK, Some(&to));
    for name in [LOCATION, SET_COOKIE] {
        for value in answer.headers().get_all(&name) {
            leading.headers_mut().append(name.clone(), value.clone());
        }
    }
    leading
}

/// Says how much the name of a client is worth.
fn provenance(client: &Client) -> String {
    match client.origin {
        Origin::Configured => "It is known to the administrator of this server.".to_owned(),
        Origin::Registered => "It registered itself, so nobody has checked its name.".to_owned(),
        Origin::Document => format!("It is published by <strong>{}</strong>.", escape(&host_of(&client.id))),
    }
}

fn warning(pending: &Pending) -> &'static str {
    let is_local = Url::parse(&pending.redirect_uri).is_ok_and(|url| is_loopback(&url));
    if is_local {
        "<p class=\"warning\">This is a program on your own computer. Any program there can pretend to be this one. \
        Go on only if you have just started it yourself.</p>"
    } else {
        ""
    }
}

fn host_of(url: &str) -> String {
    let parsed = Url::parse(url).ok();
    parsed.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| url.to_owned())
}

fn hidden(request: &str, csrf: &str) -> String {
    format!(
        "<input type=\"hidden\" name=\"request\" value=\"{}\"><input type=\"hidden\" name=\"csrf\" value=\"{}\">",
        escape(request),
        escape(csrf)
    )
}

/// A page. It may lead on by itself, to an address that was escaped.
fn page(title: &str, body: &str, status: StatusCode, on_to: Option<&str>) -> Answer {
    let title = escape(title);
    let refresh = on_to.map_or_else(String::new, |to| format!("<meta http-equiv=\"refresh\" content=\"0;url={to}\">"));
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
        {refresh}<title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>{body}</body></html>"
    );
    let mut answer = Response::new(Bytes::from(html));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let policy = HeaderValue::from_str(&policy())
        .unwrap_or(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.insert("content-security-policy", policy);
    headers.insert("x-frame-options", HeaderValue::from_static("DENY"));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    // With no-referrer a browser would not say where our own forms come from either.
    headers.insert("referrer-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    answer
}

/// Nothing is loaded, framed or run, and forms come back to us.
fn policy() -> String {
    let style = base64::engine::general_purpose::STANDARD.encode(digest::digest(&digest::SHA256, STYLE.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// Makes text harmless in HTML, inside and outside of quotes.
pub(in crate::server) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Marks that turn the direction of writing, or are not seen, could make one name look like another.
            '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2060}'..='\u{2064}'
            | '\u{feff}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => escaped.push('\u{fffd}'),
            other if other.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

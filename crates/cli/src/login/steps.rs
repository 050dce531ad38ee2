//! The steps of a login, in words.

use jackfield::auth::Scopes;
use jackfield::auth::client::{AuthEvent, ClientOrigin, Document, Place};

/// Says what happened, in a line or two; parts of it are words of servers.
pub(crate) fn told(event: &AuthEvent) -> String {
    match event {
        AuthEvent::Challenged { status, scheme, error, scopes, resource_metadata } => {
            let scheme = scheme.as_deref().unwrap_or("no word about tokens");
            let error = error.as_ref().map(|error| format!(", error {error}")).unwrap_or_default();
            let scopes = scopes.as_ref().map(|scopes| format!(", scopes {}", named(scopes))).unwrap_or_default();
            let place = match resource_metadata {
                Some(place) => format!(", metadata at {place}"),
                None => ", and does not say where its metadata is".to_owned(),
            };
            format!("the server answers {status}: {scheme}{error}{scopes}{place}")
        }
        AuthEvent::Unchallenged { status: 200..300 | 400 } => "the server takes a request without a token".to_owned(),
        AuthEvent::Unchallenged { status } => format!("the server answers {status} to a request without a token"),
        AuthEvent::Looked { document, url, failure } => {
            let what = match document {
                Document::Resource => "the server's metadata",
                _ => "the authorization server's metadata",
            };
            match failure {
                None => format!("{what} is at {url}"),
                Some(why) => format!("{what} is not at {url}: {why}"),
            }
        }
        AuthEvent::Resource { resource, authorization_servers, scopes } => {
            let scopes = scopes.as_ref().map(|scopes| format!("; scopes {}", named(scopes))).unwrap_or_default();
            let servers = authorization_servers.join(", ");
            format!("the server calls itself {resource} and takes tokens of {servers}{scopes}")
        }
        AuthEvent::NoResourceMetadata => {
            "the server has no metadata, so its host is asked, as in the first revision with logins".to_owned()
        }
        AuthEvent::Issuer { issuer, is_guessed: true } => {
            format!("{issuer} has no metadata either; /authorize, /token and /register are tried there")
        }
        AuthEvent::Issuer { issuer, .. } => {
            format!("the authorization server is {issuer}, and its metadata says the same")
        }
        AuthEvent::Client { origin, id } => {
            let how = match origin {
                ClientOrigin::Given => "the client id that was given",
                ClientOrigin::Document => "the URL of its metadata document",
                ClientOrigin::Remembered => "the client id that it registered before",
                _ => "the client id that it has just registered",
            };
            format!("this program is known there by {how}: {id}")
        }
        AuthEvent::Visiting { page, scopes, redirect_uri } => {
            format!("the login page is {page}, for scopes {}; the browser comes back to {redirect_uri}", named(scopes))
        }
        AuthEvent::CameBack => "the browser came back with an answer that belongs to this login".to_owned(),
        AuthEvent::Issued { scopes, expires_in, is_renewable, is_bound } => {
            let life = expires_in.map(|seconds| format!(", valid for {seconds} s")).unwrap_or_default();
            let renewable = if *is_renewable { ", renewable" } else { "" };
            let bound = if *is_bound { ", bound to a key" } else { "" };
            format!("a token was issued for scopes {}{life}{renewable}{bound}", named(scopes))
        }
        AuthEvent::Kept { place } => kept(place),
        AuthEvent::Renewed => "the token was renewed".to_owned(),
        AuthEvent::RenewedElsewhere => "another process has renewed the token".to_owned(),
        AuthEvent::NotRenewed { why } => format!("the token cannot be renewed: {why}"),
        AuthEvent::SteppingUp { scopes } => format!("more is asked for: scopes {}", named(scopes)),
        AuthEvent::LoggedOut { is_revoked: true } => "the authorization server has revoked the token".to_owned(),
        AuthEvent::LoggedOut { .. } => "the token is forgotten here, but could not be revoked".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Says where a login is kept, and why nowhere better.
fn kept(place: &Place) -> String {
    let name = &place.name;
    match (&place.no_keyring, place.is_sealed) {
        (Some(why), _) => {
            format!("the login is kept in {name}, which only you can read; the keyring cannot be used: {why}")
        }
        (None, true) => format!("the login is kept in {name}, sealed with a key in the keyring"),
        (None, false) => format!("the login is kept in {name}, which only you can read"),
    }
}

/// Scopes as they are written, or that there are none.
pub(crate) fn named(scopes: &Scopes) -> String {
    if scopes.is_empty() { "(none in particular)".to_owned() } else { format!("\"{scopes}\"") }
}

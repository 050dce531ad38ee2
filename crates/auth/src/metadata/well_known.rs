//! Where documents lie, and when two names mean the same resource.

use url::Url;

/// Returns where the metadata of a resource lies (RFC 9728, section 3.1): the well-known part stands before the path.
#[must_use]
pub fn protected_resource_url(resource: &Url) -> Url {
    inserted(resource, "/.well-known/oauth-protected-resource")
}

/// Returns where the metadata of an issuer may lie, in the order to try: RFC 8414, OpenID Connect with the path inserted,
/// OpenID Connect with the path in front.
#[must_use]
pub fn authorization_server_urls(issuer: &Url) -> Vec<Url> {
    let mut places = vec![
        inserted(issuer, "/.well-known/oauth-authorization-server"),
        inserted(issuer, "/.well-known/openid-configuration"),
    ];
    if !path_of(issuer).is_empty() {
        let mut appended = issuer.clone();
        appended.set_path(&format!("{}/.well-known/openid-configuration", path_of(issuer)));
        places.push(appended);
    }
    places
}

fn inserted(url: &Url, well_known: &str) -> Url {
    let mut url = url.clone();
    let path = format!("{well_known}{}", path_of(&url));
    url.set_path(&path);
    url.set_fragment(None);
    url
}

fn path_of(url: &Url) -> &str {
    url.path().strip_suffix('/').unwrap_or(url.path())
}

/// Returns the canonical name of a resource: scheme and host in lower case, no fragment, no slash at the end of a bare host.
/// None if it is no absolute `http` or `https` URL, or has a fragment or user information.
#[must_use]
pub fn canonical_resource(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_sound = matches!(url.scheme(), "http" | "https")
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if !is_sound || text.contains('#') {
        return None;
    }
    let text = String::from(url.clone());
    Some(match (url.path(), url.query()) {
        ("/", None) => text.trim_end_matches('/').to_owned(),
        _ => text,
    })
}

/// Whether two names mean the same resource. Only what the canonical form covers may differ, and one slash at the end.
#[must_use]
pub fn same_resource(one: &str, other: &str) -> bool {
    let bare =
        |text: &str| canonical_resource(text).map(|text| text.strip_suffix('/').map_or(text.clone(), str::to_owned));
    match (bare(one), bare(other)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}

/// Whether a URL leads to this machine, to a server that needs no `https`.
#[cfg(any(feature = "client", feature = "resource"))]
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AUTH-028, AUTH-029
    #[test]
    fn documents_lie_where_the_specification_says() {
        let places = |issuer: &str| -> Vec<String> {
            authorization_server_urls(&issuer.parse().unwrap()).into_iter().map(Into::into).collect()
        };
        assert_eq!(
            places("https://auth.example.com/tenant1"),
            [
                "https://auth.example.com/.well-known/oauth-authorization-server/tenant1",
                "https://auth.example.com/.well-known/openid-configuration/tenant1",
                "https://auth.example.com/tenant1/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            places("https://auth.example.com"),
            [
                "https://auth.example.com/.well-known/oauth-authorization-server",
                "https://auth.example.com/.well-known/openid-configuration",
            ]
        );
        let resource = |url: &str| protected_resource_url(&url.parse().unwrap()).to_string();
        assert_eq!(resource("https://a.example/mcp"), "https://a.example/.well-known/oauth-protected-resource/mcp");
        assert_eq!(resource("https://a.example/"), "https://a.example/.well-known/oauth-protected-resource");
    }

    /// AUTH-073, AUTH-074
    #[test]
    fn names_of_resources_are_compared_in_canonical_form() {
        assert_eq!(canonical_resource("HTTPS://MCP.Example.com/").as_deref(), Some("https://mcp.example.com"));
        assert_eq!(
            canonical_resource("https://mcp.example.com:443/Mcp").as_deref(),
            Some("https://mcp.example.com/Mcp")
        );
        for bad in [
            "mcp.example.com",
            "https://a.example/#",
            "https://a.example/#x",
            "https://u@a.example/",
            "ftp://a.example/",
        ] {
            assert_eq!(canonical_resource(bad), None, "{bad}");
        }
        assert!(same_resource("https://a.example/mcp", "https://A.example/mcp/"));
        assert!(!same_resource("https://a.example/mcp", "https://a.example/MCP"));
        assert!(!same_resource("https://a.example/mcp", "https://a.example/mcp?x"));
        assert!(!same_resource("https://a.example", "http://a.example"));
    }
}

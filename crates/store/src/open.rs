//! Stores by their address.

use crate::{StoreError, Stores};

/// Opens stores by their address: `memory:`, `sqlite:PATH` (feature `sqlite`) or `redis://HOST[:PORT][/DB]` (feature `redis`; with TLS
/// `rediss://`, as a cluster `redis+cluster://` or several hosts with commas between them).
///
/// A file is opened at once. A connection is made when it is first needed, and again whenever it was lost;
/// [`Stores::check`] finds out whether it can be made.
///
/// # Errors
/// The address cannot be read, or its kind is not compiled in, or the file cannot be opened. No error shows a password.
///
/// ```
/// let stores = jackfield_store::open("memory:")?;
/// assert!(!stores.is_shared());
/// assert!(jackfield_store::open("mysql://localhost").is_err());
/// # Ok::<(), jackfield_store::StoreError>(())
/// ```
pub fn open(url: &str) -> Result<Stores, StoreError> {
    let (scheme, rest) = url.split_once(':').ok_or(StoreError::BadUrl("it has no scheme such as `memory:`"))?;
    match scheme {
        "memory" if rest.is_empty() => Ok(Stores::memory()),
        "memory" => Err(StoreError::BadUrl("nothing stands behind `memory:`")),
        "sqlite" => sqlite(rest),
        "redis" | "rediss" | "redis+cluster" | "rediss+cluster" => redis(url),
        _ => Err(StoreError::BadUrl("it begins with `memory:`, `sqlite:` or `redis:`")),
    }
}

#[cfg(feature = "sqlite")]
fn sqlite(path: &str) -> Result<Stores, StoreError> {
    // Both `sqlite:PATH` and `sqlite://PATH` are common.
    let path = path.strip_prefix("//").unwrap_or(path);
    if path.is_empty() {
        return Err(StoreError::BadUrl("a path has to stand behind `sqlite:`"));
    }
    Ok(crate::Sqlite::open(path)?.stores())
}

#[cfg(not(feature = "sqlite"))]
fn sqlite(_: &str) -> Result<Stores, StoreError> {
    Err(StoreError::NotCompiled("sqlite"))
}

#[cfg(feature = "redis")]
fn redis(url: &str) -> Result<Stores, StoreError> {
    Ok(crate::Redis::open(url)?.stores())
}

#[cfg(not(feature = "redis"))]
fn redis(_: &str) -> Result<Stores, StoreError> {
    Err(StoreError::NotCompiled("redis"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_addresses_say_what_is_wrong_and_show_no_secrets() {
        for (url, wanted) in [
            ("", "no scheme"),
            ("memory", "no scheme"),
            ("memory:x", "nothing stands behind"),
            ("postgres://user:secret@host", "begins with"),
        ] {
            let error = open(url).expect_err("it is bad");
            let text = format!("{error} {error:?}");
            assert!(text.contains(wanted) && !text.contains("secret"), "{url}: {text}");
        }
    }
}

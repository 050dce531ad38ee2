//! An object in a text of its own.

use std::borrow::Cow;

use bytes::Bytes;

use super::lexer::Lexer;
use super::members::ParamMembers;
use super::rejected::{About, Rejected};
use crate::ErrorObject;

/// A JSON object whose members have been found but not yet decoded: the arguments of a tool, mostly.
#[derive(Clone, Debug)]
pub struct Object {
    text: Bytes,
    members: ParamMembers,
}

impl Object {
    pub(super) fn new(text: Bytes, members: ParamMembers) -> Self {
        Self { text, members }
    }

    /// Finds the members.
    ///
    /// # Errors
    /// The text is not a JSON object, or has a member twice.
    pub fn read(text: Bytes) -> Result<Self, ErrorObject> {
        let mut lexer = Lexer::new(&text).ok_or_else(|| Rejected::not_utf8().error)?;
        let members = match lexer.next_token() {
            Ok(b'{') => lexer.members(),
            Ok(_) => return Err(ErrorObject::invalid_params("it must be an object")),
            Err(fault) => Err(fault),
        };
        let members: ParamMembers = members
            .and_then(|members| lexer.end().map(|()| members))
            .map_err(|fault| Rejected::from_fault(fault, About::Unknown).error)?;
        match members.duplicate(&text) {
            Some(name) => Err(Rejected::duplicate(name, &text, About::Unknown).error),
            None => Ok(Self { text, members }),
        }
    }

    /// Returns the JSON text of a member.
    #[must_use]
    #[inline]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.members.find(&self.text, name).map(|span| span.of(&self.text))
    }

    /// Returns the names of all members, in order.
    pub fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.members.iter().map(|member| member.name(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Result<Object, String> {
        Object::read(Bytes::from_static(text.as_bytes())).map_err(|error| error.message.into_owned())
    }

    #[test]
    fn members_are_found_in_order() {
        let object = read(r#" {"b": [1], "\u0061": {"x": 2}} "#).unwrap();
        assert_eq!(object.names().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(
            (object.get("a"), object.get("b"), object.get("x")),
            (Some(&b"{\"x\": 2}"[..]), Some(&b"[1]"[..]), None)
        );
        assert_eq!(read("{}").unwrap().names().count(), 0);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(read("[]").unwrap_err().contains("must be an object"));
        assert!(read(r#"{"a": 1, "a": 2}"#).unwrap_err().contains('a'));
        for text in ["", "{", "{} {}", r#"{"a"}"#] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(Object::read(Bytes::from_static(b"{\"\xff\": 1}")).is_err());
    }
}

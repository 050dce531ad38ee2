//! Schemas of the tools.

macro_rules! object {
    ($properties:literal, $required:literal) => {
        concat!(r#"{"type":"object","properties":{"#, $properties, r#"},"required":["#, $required, r#"]"#)
    };
}

macro_rules! texts {
    () => {
        r#"{"type":"array","items":{"type":"string"}}"#
    };
}

macro_rules! entity {
    () => {
        object!(
            r#""name":{"type":"string"},"entityType":{"type":"string"},"observations":{"type":"array","items":{"type":"string"}}"#,
            r#""name","entityType","observations""#
        )
    };
}

macro_rules! relation {
    () => {
        object!(
            r#""from":{"type":"string"},"to":{"type":"string"},"relationType":{"type":"string"}"#,
            r#""from","to","relationType""#
        )
    };
}

/// An object with one list in it.
macro_rules! list {
    ($name:literal, $item:expr, $end:literal) => {
        concat!(
            r#"{"type":"object","properties":{""#,
            $name,
            r#"":{"type":"array","items":"#,
            $item,
            r#"}},"required":[""#,
            $name,
            r#""]"#,
            $end
        )
    };
}

macro_rules! closed {
    ($open:expr) => {
        concat!($open, r#","additionalProperties":false}"#)
    };
}

pub(super) const ENTITIES: &str = list!("entities", concat!(entity!(), "}"), "}");
pub(super) const RELATIONS: &str = list!("relations", concat!(relation!(), "}"), "}");
pub(super) const ADDITIONS: &str = list!(
    "observations",
    r#"{"type":"object","properties":{"entityName":{"type":"string","description":"The entity to add to."},"contents":{"type":"array","items":{"type":"string"}}},"required":["entityName","contents"]}"#,
    "}"
);
pub(super) const NAMES_TO_DELETE: &str = list!("entityNames", r#"{"type":"string"}"#, "}");
pub(super) const DELETIONS: &str = list!(
    "deletions",
    r#"{"type":"object","properties":{"entityName":{"type":"string","description":"The entity to remove from."},"observations":{"type":"array","items":{"type":"string"}}},"required":["entityName","observations"]}"#,
    "}"
);
pub(super) const NOTHING: &str = r#"{"type":"object","properties":{}}"#;
pub(super) const QUERY: &str = r#"{"type":"object","properties":{"query":{"type":"string","description":"A text that a name, a type or an observation contains; upper and lower case are the same."}},"required":["query"]}"#;
pub(super) const NAMES: &str = list!("names", r#"{"type":"string"}"#, "}");

pub(super) const CREATED_ENTITIES: &str = closed!(list!("entities", closed!(entity!()), ""));
pub(super) const CREATED_RELATIONS: &str = closed!(list!("relations", closed!(relation!()), ""));
pub(super) const ADDED: &str = closed!(list!(
    "results",
    closed!(concat!(
        r#"{"type":"object","properties":{"entityName":{"type":"string"},"addedObservations":"#,
        texts!(),
        r#"},"required":["entityName","addedObservations"]"#
    )),
    ""
));
pub(super) const DELETED: &str = r#"{"type":"object","properties":{"success":{"type":"boolean"},"message":{"type":"string"}},"required":["success","message"],"additionalProperties":false}"#;
pub(super) const GRAPH: &str = concat!(
    r#"{"type":"object","properties":{"entities":{"type":"array","items":"#,
    closed!(entity!()),
    r#"},"relations":{"type":"array","items":"#,
    closed!(relation!()),
    r#"}},"required":["entities","relations"],"additionalProperties":false}"#
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schemas_are_json() {
        for schema in [
            ENTITIES,
            RELATIONS,
            ADDITIONS,
            NAMES_TO_DELETE,
            DELETIONS,
            NOTHING,
            QUERY,
            NAMES,
            CREATED_ENTITIES,
            CREATED_RELATIONS,
            ADDED,
            DELETED,
            GRAPH,
        ] {
            let value: serde_json::Value =
                serde_json::from_str(schema).unwrap_or_else(|error| panic!("{error}: {schema}"));
            assert_eq!(value["type"], "object", "{schema}");
        }
    }
}

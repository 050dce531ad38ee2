//! Elicitation: forms and pages.

use jackfield_protocol::Revision::{V2025_06_18, V2025_11_25};
use jackfield_protocol::{ElicitAction, StringFormat};

use super::kind::Kind::{Any, Boolean, Count, List, Map, Number, Of, Text, Word, Words};
use super::kind::{Member, NOTICE_META, REQUEST_META, RESULT_META, Shape, may, must};

fn actions() -> Vec<&'static str> {
    ElicitAction::ALL.iter().map(|action| action.as_str()).collect()
}

fn formats() -> Vec<&'static str> {
    StringFormat::ALL.iter().map(|format| format.as_str()).collect()
}

fn numbers() -> Vec<&'static str> {
    vec!["number", "integer"]
}

const MESSAGE: Member = must("message", Text, "what to tell the person");
const TASK: Member = may("task", Of("TaskMetadata"), "asks for a task").only(V2025_11_25);
const TITLE: Member = may("title", Text, "the field's name, for people");
const DESCRIPTION: Member = may("description", Text, "what the field means");

pub(super) const SHAPES: &[Shape] = &[
    Shape::choice("ElicitParams", "the parameters of elicitation/create", &["ElicitFormParams", "ElicitUrlParams"])
        .since(V2025_06_18),
    Shape::new(
        "ElicitFormParams",
        "asks the person to fill in a form",
        &[
            MESSAGE,
            must("requestedSchema", Of("ElicitSchema"), "the fields"),
            may("mode", Word("form"), "says that it is a form").since(V2025_11_25),
            TASK,
            REQUEST_META.until(V2025_11_25),
        ],
    )
    .since(V2025_06_18),
    Shape::new(
        "ElicitUrlParams",
        "asks the person to visit a page",
        &[
            must("mode", Word("url"), "says that it is a page"),
            MESSAGE,
            must("url", Text, "the page"),
            must("elicitationId", Text, "names this question").only(V2025_11_25),
            TASK,
            REQUEST_META.until(V2025_11_25),
        ],
    )
    .since(V2025_11_25),
    Shape::new(
        "ElicitSchema",
        "the fields of a form",
        &[
            may("$schema", Text, "the dialect of JSON Schema").since(V2025_11_25),
            must("type", Word("object"), "says that it has fields"),
            must("properties", Map(&Of("PrimitiveSchema")), "the fields by name"),
            may("required", List(&Text), "the names of the fields that must be filled in"),
        ],
    )
    .since(V2025_06_18),
    Shape::choice(
        "PrimitiveSchema",
        "one field of a form",
        &["StringSchema", "NumberSchema", "BooleanSchema", "MultiSelectSchema"],
    )
    .since(V2025_06_18),
    Shape::new(
        "StringSchema",
        "a field for text, or for one of several values",
        &[
            must("type", Word("string"), "says that it is text"),
            TITLE,
            DESCRIPTION,
            may("minLength", Count, "the least number of characters"),
            may("maxLength", Count, "the largest number of characters"),
            may("pattern", Text, "a regular expression that the text has to match").since(V2025_11_25),
            may("format", Words(formats), "what kind of text"),
            may("enum", List(&Text), "the values to choose from"),
            may("enumNames", List(&Text), "the names of these values"),
            may("oneOf", List(&Of("Choice")), "the values to choose from, with names").since(V2025_11_25),
            may("default", Text, "what is filled in at first").since(V2025_11_25),
        ],
    )
    .since(V2025_06_18),
    Shape::new(
        "NumberSchema",
        "a field for a number",
        &[
            must("type", Words(numbers), "says that it is a number"),
            TITLE,
            DESCRIPTION,
            may("minimum", Number, "the least value"),
            may("maximum", Number, "the largest value"),
            may("default", Number, "what is filled in at first").since(V2025_11_25),
        ],
    )
    .since(V2025_06_18),
    Shape::new(
        "BooleanSchema",
        "a field for yes or no",
        &[
            must("type", Word("boolean"), "says that it is yes or no"),
            TITLE,
            DESCRIPTION,
            may("default", Boolean, "what is chosen at first"),
        ],
    )
    .since(V2025_06_18),
    Shape::new(
        "MultiSelectSchema",
        "a field for any of several values",
        &[
            must("type", Word("array"), "says that several may be chosen"),
            TITLE,
            DESCRIPTION,
            may("minItems", Count, "the least number of chosen values"),
            may("maxItems", Count, "the largest number of chosen values"),
            must("items", Of("MultiSelectItems"), "the values to choose from"),
            may("default", List(&Text), "what is chosen at first"),
        ],
    )
    .since(V2025_11_25),
    Shape::new(
        "MultiSelectItems",
        "values of which any may be chosen",
        &[
            may("type", Word("string"), "says that they are texts"),
            may("enum", List(&Text), "the values"),
            may("anyOf", List(&Of("Choice")), "the values, with names"),
        ],
    )
    .since(V2025_11_25),
    Shape::new(
        "Choice",
        "a value with its name for people",
        &[must("const", Text, "the value"), must("title", Text, "its name")],
    )
    .since(V2025_11_25),
    Shape::new(
        "ElicitResult",
        "what the person did",
        &[
            must("action", Words(actions), "what the person did"),
            may("content", Map(&Any), "what was filled in"),
            RESULT_META.until(V2025_11_25),
        ],
    )
    .since(V2025_06_18),
    Shape::new(
        "ElicitationCompleteParams",
        "the parameters of notifications/elicitation/complete",
        &[must("elicitationId", Text, "the question that is complete"), NOTICE_META],
    )
    .only(V2025_11_25),
];

//! Answers to forms, checked against the form.

use jackfield_protocol::{
    CreateMessageParams, CreateMessageResult, ElicitAction, ElicitParams, ElicitResult, ElicitSchema, InputRequest,
    JsonObject, RawJson,
};

use super::Elicited;

/// Reads the answer to a form. The error has one line for each problem.
pub(super) fn of_form(mut result: ElicitResult, form: &ElicitSchema) -> Result<Elicited<JsonObject>, String> {
    tidy(&mut result, form);
    match result.action {
        ElicitAction::Accept => {}
        ElicitAction::Decline => return Ok(Elicited::Declined),
        _ => return Ok(Elicited::Cancelled),
    }
    let content = result.content.unwrap_or_default();
    match form.check(&content) {
        Ok(()) => Ok(Elicited::Accepted(content)),
        Err(problems) => Err(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
    }
}

/// Reads the answer to a page: that it was accepted means that the person agreed to open it.
pub(super) fn of_page(result: &ElicitResult) -> Elicited<()> {
    match result.action {
        ElicitAction::Accept => Elicited::Accepted(()),
        ElicitAction::Decline => Elicited::Declined,
        _ => Elicited::Cancelled,
    }
}

/// Reads the answer of a model.
pub(super) fn of_sample(
    result: CreateMessageResult,
    asked: &CreateMessageParams,
) -> Result<CreateMessageResult, String> {
    match result.check(asked) {
        Ok(()) => Ok(result),
        Err(problem) => Err(problem.to_owned()),
    }
}

/// Brings an answer into the shape of the form; says whether it was in another one.
fn tidy(result: &mut ElicitResult, form: &ElicitSchema) -> bool {
    // An older client was asked in a narrower way.
    let mut changed = form.read_back(result);
    if let Some(content) = &mut result.content {
        let all = content.len();
        // What the person saw decides; a client may send more, and `null` for what was left empty.
        let described = form.names();
        content.retain(|name, value| described.contains(name.as_str()) && !value.is_null());
        changed |= content.len() < all;
    }
    changed
}

/// Gives an answer that is passed on the form that was asked for; one that has it stays as it came.
pub(super) fn as_asked(answer: RawJson, question: &InputRequest) -> RawJson {
    let InputRequest::Elicit(params) = question else { return answer };
    let ElicitParams::Form(form) = &**params else { return answer };
    let Ok(mut result) = answer.read::<ElicitResult>() else { return answer };
    if !tidy(&mut result, &form.requested_schema) {
        return answer;
    }
    RawJson::new(&result).unwrap_or(answer)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn form() -> ElicitSchema {
        serde_json::from_value(json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 2, "maxLength": 3},
                "age": {"type": "integer", "minimum": 1, "maximum": 9},
            },
            "required": ["name"],
        }))
        .unwrap()
    }

    fn answer(content: Value) -> Result<Elicited<JsonObject>, String> {
        of_form(serde_json::from_value(json!({"action": "accept", "content": content})).unwrap(), &form())
    }

    /// CLI-075, CLI-092: what was filled in is checked against the form, and each problem is a line.
    #[test]
    fn each_field_is_checked() {
        let good = json!({ "name": "ab", "age": 9 });
        assert_eq!(answer(good.clone()), Ok(Elicited::Accepted(good.as_object().unwrap().clone())));
        let problems = answer(json!({ "age": 0 })).unwrap_err();
        assert_eq!(problems, "`age` must be a whole number from 1 to 9\n`name` is missing, but required");
    }

    #[test]
    fn null_is_a_field_that_was_left_empty() {
        let Ok(Elicited::Accepted(content)) = answer(json!({ "name": "ab", "age": null })) else { panic!() };
        assert_eq!(Value::from(content), json!({ "name": "ab" }));
        assert_eq!(answer(json!({ "name": null })), Err("`name` is missing, but required".to_owned()));
    }

    #[test]
    fn what_was_not_asked_for_is_dropped() {
        let Ok(Elicited::Accepted(content)) = answer(json!({"name": "ab", "evil": 1})) else { panic!() };
        assert_eq!(Value::from(content), json!({"name": "ab"}));
    }

    /// CLI-064: decline and cancel are answers too.
    #[test]
    fn saying_no_is_an_answer() {
        for (action, expected) in [("decline", Elicited::Declined), ("cancel", Elicited::Cancelled)] {
            let result = serde_json::from_value(json!({"action": action})).unwrap();
            assert_eq!(of_form(result, &form()), Ok(expected));
        }
    }
}

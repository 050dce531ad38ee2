use jackfield_protocol::*;
pub(crate) fn write_result(
    out: &mut Vec<u8>,
    outcome: Outcome<AnyResult>,
    _revision: Revision,
    _identity: Option<&[u8]>,
) -> Result<(), ErrorObject> {
    if let Outcome::Complete(AnyResult::Encoded(bytes)) = &outcome {
        out.extend_from_slice(bytes);
        return Ok(());
    }
    let Outcome::Complete(AnyResult::Other(raw)) = outcome else { return Err(ErrorObject::internal("temporary")) };
    serde_json::to_writer(&mut *out, &raw).map_err(|e| ErrorObject::internal(e.to_string()))
}

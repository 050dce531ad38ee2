use jackfield_protocol::*;
pub(crate) fn write_result(
    out: &mut Vec<u8>,
    outcome: Outcome<AnyResult>,
    revision: Revision,
    identity: Option<&[u8]>,
) -> Result<(), ErrorObject> {
    jackfield_protocol::write_result(out, outcome, revision, identity).map_err(|e| ErrorObject::internal(e.to_string()))
}

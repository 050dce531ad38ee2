//! Reading by hand: nothing is looked at twice, and nothing is made that the result does not keep.

use crate::envelope::{Fault, Key, Lexer, ResultText, Span, decode_str};
use crate::{CallToolResult, ContentBlock, Meta, RawJson};

/// Reads a tool's result if it has the usual form. What has not is left to serde, which also says what is wrong with it.
pub(crate) fn call_tool_result(result: &ResultText) -> Option<CallToolResult> {
    let text = result.whole();
    let (mut content, mut structured_content, mut is_error, mut meta) = (None, None, None, None);
    for member in result.members() {
        let value = member.value();
        let stands_twice = match name(member.key(), text).ok()? {
            b"content" => content.replace(blocks(result.lexer_at(value), text).ok()?).is_some(),
            b"structuredContent" => {
                structured_content.replace(RawJson::from_text(str_of(value, text)?).ok()?).is_some()
            }
            b"isError" => is_error.replace(truth(value.of(text))?).is_some(),
            b"_meta" => meta.replace(Meta::from_object(result.meta()?.clone())).is_some(),
            b"resultType" => false,
            // A member that is kept although it means nothing here.
            _ => return None,
        };
        if stands_twice {
            return None;
        }
    }
    let mut read = CallToolResult::new(content?);
    read.structured_content = structured_content;
    read.is_error = is_error;
    read.meta = meta;
    Some(read)
}

/// Ends the reading: serde reads it again.
const UNUSUAL: Fault = Fault::Unexpected(0);

fn blocks(mut lexer: Lexer<'_>, text: &[u8]) -> Result<Vec<ContentBlock>, Fault> {
    let mut blocks = Vec::with_capacity(1);
    lexer.array(|lexer| {
        blocks.push(block(lexer, text)?);
        Ok(())
    })?;
    Ok(blocks)
}

/// Reads a block: one of plain text by hand, any other with serde.
fn block(lexer: &mut Lexer<'_>, text: &[u8]) -> Result<ContentBlock, Fault> {
    let (mut kind, mut words, mut has_more) = (None, None, false);
    lexer.next_token()?;
    let start = lexer.position();
    lexer.object(|lexer, key| {
        let value = lexer.value()?;
        let slot = match name(key, text) {
            Ok(b"type") => &mut kind,
            Ok(b"text") => &mut words,
            _ => {
                has_more = true;
                return Ok(());
            }
        };
        if slot.replace(value.of(text)).is_none() { Ok(()) } else { Err(UNUSUAL) }
    })?;
    match (kind, words) {
        (Some(b"\"text\""), Some(words)) if !has_more => {
            decode_str(words).map(|words| ContentBlock::text(words.into_owned())).ok_or(UNUSUAL)
        }
        _ => {
            let block = str_of(Span::new(start, lexer.position()), text).ok_or(UNUSUAL)?;
            ContentBlock::read(block).map_err(|_| UNUSUAL)
        }
    }
}

fn name(key: Key, text: &[u8]) -> Result<&[u8], Fault> {
    if key.escaped { Err(UNUSUAL) } else { Ok(key.span.of(text)) }
}

fn truth(value: &[u8]) -> Option<bool> {
    match value {
        b"true" => Some(true),
        b"false" => Some(false),
        _ => None,
    }
}

fn str_of(span: Span, text: &[u8]) -> Option<&str> {
    std::str::from_utf8(span.of(text)).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::envelope::Message;

    /// Reads the result of a whole message.
    fn by_hand(result: &str) -> Option<CallToolResult> {
        let message = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
        match Message::read(&message.into(), 1) {
            Ok(Message::Answer(answer)) => call_tool_result(&answer.outcome.unwrap()),
            other => panic!("{other:?}"),
        }
    }

    /// What is read by hand is what serde reads.
    #[track_caller]
    fn check(text: &str) -> bool {
        let by_serde = serde_json::from_str::<CallToolResult>(text).ok();
        let by_hand = by_hand(text);
        if let Some(by_hand) = &by_hand {
            assert_eq!(Some(by_hand), by_serde.as_ref(), "{text}");
        }
        by_hand.is_some()
    }

    #[test]
    fn usual_results_are_read_by_hand() {
        for text in [
            r#"{"content":[]}"#,
            r#" { "content" : [ { "text" : "a\n\u00e9\"" , "type" : "text" } ] } "#,
            r#"{"resultType":"complete","_meta":{"a":{"b":[1]}},"content":[{"type":"text","text":"x"}],"isError":true}"#,
            r#"{"content":[{"type":"text","text":"x","annotations":{"priority":0.5},"_meta":{"a":1}}]}"#,
            r#"{"content":[{"type":"image","data":"AA==","mimeType":"image/png"}],"structuredContent":{"b":1,"a":[2]}}"#,
            r#"{"content":[{"type":"odd","a":1}],"structuredContent":null}"#,
        ] {
            assert!(check(text), "{text}");
        }
    }

    #[test]
    fn what_is_unusual_is_left_to_serde() {
        for text in [
            "{}",
            "[]",
            "null",
            r#"{"content":[],"content":[]}"#,
            r#"{"content":null}"#,
            r#"{"content":[{"type":"text"}]}"#,
            r#"{"content":[{"type":"text","text":1}]}"#,
            r#"{"content":[{"type":"text","text":"a","text":"b"}]}"#,
            r#"{"content":[],"structuredContent":null,"other":1,"more":2,"other":3}"#,
            r#"{"content":[{"a":"odd"}]}"#,
            r#"{"cont\u0065nt":[]}"#,
            r#"{"content":[],"isError":null}"#,
            r#"{"content":[],"isError":1}"#,
            r#"{"content":[],"_meta":[]}"#,
            "{\"content\":[],\"_meta\":{\n}}",
        ] {
            assert!(!check(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_serde_reads_it(text in ".*") {
            let result = CallToolResult::text(text);
            let written = serde_json::to_string(&result).unwrap();
            prop_assert_eq!(by_hand(&written), Some(result));
        }
    }
}

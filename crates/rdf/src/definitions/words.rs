//! The words of enumerations, which are those of the types of `jackfield-protocol`.

use jackfield_protocol::{
    CacheScope, ElicitAction, IconTheme, IncludeContext, LoggingLevel, Role, StringFormat, TaskStatus, TaskSupport,
    ToolChoiceMode,
};

/// Returns the words of an enumeration in alphabetical order, or nothing if there is none of this name.
pub(crate) fn words(name: &str) -> Option<Vec<&'static str>> {
    macro_rules! of {
        ($type:ident) => {
            $type::ALL.iter().map(|word| word.as_str()).collect()
        };
    }
    let mut words: Vec<&'static str> = match name {
        "CacheScope" => of!(CacheScope),
        "ElicitAction" => of!(ElicitAction),
        "IconTheme" => of!(IconTheme),
        "IncludeContext" => of!(IncludeContext),
        "LoggingLevel" => of!(LoggingLevel),
        "Role" => of!(Role),
        "StringFormat" => of!(StringFormat),
        "TaskStatus" => of!(TaskStatus),
        "TaskSupport" => of!(TaskSupport),
        "ToolChoiceMode" => of!(ToolChoiceMode),
        "NumberType" => vec!["integer", "number"],
        _ => return None,
    };
    words.sort_unstable();
    Some(words)
}

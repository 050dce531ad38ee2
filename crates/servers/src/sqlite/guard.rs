//! What statements may do.

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

/// PRAGMAs that only tell something, also as functions that take a name (`pragma_table_info('t')`).
const TELLING: [&str; 14] = [
    "collation_list",
    "compile_options",
    "database_list",
    "foreign_key_check",
    "foreign_key_list",
    "function_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
];
/// PRAGMAs that tell something without a value, and change it with one.
const SETTINGS: [&str; 12] = [
    "application_id",
    "auto_vacuum",
    "data_version",
    "encoding",
    "foreign_keys",
    "freelist_count",
    "journal_mode",
    "max_page_count",
    "page_count",
    "page_size",
    "schema_version",
    "user_version",
];
/// PRAGMAs that reach beyond the database: other files, other connections, or the rules that are set here.
const FORBIDDEN: [&str; 8] = [
    "data_store_directory",
    "hard_heap_limit",
    "query_only",
    "soft_heap_limit",
    "temp_store_directory",
    "threads",
    "trusted_schema",
    "writable_schema",
];
/// Functions that load code or change how texts are taken apart.
const DANGEROUS: [&str; 2] = ["load_extension", "fts3_tokenizer"];

/// Decides what a statement that reads may do.
pub(super) fn reading(context: AuthContext<'_>) -> Authorization {
    let allowed = match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => is_harmless(function_name),
        AuthAction::Pragma { pragma_name, pragma_value } => {
            is_one_of(pragma_name, &TELLING) || (pragma_value.is_none() && is_one_of(pragma_name, &SETTINGS))
        }
        _ => false,
    };
    verdict(allowed)
}

/// Decides what a statement that writes may do: all within this database.
pub(super) fn writing(context: AuthContext<'_>) -> Authorization {
    let allowed = match context.action {
        // VACUUM attaches a temporary database, which has no name; VACUUM INTO attaches the file that it writes.
        AuthAction::Attach { filename } => filename.is_empty(),
        AuthAction::Function { function_name } => is_harmless(function_name),
        AuthAction::Pragma { pragma_name, .. } => !is_one_of(pragma_name, &FORBIDDEN),
        AuthAction::Unknown { .. } => false,
        _ => true,
    };
    verdict(allowed)
}

fn is_harmless(function: &str) -> bool {
    !is_one_of(function, &DANGEROUS)
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn verdict(allowed: bool) -> Authorization {
    if allowed { Authorization::Allow } else { Authorization::Deny }
}

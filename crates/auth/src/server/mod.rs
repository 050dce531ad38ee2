//! An authorization server to embed, for those who have none.

//! The file of users.

use jackfield_auth::Secret;
use jackfield_auth::server::{Users, UsersError};
use jackfield_testkit::Folder;

#[test]
fn users_are_kept_in_a_private_file_without_their_passwords() {
    let folder = Folder::new().unwrap();
    let file = folder.join("users.json");
    let users = Users::open(&file).unwrap();
    users.add_user("ann", &Secret::new("correct horse battery")).unwrap();
    users.add_user("bob", &Secret::new("another password")).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("$argon2id$") && !text.contains("correct horse"));
    assert_eq!(Users::open(&file).unwrap().names(), ["ann", "bob"]);
    assert!(users.remove_user("bob").unwrap() && !users.contains("bob"));
    assert!(matches!(users.add_user("ann", &Secret::new("short")), Err(UsersError::Password)));
    assert!(matches!(users.add_user("client:robot", &Secret::new("long enough")), Err(UsersError::Name)));
    assert!(matches!(users.add_user("a\nb", &Secret::new("long enough")), Err(UsersError::Name)));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(Users::open(&file), Err(UsersError::Exposed)));
    }
}

/// T-068 in part: secrets do not print.
#[test]
fn secrets_do_not_print() {
    let secret = Secret::new("very secret");
    assert_eq!(format!("{secret} {secret:?}"), "[redacted] [redacted]");
    assert!(secret.matches("very secret") && !secret.matches("very secre"));
}

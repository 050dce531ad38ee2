//! Repositories of the tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use jackfield_servers::git::{Access, Cancellation, OpenOptions, Repository, Result};

/// A directory with a repository `repo`; it goes away with this value.
pub(crate) struct Fixture {
    directory: PathBuf,
}

impl Fixture {
    /// A repository after these lines of shell.
    pub(crate) fn after(script: &str) -> Self {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("jackfield-git-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(directory.join("repo")).unwrap();
        let fixture = Self { directory: directory.canonicalize().unwrap() };
        fixture.shell(
            "git init -q -b main && git config user.name 'Ann Author' && git config user.email ann@example.org && \
             git config commit.gpgsign false",
        );
        fixture.shell(script);
        fixture
    }

    /// The directory around the repository.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.join("repo")
    }

    pub(crate) fn path(&self) -> String {
        self.root().to_str().unwrap().to_owned()
    }

    /// Runs lines of shell in the repository; each has to succeed.
    #[track_caller]
    pub(crate) fn shell(&self, script: &str) -> String {
        let output = self.command(&format!("set -e\n{script}"));
        assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs lines of shell that may fail, such as a merge with conflicts.
    pub(super) fn attempt(&self, script: &str) {
        self.command(script);
    }

    fn command(&self, script: &str) -> std::process::Output {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(self.root()).env("LC_ALL", "C").env("TZ", "UTC");
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_EDITOR", "true");
        command.env("GIT_AUTHOR_DATE", "1700000000 +0200").env("GIT_COMMITTER_DATE", "1700000000 +0200");
        command.output().unwrap()
    }

    /// What git prints, without the newline that ends it.
    #[track_caller]
    pub(crate) fn git(&self, arguments: &str) -> String {
        let output = self.shell(&format!("git {arguments}"));
        output.strip_suffix('\n').unwrap_or(&output).to_owned()
    }

    pub(super) fn write(&self, path: &str, content: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }

    pub(super) fn open(&self) -> Repository {
        self.try_open(&self.path(), Access::unrestricted()).unwrap()
    }

    pub(super) fn try_open(&self, path: &str, access: Access) -> Result<Repository> {
        let options = OpenOptions { access, allow_filters: false };
        Repository::open(path, &options, Cancellation::default())
    }

    pub(super) fn open_with_filters(&self) -> Repository {
        let options = OpenOptions { access: Access::unrestricted(), allow_filters: true };
        Repository::open(&self.path(), &options, Cancellation::default()).unwrap()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// Three commits with a rename, a binary file and two branches.
pub(crate) const HISTORY: &str = r"
printf 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n' > numbers.txt
mkdir src && printf 'def main():\n    print(1)\n    print(2)\n' > src/main.py
git add . && git commit -qm 'First commit'
git branch feature && git tag v1.0 && git tag -a v1.1 -m annotated
printf '\000\001\002' > data.bin && git mv numbers.txt digits.txt && printf 'eleven\n' >> digits.txt
git add . && git commit -qm 'Second commit' -m 'With a body.'
git checkout -q feature && echo feature > feature.txt && git add . && git commit -qm 'Feature work' && git checkout -q main
";

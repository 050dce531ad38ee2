//! The arrows between our crates, as ARCHITECTURE.md draws them: down only, and never between siblings.

use crate::files::File;
use crate::workspace::{Dependency, Package};

/// Where a crate stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In a layer; it sees the layers below.
    Layer(u8),
    /// Beside the layers: it is never published, sees everything, and is seen by tests only.
    Beside,
}

/// Every crate the architecture knows. A crate that is not written yet harms nobody here.
const PLACES: &[(&str, Place)] = &[
    ("jackfield-protocol", Place::Layer(0)),
    ("jackfield-store", Place::Layer(0)),
    ("jackfield-macros", Place::Layer(0)),
    ("jackfield-schema", Place::Layer(1)),
    ("jackfield-peer", Place::Layer(1)),
    ("jackfield-server", Place::Layer(3)),
    ("jackfield-client", Place::Layer(3)),
    ("jackfield-http", Place::Layer(2)),
    ("jackfield-auth", Place::Layer(3)),
    ("jackfield", Place::Layer(4)),
    ("jackfield-host", Place::Layer(5)),
    ("jackfield-servers", Place::Layer(5)),
    ("jackfield-rdf", Place::Layer(5)),
    ("jackfield-gateway", Place::Layer(6)),
    ("jackfield-inspector", Place::Layer(6)),
    ("jackfield-cli", Place::Layer(7)),
    ("jackfield-testkit", Place::Beside),
    ("jackfield-wire", Place::Beside),
    ("jackfield-examples", Place::Beside),
    ("jackfield-bench-client", Place::Beside),
    ("jackfield-fuzz", Place::Beside),
    ("jackfield-loom", Place::Beside),
    ("xtask", Place::Beside),
];

pub(super) fn problems(packages: &[Package], files: &[File]) -> Vec<String> {
    let architecture = files.iter().find(|file| file.path.as_os_str() == "ARCHITECTURE.md");
    let architecture = architecture.map_or("", |file| file.text.as_str());
    packages.iter().flat_map(|package| of_package(package, architecture)).collect()
}

fn of_package(package: &Package, architecture: &str) -> Vec<String> {
    let name = package.name.as_str();
    let Some(place) = place(name) else {
        return vec![format!(
            "{name}: has no place in the layers; give it one in xtask/src/tidy/layers.rs and ARCHITECTURE.md"
        )];
    };
    let mut problems = Vec::new();
    if !architecture.contains(&format!("`{name}`")) {
        problems.push(format!("{name}: ARCHITECTURE.md does not speak of `{name}`"));
    }
    if place == Place::Beside && package.publish.as_ref().is_none_or(|registries| !registries.is_empty()) {
        problems.push(format!("{name}: stands beside the layers and must say `publish = false`"));
    }
    let arrows = package.dependencies.iter().filter(|dependency| !may_see(place, dependency));
    problems.extend(arrows.map(|dependency| {
        format!("{name}: must not depend on {}; arrows point down, and siblings do not see each other", dependency.name)
    }));
    problems
}

fn may_see(from: Place, dependency: &Dependency) -> bool {
    let is_dev = dependency.kind.as_deref() == Some("dev");
    match (from, place(&dependency.name)) {
        // Somebody else's crate, or a test that looks at the whole from above.
        (_, None) | (Place::Beside, _) => true,
        _ if is_dev => true,
        (Place::Layer(from), Some(Place::Layer(to))) => to < from,
        (Place::Layer(_), Some(Place::Beside)) => false,
    }
}

fn place(name: &str) -> Option<Place> {
    PLACES.iter().find(|(known, _)| *known == name).map(|(_, place)| *place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: &str, to: &str, kind: Option<&str>, expected: bool) {
        let dependency = Dependency { name: to.into(), kind: kind.map(Into::into) };
        assert_eq!(may_see(place(from).unwrap(), &dependency), expected, "{from} -> {to}");
    }

    #[test]
    fn arrows_point_down() {
        check("jackfield-peer", "jackfield-protocol", None, true);
        check("jackfield-cli", "jackfield-protocol", None, true);
        check("jackfield-protocol", "jackfield-peer", None, false);
        check("jackfield-protocol", "jackfield-peer", Some("build"), false);
        check("jackfield-protocol", "tokio", None, true);
    }

    #[test]
    fn siblings_do_not_see_each_other() {
        check("jackfield-server", "jackfield-client", None, false);
        check("jackfield-macros", "jackfield-protocol", None, false);
    }

    #[test]
    fn what_stands_beside_is_seen_by_tests_only() {
        check("jackfield-server", "jackfield-testkit", None, false);
        check("jackfield-server", "jackfield-testkit", Some("dev"), true);
        check("jackfield-macros", "jackfield", Some("dev"), true);
        check("jackfield-testkit", "jackfield", None, true);
    }

    #[test]
    fn strangers_and_publishable_tools_are_reported() {
        let package = |name: &str| Package {
            features: Default::default(),
            name: name.into(),
            manifest_path: "Cargo.toml".into(),
            dependencies: Vec::new(),
            publish: None,
        };
        assert_eq!(of_package(&package("jackfield-misc"), "").len(), 1);
        assert_eq!(of_package(&package("xtask"), "`xtask`").len(), 1);
        assert_eq!(of_package(&package("jackfield"), "`jackfield-cli`").len(), 1);
        assert_eq!(of_package(&package("jackfield"), "`jackfield`").len(), 0);
    }
}

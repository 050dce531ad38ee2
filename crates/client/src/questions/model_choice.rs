//! Which model answers a server that asks for one.

use jackfield_protocol::ModelPreferences;

/// A model that a client can ask, and how good it is, each from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RatedModel {
    /// Its name.
    pub name: String,
    /// How cheap it is.
    pub cheapness: f64,
    /// How fast it is.
    pub speed: f64,
    /// How capable it is.
    pub intelligence: f64,
}

impl RatedModel {
    /// Rates a model.
    pub fn new(name: impl Into<String>, cheapness: f64, speed: f64, intelligence: f64) -> Self {
        Self { name: name.into(), cheapness, speed, intelligence }
    }

    /// Chooses one of `models` as a server prefers: among those whose name contains the first hint that any name contains, or among all
    /// if no hint fits, the one that fits the priorities best; the first of equals. What a server prefers is a wish: a client may choose
    /// otherwise.
    #[must_use]
    pub fn choose<'m>(models: &'m [Self], preferences: Option<&ModelPreferences>) -> Option<&'m Self> {
        let Some(preferences) = preferences else { return models.first() };
        let hints = preferences.hints.iter().flatten().filter_map(|hint| hint.name.as_deref());
        let mut hinted = hints.map(|hint| models.iter().filter(|model| model.name.contains(hint)).collect::<Vec<_>>());
        let fitting = hinted.find(|fitting| !fitting.is_empty()).unwrap_or_else(|| models.iter().collect());
        fitting.into_iter().reduce(
            |best, model| {
                if model.value(preferences) > best.value(preferences) { model } else { best }
            },
        )
    }

    fn value(&self, preferences: &ModelPreferences) -> f64 {
        let weighted = |priority: Option<f64>, value: f64| priority.unwrap_or_default() * value;
        weighted(preferences.cost_priority, self.cheapness)
            + weighted(preferences.speed_priority, self.speed)
            + weighted(preferences.intelligence_priority, self.intelligence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn chosen(preferences: Value) -> String {
        let models = [
            RatedModel::new("small-1", 0.9, 0.9, 0.1),
            RatedModel::new("large-1", 0.1, 0.2, 0.9),
            RatedModel::new("large-2-fast", 0.1, 0.8, 0.8),
        ];
        let preferences: ModelPreferences = serde_json::from_value(preferences).unwrap();
        RatedModel::choose(&models, Some(&preferences)).unwrap().name.clone()
    }

    /// CLI-029, CLI-030: hints are parts of names, the first that fits wins, and priorities decide only among what it fits.
    #[test]
    fn hints_are_looked_at_in_order_and_before_priorities() {
        assert_eq!(chosen(json!({"hints": [{"name": "2-fa"}, {"name": "small"}]})), "large-2-fast");
        assert_eq!(chosen(json!({"hints": [{"name": "small"}, {"name": "2-fa"}]})), "small-1");
        assert_eq!(
            chosen(json!({"hints": [{"name": "unknown"}, {}, {"name": "large-1"}, {"name": "small"}]})),
            "large-1"
        );
        assert_eq!(chosen(json!({"hints": [{"name": "small"}], "intelligencePriority": 1})), "small-1");
        assert_eq!(chosen(json!({"hints": [{"name": "large"}], "speedPriority": 1})), "large-2-fast");
        assert_eq!(chosen(json!({"hints": [{"name": "large"}], "costPriority": 1})), "large-1", "the first of equals");
    }

    #[test]
    fn without_a_hint_that_fits_priorities_decide() {
        assert_eq!(chosen(json!({"intelligencePriority": 1})), "large-1");
        assert_eq!(chosen(json!({"costPriority": 0.5, "intelligencePriority": 0.1})), "small-1");
        assert_eq!(chosen(json!({"hints": [{"name": "unknown"}], "intelligencePriority": 1})), "large-1");
        assert_eq!(chosen(json!({})), "small-1");
        assert!(RatedModel::choose(&[], None).is_none());
    }
}

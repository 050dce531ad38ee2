//! How far interleavings are looked for.

/// How often a thread may be interrupted in one execution, unless `LOOM_MAX_PREEMPTIONS` says otherwise. Almost all mistakes show with
/// two; each more multiplies the number of executions.
const INTERRUPTIONS: usize = 2;

/// Runs a model with every interleaving.
pub(crate) fn model(model: impl Fn() + Sync + Send + 'static) {
    let mut search = loom::model::Builder::new();
    search.preemption_bound = search.preemption_bound.or(Some(INTERRUPTIONS));
    search.check(model);
}

//! Every model, with every interleaving.

macro_rules! models {
    ($($model:ident),* $(,)?) => {
        $(#[test]
        fn $model() {
            jackfield_loom::$model();
        })*
    };
}

models!(
    a_bucket_gives_all_there_is_and_no_more,
    a_side_future_is_never_slept_through,
    a_change_is_seen_by_whoever_looks_after_it,
    a_connection_is_not_taken_for_idle,
    a_session_is_not_taken_for_idle,
    a_task_is_whole_when_it_is_seen,
    every_message_is_written_in_order,
    the_newest_number_wins,
    what_was_missed_is_told,
    whoever_waits_for_a_task_hears_of_the_end,
    whoever_waits_for_a_task_is_woken,
);

//! What holds for a task whatever happens to it.

use bytes::Bytes;
use jackfield_store::{MemoryTasks, NewTask, TaskChange, TaskEnd, TaskRecord, TaskStage, TaskStore};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Change(TaskChange),
    Answer(Vec<(String, Bytes)>),
}

fn bytes() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(any::<u8>(), 0..4).prop_map(Bytes::from)
}

fn keyed() -> impl Strategy<Value = Vec<(String, Bytes)>> {
    prop::collection::vec(("[abc]".prop_map(String::from), bytes()), 0..4)
}

fn step() -> impl Strategy<Value = Step> {
    let end = prop_oneof![
        bytes().prop_map(TaskEnd::Completed),
        bytes().prop_map(TaskEnd::Unsuccessful),
        bytes().prop_map(TaskEnd::Failed),
        Just(TaskEnd::Cancelled),
    ];
    prop_oneof![
        4 => keyed().prop_map(|ask| Step::Change(TaskChange::ask(ask))),
        2 => "[a-z]{0,3}".prop_map(|text| Step::Change(TaskChange::message(text))),
        4 => keyed().prop_map(Step::Answer),
        1 => end.prop_map(|end| Step::Change(TaskChange::end(end))),
    ]
}

proptest! {
    /// TASK-015, TASK-016, XTSK-019: a task never leaves its end, a key stands for one question and its first answer, and a task is
    /// waiting exactly while a question has no answer.
    #[test]
    fn a_task_only_goes_forward(steps in prop::collection::vec(step(), 0..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let store = MemoryTasks::new();
            let made = store.create(NewTask::new("o")).await.unwrap();
            let id = made.id.to_string();
            let mut before: TaskRecord = made;
            for step in steps {
                match step {
                    Step::Change(change) => drop(store.update(&id, change).await.unwrap()),
                    Step::Answer(answers) => drop(store.answer(&id, answers).await.unwrap()),
                }
                let now = store.get(&id).await.unwrap().unwrap();
                if before.end.is_some() {
                    prop_assert_eq!(&now, &before);
                }
                for (was, is) in before.inputs.iter().zip(&now.inputs) {
                    prop_assert_eq!((&was.key, &was.request), (&is.key, &is.request));
                    prop_assert!(was.response.is_none() || was.response == is.response);
                }
                prop_assert!(now.inputs.len() >= before.inputs.len());
                let keys: std::collections::BTreeSet<_> = now.inputs.iter().map(|input| &input.key).collect();
                prop_assert_eq!(keys.len(), now.inputs.len());
                let waits = now.end.is_none() && now.inputs.iter().any(|input| input.response.is_none());
                prop_assert_eq!(now.stage() == TaskStage::InputRequired, waits);
                before = now;
            }
            Ok(())
        })?;
    }
}

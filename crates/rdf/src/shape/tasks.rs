//! Tasks, first as part of the core and then as an extension, and questions as results.

use jackfield_protocol::Revision::{V2025_11_25, V2026_07_28};
use jackfield_protocol::{TaskStatus, TaskSupport};

use super::kind::Kind::{Count, CountOrNull, List, Map, Object, Of, Text, Word, Words};
use super::kind::{Member, REQUEST_META, RESULT_META, RESULT_TYPE, Shape, may, must};

pub(super) fn task_supports() -> Vec<&'static str> {
    TaskSupport::ALL.iter().map(|support| support.as_str()).collect()
}

fn statuses() -> Vec<&'static str> {
    TaskStatus::ALL.iter().map(|status| status.as_str()).collect()
}

const TASK_ID: Member = must("taskId", Text, "names the task");
const STATUS: Member = must("status", Words(statuses), "what state it is in");
const STATUS_MESSAGE: Member = may("statusMessage", Text, "what to tell about it");
const CREATED_AT: Member = must("createdAt", Text, "when it was created");
const LAST_UPDATED_AT: Member = must("lastUpdatedAt", Text, "when it last changed");
const LIST: Member = may("list", Object, "it lists them");
const CANCEL: Member = may("cancel", Object, "it ends them");
const TASK_TTL_MS: Member = must("ttlMs", CountOrNull, "how many milliseconds it is kept");
const POLL_INTERVAL_MS: Member = may("pollIntervalMs", Count, "how many milliseconds to wait between two looks");
const INPUT_REQUESTS: Member = may("inputRequests", Map(&Of("InputRequest")), "questions by key");

pub(super) const SHAPES: &[Shape] = &[
    Shape::new(
        "TaskMetadata",
        "asks that a request runs as a task",
        &[may("ttl", Count, "how many milliseconds the task should be kept")],
    )
    .only(V2025_11_25),
    Shape::new(
        "Task",
        "the state of a task",
        &[
            TASK_ID,
            STATUS,
            STATUS_MESSAGE,
            CREATED_AT,
            LAST_UPDATED_AT,
            must("ttl", CountOrNull, "how many milliseconds it is kept"),
            may("pollInterval", Count, "how many milliseconds to wait between two looks"),
            may("_meta", Object, "anything else"),
        ],
    )
    .only(V2025_11_25),
    Shape::new(
        "CreateTaskResult",
        "the answer to a request that runs as a task",
        &[must("task", Of("Task"), "the task"), RESULT_META],
    )
    .only(V2025_11_25),
    Shape::new("TaskParams", "the parameters of requests about one task", &[TASK_ID, REQUEST_META]).since(V2025_11_25),
    Shape::new(
        "ListTasksResult",
        "a page of tasks",
        &[
            must("tasks", List(&Of("Task")), "the tasks of this page"),
            may("nextCursor", Text, "where the next page begins"),
            RESULT_META,
        ],
    )
    .only(V2025_11_25),
    Shape::new(
        "ClientTasksCapability",
        "how a client runs requests as tasks",
        &[LIST, CANCEL, may("requests", Of("ClientTaskRequests"), "which requests")],
    )
    .only(V2025_11_25),
    Shape::new(
        "ClientTaskRequests",
        "which requests a client runs as tasks",
        &[
            may("sampling", Of("SamplingTaskRequests"), "those of sampling"),
            may("elicitation", Of("ElicitationTaskRequests"), "those of elicitation"),
        ],
    )
    .only(V2025_11_25),
    Shape::new(
        "SamplingTaskRequests",
        "which sampling requests a client runs as tasks",
        &[may("createMessage", Object, "sampling/createMessage")],
    )
    .only(V2025_11_25),
    Shape::new(
        "ElicitationTaskRequests",
        "which elicitation requests a client runs as tasks",
        &[may("create", Object, "elicitation/create")],
    )
    .only(V2025_11_25),
    Shape::new(
        "ServerTasksCapability",
        "how a server runs requests as tasks",
        &[LIST, CANCEL, may("requests", Of("ServerTaskRequests"), "which requests")],
    )
    .only(V2025_11_25),
    Shape::new(
        "ServerTaskRequests",
        "which requests a server runs as tasks",
        &[may("tools", Of("ToolTaskRequests"), "those of tools")],
    )
    .only(V2025_11_25),
    Shape::new("ToolTaskRequests", "which tool requests a server runs as tasks", &[may("call", Object, "tools/call")])
        .only(V2025_11_25),
    Shape::new(
        "TaskHandle",
        "a task that has been created",
        &[
            RESULT_TYPE,
            TASK_ID,
            STATUS,
            STATUS_MESSAGE,
            CREATED_AT,
            LAST_UPDATED_AT,
            TASK_TTL_MS,
            POLL_INTERVAL_MS,
            RESULT_META,
        ],
    )
    .since(V2026_07_28),
    Shape::new(
        "DetailedTask",
        "a task with what its state brings",
        &[
            may("resultType", Text, "whether the request is complete"),
            TASK_ID,
            STATUS,
            STATUS_MESSAGE,
            CREATED_AT,
            LAST_UPDATED_AT,
            TASK_TTL_MS,
            POLL_INTERVAL_MS,
            INPUT_REQUESTS,
            may("result", Object, "the result of a completed task"),
            may("error", Of("Error"), "why a task failed"),
            may("_meta", Object, "anything else"),
        ],
    )
    .since(V2026_07_28),
    Shape::new(
        "UpdateTaskParams",
        "the parameters of tasks/update",
        &[TASK_ID, must("inputResponses", Map(&Of("InputResponse")), "answers to questions of the task"), REQUEST_META],
    )
    .since(V2026_07_28),
    Shape::new(
        "InputRequired",
        "the result that asks for input",
        &[
            RESULT_TYPE,
            INPUT_REQUESTS,
            may("requestState", Text, "what the client must send back unchanged"),
            RESULT_META,
        ],
    )
    .since(V2026_07_28),
    Shape::choice(
        "InputRequest",
        "one question to the client",
        &["CreateMessageQuestion", "ListRootsQuestion", "ElicitQuestion"],
    )
    .since(V2026_07_28),
    Shape::new(
        "CreateMessageQuestion",
        "a question to the client's model",
        &[
            must("method", Word("sampling/createMessage"), "says that it is for the model"),
            must("params", Of("CreateMessageParams"), "the question"),
        ],
    )
    .since(V2026_07_28),
    Shape::new(
        "ListRootsQuestion",
        "a question for the client's roots",
        &[
            must("method", Word("roots/list"), "says that it is for the roots"),
            may("params", Of("EmptyParams"), "its parameters"),
        ],
    )
    .since(V2026_07_28),
    Shape::new(
        "ElicitQuestion",
        "a question to the person",
        &[
            must("method", Word("elicitation/create"), "says that it is for the person"),
            must("params", Of("ElicitParams"), "the question"),
        ],
    )
    .since(V2026_07_28),
    Shape::choice(
        "InputResponse",
        "the answer to a question",
        &["CreateMessageResult", "ListRootsResult", "ElicitResult"],
    )
    .since(V2026_07_28),
];

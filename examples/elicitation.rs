//! Asks the user in the middle of a tool. The same function serves clients of every revision that can be asked.

use jackfield::{Cx, Elicited, Error, Form, Server, tool, tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to do about a booking that is not possible.
#[derive(Deserialize, JsonSchema, Form)]
struct Preferences {
    /// Would you like another date?
    check_alternative: bool,
    /// The other date.
    #[serde(default = "next_day")]
    alternative_date: String,
}

fn next_day() -> String {
    "2024-12-26".to_owned()
}

#[derive(Clone, Serialize, Deserialize)]
struct Receipt(u64);

/// Book a table at a restaurant.
#[tool]
async fn book_table(
    date: String,
    time: String,
    #[arg(range(min = 1, max = 20))] party_size: u8,
    cx: &Cx,
) -> Result<String, Error> {
    let date = if date == "2024-12-25" {
        let question = format!("No tables for {party_size} on {date}. Would you like to try another date?");
        match cx.elicit::<Preferences>("alternative", &question).await? {
            Elicited::Accepted(wish) if wish.check_alternative => wish.alternative_date,
            Elicited::Accepted(_) => return Ok("No booking made.".to_owned()),
            _ => return Ok("Booking cancelled.".to_owned()),
        }
    } else {
        date
    };
    // Between two questions the function may run again from the top; a step runs once.
    let Receipt(number) = cx.step("reserve", async { Receipt(4711) }).await;
    match cx.elicit::<Confirmation>("confirm", &format!("Book {date} at {time} for {party_size}?")).await? {
        Elicited::Accepted(Confirmation { confirm: true }) => {
            Ok(format!("Booked for {date} at {time}, number {number}."))
        }
        _ => Ok("Booking cancelled.".to_owned()),
    }
}

#[derive(Deserialize, JsonSchema, Form)]
struct Confirmation {
    /// Is that right?
    confirm: bool,
}

#[tokio::main]
async fn main() -> jackfield::Result {
    Server::new("bookings").tools(tools![book_table]).run_cli().await
}

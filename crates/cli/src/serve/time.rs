//! `jackfield serve time`.

use clap::Args;
use jackfield::Server;
use jackfield_servers::time::{self, Options, UnknownZone};

use super::transport::TransportOptions;
use crate::failure::{Class, Failure};
use crate::protected::Permissions;

/// The clock of any time zone.
#[derive(Debug, Args)]
#[command(after_help = r#"For the configuration of a client:
  {"mcpServers": {"time": {"command": "jackfield", "args": ["serve", "time"]}}}"#)]
pub(super) struct Time {
    /// The time zone of the user, such as Europe/Warsaw; that of the system if not given
    #[arg(long, value_name = "ZONE")]
    local_timezone: Option<String>,
    /// Let callers leave out time zones; they mean the local one
    #[arg(long)]
    extra_tools: bool,
    #[command(flatten)]
    pub(super) served: TransportOptions,
}

impl Time {
    pub(super) fn server(&self) -> Result<Server, String> {
        let mut options = Options::default();
        options.local_zone.clone_from(&self.local_timezone);
        options.default_to_local = self.extra_tools;
        // Those who start the original look for this line.
        time::server(options).map_err(|UnknownZone(zone)| {
            format!("Error: invalid --local-timezone '{zone}': not a known IANA timezone name")
        })
    }

    pub(super) async fn run(self) -> Result<(), Failure> {
        match self.server() {
            Ok(server) => self.served.run(server, Permissions { server: "time", tools: &[] }).await,
            Err(error) => {
                eprintln!("{error}");
                Err(Failure::new(Class::Failed, ""))
            }
        }
    }
}

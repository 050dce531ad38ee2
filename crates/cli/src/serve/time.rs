//! `jackfield serve time`.

use clap::Args;
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
    served: TransportOptions,
}

impl Time {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let mut options = Options::default();
        options.local_zone = self.local_timezone;
        options.default_to_local = self.extra_tools;
        match time::server(options) {
            Ok(server) => self.served.run(server, Permissions { server: "time", tools: &[] }).await,
            Err(UnknownZone(zone)) => {
                // Those who start the original look for this line.
                eprintln!("Error: invalid --local-timezone '{zone}': not a known IANA timezone name");
                Err(Failure::new(Class::Failed, ""))
            }
        }
    }
}

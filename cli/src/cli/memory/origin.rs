//! Options on the origin of a decision.

use clap::Args;

/// Options on the origin of a decision.
#[derive(Debug, Args)]
pub struct DecisionOrigin {
    /// Ticket to which the decision belongs [default: that of the branch].
    #[arg(long, value_name = "TICKET")]
    pub ticket: Option<String>,
    /// Scope within the ticket, such as a component.
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<String>,
    /// Stage in which the decision was made, such as PLAN.
    #[arg(long, value_name = "STAGE")]
    pub stage: Option<String>,
    /// Document that states the decision.
    #[arg(long = "source", value_name = "PATH")]
    pub source_path: Option<String>,
    /// The decision was considered and rejected: searches find it, and it never holds.
    #[arg(long)]
    pub rejected: bool,
}

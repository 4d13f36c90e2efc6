//! Asks a service over HTTP.

use serde::Deserialize;
use serde_json::value::RawValue;
use snaphook_adapters::model::{Decision, HookEvent};
use snaphook_policy::{DecisionService, Handler, ServiceForm};

use super::Handlers;
use super::http::{HttpAnswer, post};
use super::run::HandlerFailure;
use super::wire::{self, Event};

impl Handlers {
    /// Sends an event to a service and reads its decision.
    pub(super) fn service(
        &self,
        handler: &Handler,
        service: &DecisionService,
        event: &HookEvent,
    ) -> Result<Decision, HandlerFailure> {
        let time = self.time_for(handler.deadline_ms)?;
        let HttpAnswer { status, body, .. } = post(&service.endpoint, &request(service, event)?, time, &self.children)?;
        match status.as_str() {
            "200" => {}
            "204" => return Ok(Decision::pass()),
            other => return Err(HandlerFailure::new(format!("the service answers with status {other}"))),
        }
        let Ok(body) = String::from_utf8(body) else { return Err(HandlerFailure::new("its answer is not UTF-8")) };
        if body.trim().is_empty() {
            return Err(HandlerFailure::new("its answer is empty; expected a decision, or status 204"));
        }
        decision(&body, service, event).map_err(HandlerFailure::new)
    }
}

fn decision(body: &str, service: &DecisionService, event: &HookEvent) -> Result<Decision, String> {
    #[derive(Deserialize)]
    struct OpaAnswer<'a> {
        #[serde(borrow)]
        result: Option<&'a RawValue>,
    }
    let answer = match service.form {
        ServiceForm::Opa => {
            let answer: OpaAnswer<'_> =
                serde_json::from_str(body).map_err(|error| format!("its answer is not one of OPA: {error}"))?;
            let none = || "OPA has no decision; expected a rule with a default, such as { \"verdict\": \"pass\" }";
            answer.result.ok_or_else(none)?.get()
        }
        _ => body,
    };
    wire::decision(answer, event).map_err(|fault| fault.to_string())
}

/// The body of the request.
fn request(service: &DecisionService, event: &HookEvent) -> Result<String, HandlerFailure> {
    let event = serde_json::to_string(&Event::from(event))
        .map_err(|error| HandlerFailure::new(format!("the event cannot be written: {error}")))?;
    Ok(match service.form {
        ServiceForm::Opa => format!("{{\"input\":{event}}}"),
        _ => event,
    })
}

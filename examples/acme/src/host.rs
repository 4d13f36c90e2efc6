//! Acme's own side of the wire: what it sends, and what it does with an answer.

use snaphook_adapters::host::{Carry, Does, Effect, HostSide, Mark, Rider, Want};
use snaphook_adapters::model::{HookEvent, Target};
use snaphook_adapters::shared::json::Members;

use crate::Acme;

pub(crate) static EFFECTS: [Effect; 5] = [
    Effect::says(&[("/say", Want::Word("go"))], Does::Approves, Mark::Guess),
    Effect::says(&[("/say", Want::Word("check"))], Does::Asks, Mark::Guess),
    Effect::says(&[("/say", Want::Word("no")), ("/why", Want::Text)], Does::Blocks, Mark::Guess),
    Effect::says(&[("/say", Want::Word("more"))], Does::Continues, Mark::Guess),
    Effect::says(&[("/say", Want::Nothing)], Does::Flow, Mark::Guess),
];

pub(crate) static CARRIES: [Carry; 2] =
    [Carry::new("/why", Rider::Reason), Carry::new("/args", Rider::Change(Target::Input))];

impl HostSide for Acme {
    fn present(&self, event: &HookEvent) -> String {
        let (session, cwd) = (event.session.as_deref(), event.cwd.as_deref());
        let said = Members::new().text("event", &event.native).maybe("session", session).maybe("folder", cwd);
        event.call().map_or(said.clone(), |call| said.text("tool", &call.name).raw("args", &call.input)).finish()
    }
}

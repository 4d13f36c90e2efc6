//! The hard time limit of a process, which the kernel of Linux keeps without a thread.

use std::time::Duration;

#[cfg(target_os = "linux")]
use nix::{
    sys::signal::{SigEvent, SigevNotify, Signal},
    sys::timer::{Expiration, Timer, TimerSetTimeFlags},
    time::ClockId,
};

/// A timer that kills the process. Dropping it cancels the timer. Only Linux has one.
pub(crate) struct HardStop {
    #[cfg(target_os = "linux")]
    timer: Timer,
}

#[cfg(target_os = "linux")]
impl HardStop {
    /// Starts the timer, with the time from now. Returns `None` if the system cannot do it.
    pub(crate) fn after(time: Duration) -> Option<Self> {
        let kill = SigevNotify::SigevSignal { signal: Signal::SIGKILL, si_value: 0 };
        let mut stop = Self { timer: Timer::new(ClockId::CLOCK_MONOTONIC, SigEvent::new(kill)).ok()? };
        stop.set(time).then_some(stop)
    }

    /// Changes the time, counted from now. Returns false if the system cannot do it.
    pub(crate) fn set(&mut self, time: Duration) -> bool {
        self.timer.set(Expiration::OneShot(time.into()), TimerSetTimeFlags::empty()).is_ok()
    }
}

#[cfg(not(target_os = "linux"))]
impl HardStop {
    /// Returns `None`.
    pub(crate) fn after(_: Duration) -> Option<Self> {
        None
    }

    /// Returns false.
    #[expect(clippy::unused_self, reason = "Linux has a timer")]
    pub(crate) fn set(&mut self, _: Duration) -> bool {
        false
    }
}

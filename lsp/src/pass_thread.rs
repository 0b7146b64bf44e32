//! The thread of the passes over all files.

use crate::documents::lock;
use std::sync::Mutex;
use std::sync::mpsc::{self, SendError, Sender};
use std::thread;
use tokio::task::spawn_blocking;

type Job = Box<dyn FnOnce() + Send>;

/// A thread that runs one pass at a time. An allocator with memory for each thread, such as that of
/// glibc, would otherwise keep the memory of a pass for each thread that ever ran one.
#[derive(Debug, Default)]
pub(crate) struct PassThread(Mutex<Option<Sender<Job>>>);

impl PassThread {
    /// Runs `job` after the jobs before it. Starts the thread for the first job, and after a panic.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut jobs = lock(&self.0);
        let mut job: Job = Box::new(job);
        if let Some(sender) = &*jobs {
            match sender.send(job) {
                Ok(()) => return,
                Err(SendError(unsent)) => job = unsent,
            }
        }
        *jobs = None;
        let (sender, receiver) = mpsc::channel::<Job>();
        let work = move || receiver.iter().for_each(|job| job());
        match thread::Builder::new().name("pass".to_owned()).spawn(work) {
            Ok(_) => {
                let _ = sender.send(job);
                *jobs = Some(sender);
            }
            Err(_) => drop(spawn_blocking(job)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_share_a_thread_until_one_panics() {
        let passes = PassThread::default();
        let (sender, receiver) = mpsc::channel();
        let run = || {
            let sender = sender.clone();
            passes.run(move || sender.send(thread::current().id()).expect("received"));
            receiver.recv().expect("the job ran")
        };
        let first = run();
        assert_eq!(run(), first);
        let dropped = sender.clone();
        passes.run(move || {
            let _dropped = dropped;
            panic!("a defect");
        });
        // The thread ends some time after the panic.
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        let mut other = None;
        while other.is_none_or(|id| id == first) && std::time::Instant::now() < deadline {
            let sender = sender.clone();
            passes.run(move || sender.send(thread::current().id()).expect("received"));
            other = receiver.recv_timeout(std::time::Duration::from_millis(200)).ok();
        }
        assert!(other.is_some_and(|id| id != first));
    }
}

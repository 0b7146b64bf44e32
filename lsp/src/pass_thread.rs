//! The thread of the passes over all files.

use crate::documents::lock;
use aidd_memory::heap;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;
use tokio::task::spawn_blocking;

/// The number of bytes of the program that remain in memory after a pass. An open file of any language
/// needs less, and so does a pass in which few files changed.
const MAX_PROGRAM: usize = 32 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// Runs one pass at a time. An allocator with memory for each thread, such as that of glibc, would
/// otherwise keep the memory of a pass for each thread that ever ran one.
#[derive(Debug, Default)]
pub(crate) struct PassThread(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    is_running: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { jobs, is_running } = self;
        f.debug_struct("Queue").field("jobs", &jobs.len()).field("is_running", is_running).finish()
    }
}

impl PassThread {
    /// Runs `job` after the jobs before it. The thread ends after the last job, so that values of the
    /// thread are freed, such as the memory of parsers.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut queue = lock(&self.0);
        queue.jobs.push_back(Box::new(job));
        if std::mem::replace(&mut queue.is_running, true) {
            return;
        }
        drop(queue);
        let (first, second) = (self.0.clone(), self.0.clone());
        let passes = thread::Builder::new().name("pass".to_owned()).spawn(move || run_jobs(&first));
        let finish = move || {
            match passes {
                Ok(passes) => drop(passes.join()),
                Err(_) => run_jobs(&second),
            }
            // Only a thread that has ended has freed all its memory.
            heap::trim();
            heap::unmap_program(MAX_PROGRAM);
        };
        spawn_blocking(finish);
    }
}

/// Runs the jobs in this thread, until there are none.
fn run_jobs(queue: &Mutex<Queue>) {
    loop {
        let job = {
            let mut queue = lock(queue);
            let job = queue.jobs.pop_front();
            queue.is_running = job.is_some();
            job
        };
        let Some(job) = job else { return };
        // A panic ends the job; who waits for its result notices that.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    /// The thread of a job; `None` if the job panics.
    async fn thread_of(passes: &PassThread, panics: bool) -> Option<thread::ThreadId> {
        let (sender, receiver) = oneshot::channel();
        passes.run(move || {
            assert!(!panics, "a defect");
            let _ = sender.send(thread::current().id());
        });
        receiver.await.ok()
    }

    #[tokio::test]
    async fn jobs_run_one_after_the_other() {
        let passes = PassThread::default();
        let (sender, receiver) = std::sync::mpsc::channel();
        let (hold, held) = std::sync::mpsc::channel::<()>();
        passes.run(move || {
            let _ = held.recv();
        });
        for number in 0..3 {
            let sender = sender.clone();
            passes.run(move || sender.send((number, thread::current().id())).expect("received"));
        }
        assert!(receiver.try_recv().is_err(), "the first job has not ended");
        drop((hold, sender));
        let ran: Vec<_> =
            spawn_blocking(move || receiver.iter().collect()).await.expect("no panic");
        assert_eq!(ran, [0, 1, 2].map(|number| (number, ran[0].1)), "in one thread");
    }

    #[tokio::test]
    async fn the_memory_of_a_thread_is_freed_after_its_jobs() {
        struct OnDrop(std::sync::mpsc::Sender<()>);
        impl Drop for OnDrop {
            fn drop(&mut self) {
                let _ = self.0.send(());
            }
        }
        thread_local! {
            static RETAINED: std::cell::RefCell<Option<OnDrop>> = const { std::cell::RefCell::new(None) };
        }
        let passes = PassThread::default();
        let (sender, receiver) = std::sync::mpsc::channel();
        passes.run(move || RETAINED.set(Some(OnDrop(sender))));
        let freed = spawn_blocking(move || receiver.recv()).await.expect("no panic");
        assert!(freed.is_ok());
    }

    #[tokio::test]
    async fn a_job_runs_after_one_that_panicked() {
        let passes = PassThread::default();
        assert!(thread_of(&passes, false).await.is_some());
        assert!(thread_of(&passes, true).await.is_none());
        assert!(thread_of(&passes, false).await.is_some());
    }
}

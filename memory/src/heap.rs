//! Returns free memory to the operating system.

/// Returns the free memory of the process to the operating system, for use after work that needs
/// much memory: the allocator of glibc retains it, separately for each thread. After a pass over all
/// files, it would make up more than a third of the process. Other allocators return free memory
/// themselves.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "glibc has this function, and there is no safe wrapper")]
pub fn trim() {
    // SAFETY: the function has no preconditions, and is safe to call from several threads.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators than that of glibc return free memory themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn trim() {}

//! Returns memory to the operating system.

#[cfg(target_os = "linux")]
mod program;

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

/// Unmaps the code and the constants of the program if more than `max` bytes of them are in memory, for
/// use after work that runs nearly all of the program, such as a pass over all files. The pages remain
/// in the page cache of the system, from where a page fault maps 64 KiB again. Returns the number of
/// unmapped bytes.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "there is no safe wrapper for advice on memory")]
pub fn unmap_program(max: usize) -> usize {
    let mappings = program::unmodified_mappings();
    let resident: usize = mappings.iter().map(|mapping| mapping.resident).sum();
    if resident <= max {
        return 0;
    }
    let unmap = |mapping: &program::Mapping| {
        let (start, length) = (mapping.range.start, mapping.range.len());
        // SAFETY: these pages are mapped from the program file, are not writable and have no private
        // copies. Each later access therefore reads the same bytes of the file as before.
        unsafe { libc::madvise(start as *mut libc::c_void, length, libc::MADV_DONTNEED) == 0 }
    };
    mappings.iter().filter(|mapping| unmap(mapping)).map(|mapping| mapping.resident).sum()
}

/// Other systems decide themselves which pages of a program remain in a process.
#[cfg(not(target_os = "linux"))]
pub fn unmap_program(_max: usize) -> usize {
    0
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_program_continues_without_its_pages() {
        let resident = || -> usize {
            program::unmodified_mappings().iter().map(|mapping| mapping.resident).sum()
        };
        assert_eq!(unmap_program(usize::MAX), 0, "fewer bytes are in memory");
        // Other tests in this process map pages at the same time.
        let is_smaller_after = || {
            let (before, unmapped) = (resident(), unmap_program(0));
            unmapped > 0 && resident() < before
        };
        assert!((0..20).any(|_| is_smaller_after()), "{}", resident());
    }
}

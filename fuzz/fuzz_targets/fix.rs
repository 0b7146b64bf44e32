#![no_main]

/// Files whose rules have fixes. The first byte of the input selects one.
const PATHS: [&str; 5] =
    ["Dockerfile", "page.md", "diagram.mmd", ".aidd/config.json", "rules/page.md"];

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some((&first, rest)) = data.split_first() {
        aidd_fuzz::check_fixes(PATHS[usize::from(first) % PATHS.len()], rest);
    }
});

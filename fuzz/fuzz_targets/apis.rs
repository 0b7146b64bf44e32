#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for path in ["a.tsx", "a.py", "a.go"] {
        aidd_fuzz::check_with_manifests(path, data);
    }
});

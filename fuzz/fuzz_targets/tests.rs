#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    aidd_fuzz::check("a.test.tsx", data);
    aidd_fuzz::check("test_a.py", data);
});

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| aidd_fuzz::check_catalogue(data));

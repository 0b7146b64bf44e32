#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for path in ["package.json", "Cargo.toml", "pyproject.toml", "requirements.txt", "go.mod"] {
        aidd_fuzz::check(path, data);
    }
});

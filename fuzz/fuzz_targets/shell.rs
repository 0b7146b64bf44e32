#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    aidd_fuzz::check("Dockerfile", &[b"FROM a:1\nRUN ", data].concat());
    aidd_fuzz::check(
        "Dockerfile",
        &[b"FROM a:1\nRUN <<'ends here'\n", data, b"\nends here\n"].concat(),
    );
});

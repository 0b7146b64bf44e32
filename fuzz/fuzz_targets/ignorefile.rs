#![no_main]

use aidd_engine::text::files::Memory;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let files = Memory([(".dockerignore".to_owned(), data.to_vec())].into());
    aidd_fuzz::check_with_files(
        "Dockerfile",
        b"FROM a:1\nCOPY a b/c/d.e f ./\nADD [\"src\", \".\"]\n",
        &files,
    );
});

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for path in ["a.test.tsx", "test_a.py", "a_test.go", "a_spec.rb", "ATests.cs", "src/test/java/ATest.java"] {
        aidd_fuzz::check(path, data);
    }
});

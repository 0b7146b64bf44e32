#![no_main]

/// One path for each form of credential file; the first byte of the input chooses.
const PATHS: [&str; 12] = [
    ".env", "config.json", "config.yaml", "pom.xml", ".npmrc", ".netrc", "settings.py", "wp-config.php",
    ".htpasswd", ".pgpass", "terraform.tfstate", ".bash_history",
];

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some((&first, rest)) = data.split_first() {
        aidd_fuzz::check(PATHS[usize::from(first) % PATHS.len()], rest);
    }
});

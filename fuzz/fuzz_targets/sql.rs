#![no_main]

// The first byte selects the dialect, which the path states.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = data.split_first() else { return };
    let dialects = ["postgres", "mysql", "sqlite", "sqlserver", "clickhouse", "other"];
    let dialect = dialects[usize::from(*first) % dialects.len()];
    aidd_fuzz::check(&format!("{dialect}/migrations/0001_a.sql"), text);
});

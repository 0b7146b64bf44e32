#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for path in ["a.html", "a.tsx", "a.component.html", "a.svelte", "a.astro"] {
        aidd_fuzz::check(path, data);
    }
    aidd_fuzz::check("a.vue", &[b"<template>", data].concat());
});

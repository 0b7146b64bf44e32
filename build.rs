//! Links the program at a fixed address on Linux with glibc. `.cargo/config.toml` does the same for
//! musl, where the flag of the linker is not sufficient.
//!
//! At a fixed address, pointers in static data (the tables of grammars and pages) are constants of
//! the file. Otherwise, each start would compute half a million of them, and write to every page that
//! contains one: of `aidd --version`, that was two thirds of the CPU time and a third of the memory.
//! Heap, stack and libraries remain at random addresses.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| std::env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

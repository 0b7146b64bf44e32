//! Tests with backtraces of the runtime of Swift.

use super::tests::assert_trace;

/// The format of the runtime on Linux, as its documentation describes it.
#[test]
fn swift_backtraces_without_addresses_are_parsed() {
    assert_trace(
        "Swift/ContiguousArrayBuffer.swift:600: Fatal error: Index out of range

*** Program crashed: Illegal instruction at 0x00007f8a1c0c2d12 ***

Thread 0 \"App\" crashed:

0 _assertionFailure(_:_:file:line:flags:) + 354 in libswiftCore.so
1 [inlined] pick(_:) in App at /srv/Sources/App/main.swift:12:14
2 App_main + 43 in App at /srv/Sources/App/main.swift:20:7",
        "
swift | Fatal error: Index out of range
Swift/ContiguousArrayBuffer.swift:600 -
/srv/Sources/App/main.swift:12:14 pick(_:)
/srv/Sources/App/main.swift:20:7 App_main
",
    );
}

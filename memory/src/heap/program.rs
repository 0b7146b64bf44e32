//! The mappings of the program file in the address space of the process.

use std::ops::Range;

/// A part of the program file in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mapping {
    pub(super) range: Range<usize>,
    /// The number of bytes that are in memory.
    pub(super) resident: usize,
}

/// The mappings of the program file that contain what the file contains, and always will: they are
/// not writable, and no page has a private copy in memory or in swap. Relocated addresses are in
/// private copies, and so is the breakpoint of a debugger.
#[expect(clippy::disallowed_methods, reason = "a file of the system about this process")]
pub(super) fn unmodified_mappings() -> Vec<Mapping> {
    let program = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    let smaps = std::fs::read("/proc/self/smaps").unwrap_or_default();
    unmodified(&String::from_utf8_lossy(&smaps), &program.to_string_lossy())
}

/// The mappings of `program` in the text of an `smaps` file that are not writable and have no private
/// copies.
fn unmodified(smaps: &str, program: &str) -> Vec<Mapping> {
    let mut found = Vec::new();
    let mut lines = smaps.lines().peekable();
    while let Some(header) = lines.next() {
        let (mut resident, mut anonymous, mut swapped) = (0, None, 0);
        while let Some((name, bytes)) = lines.peek().and_then(|line| field(line)) {
            match name {
                "Rss" => resident = bytes,
                "Anonymous" => anonymous = Some(bytes),
                "Swap" => swapped = bytes,
                _ => {}
            }
            lines.next();
        }
        if let Some(range) = read_only_range(header, program)
            && anonymous == Some(0)
            && swapped == 0
        {
            found.push(Mapping { range, resident });
        }
    }
    found
}

/// The name of a field and its value in bytes, which is 0 for what is not a size; `None` for the first
/// line of a mapping.
fn field(line: &str) -> Option<(&str, usize)> {
    let (name, value) = line.split_once(':').filter(|(name, _)| !name.contains(' '))?;
    let kilobytes = value.trim().strip_suffix(" kB").and_then(|number| number.parse().ok());
    Some((name, kilobytes.unwrap_or(0) << 10))
}

/// The addresses in the first line of a mapping, if it is a mapping of `program` that is not writable.
fn read_only_range(header: &str, program: &str) -> Option<Range<usize>> {
    let rest = header.strip_suffix(program).filter(|_| !program.is_empty())?;
    let mut words = rest.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    let is_read_only =
        words.next().is_some_and(|permissions| permissions.as_bytes().get(1) == Some(&b'-'));
    // Offset, device and inode remain; if more does, this is a longer path with the same end.
    (is_read_only && words.count() == 3).then(|| Some(address(start)?..address(end)?))?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mapping with the fields of the kernel that matter, and others around them.
    fn mapping(header: &str, fields: &[(&str, usize)]) -> String {
        let lines = fields.iter().map(|(name, size)| format!("{name}: {size:12} kB\n"));
        format!("{header}\n{}THPeligible:    0\nVmFlags: rd ex mr me\n", lines.collect::<String>())
    }

    #[test]
    fn only_what_equals_the_file_is_found() {
        let clean = [("Rss", 12), ("Anonymous", 0), ("Swap", 0)];
        let smaps = [
            mapping("00200000-00300000 r--p 00000000 fe:00 77      /opt/a b/aidd", &clean),
            mapping("00300000-00400000 r-xp 00100000 fe:00 77      /opt/a b/aidd", &clean[..2]),
            // Relocated, relocated and swapped out, and writable.
            mapping(
                "00400000-00500000 r--p 00200000 fe:00 77      /opt/a b/aidd",
                &[("Rss", 8), ("Anonymous", 4), ("Swap", 0)],
            ),
            mapping(
                "00500000-00600000 r--p 00200000 fe:00 77      /opt/a b/aidd",
                &[("Rss", 0), ("Anonymous", 0), ("Swap", 8)],
            ),
            mapping("00600000-00700000 rw-p 00300000 fe:00 77      /opt/a b/aidd", &clean),
            // Unknown.
            mapping("00700000-00800000 r--p 00300000 fe:00 77      /opt/a b/aidd", &clean[..1]),
            // Others.
            mapping("00800000-00900000 r-xp 00000000 fe:00 78      /mnt /opt/a b/aidd", &clean),
            mapping("7f0000000000-7f0000001000 r--p 00000000 00:00 0 ", &clean),
            mapping("7f0000002000-7f0000003000 r-xp 00000000 00:00 0  [vdso]", &clean),
        ];
        let found = unmodified(&smaps.concat(), "/opt/a b/aidd");
        let expected = [0x20_0000..0x30_0000, 0x30_0000..0x40_0000];
        assert_eq!(found, expected.map(|range| Mapping { range, resident: 12 << 10 }));
        assert_eq!(unmodified(&smaps.concat(), ""), []);
        assert_eq!(unmodified("", "/opt/a b/aidd"), []);
    }

    #[test]
    fn the_code_of_this_program_is_found() {
        let code = unmodified as fn(_, _) -> _ as usize;
        let found = unmodified_mappings();
        assert!(found.iter().any(|mapping| mapping.range.contains(&code) && mapping.resident > 0));
        let data = std::ptr::from_ref(&found).addr();
        assert!(found.iter().all(|mapping| !mapping.range.contains(&data)));
    }
}

//! Amounts of memory that the machine has and that this process may use, as numbers and as text.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Memory limit set by the user, in bytes; 0 means no limit.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Sets the amount of memory that counts as free to `bytes`, whatever amount the machine reports; 0 removes the limit.
pub fn limit_memory(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// The memory limit set by the user, if any.
pub fn memory_limit() -> Option<u64> {
    Some(LIMIT.load(Ordering::Relaxed)).filter(|&bytes| bytes > 0)
}

/// Bytes that this process can still allocate. This is the smallest of three numbers: the memory available on the
/// machine, the remainder of its control groups (cgroup v2), and the remainder of its address space (`ulimit -v`). A
/// [limit](limit_memory) set by the user replaces all three. Only Linux reports the last two. Returns `None` if
/// the system reports none of these numbers. `held` is memory that the process already uses. The result includes these
/// bytes, because callers compare it with the total memory of the process.
pub fn free_memory(held: u64) -> Option<u64> {
    match LIMIT.load(Ordering::Relaxed) {
        0 => {
            // Reserve a quarter of the address space for thread stacks and the allocator.
            let address_space = address_space().map(|left| left / 4 * 3);
            Some([available(), control_groups(), address_space].into_iter().flatten().min()? + held)
        }
        bytes => Some(bytes),
    }
}

/// Number of bytes of memory that this process uses; 0 if the system does not report the number.
pub fn resident_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    kibibytes(&status, "VmRSS:").unwrap_or(0)
}

/// Memory that the machine can provide without swapping, in bytes.
fn available() -> Option<u64> {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    // sysinfo returns 0 on systems that it does not know
    Some(System::new_with_specifics(memory).available_memory()).filter(|&bytes| bytes > 0)
}

/// The number after `name` in a system file, converted to bytes. The file labels such numbers kB but means KiB.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// The smallest remaining amount of memory among the control group of this process and its parent groups, in bytes.
fn control_groups() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let root = Path::new("/sys/fs/cgroup");
    let own = root.join(group);
    own.ancestors().take_while(|folder| folder.starts_with(root)).map(PathBuf::from).filter_map(left_in).min()
}

/// Remaining memory of a control group in bytes; `None` if the group has no limit. The group's file cache counts as
/// free, because the system reclaims that memory on demand.
fn left_in(group: PathBuf) -> Option<u64> {
    let number = |name: &str| std::fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let (most, used) = (number("memory.max")?, number("memory.current")?);
    let stat = std::fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let files = stat.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse::<u64>().ok()).unwrap_or(0);
    Some(most.saturating_sub(used.saturating_sub(files)))
}

/// Remaining address space of this process in bytes, if the system limits the address space.
pub fn address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used = kibibytes(&std::fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(most.saturating_sub(used))
}

/// A message with the required and the free memory if `bytes` exceeds the free memory; otherwise `None`.
pub fn shortage(bytes: u64) -> Option<String> {
    let free = free_memory(0).filter(|&free| free < bytes)?;
    Some(format!("needs {}, but only {} are free", bytes_text(bytes), bytes_text(free)))
}

/// Parses an amount of memory as people type it: `4GiB`, `512 MB`, `2G`, or bytes without a unit.
///
/// # Errors
/// When the text is not an amount of memory.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || "give an amount of memory such as 4GiB or 512MiB".to_string();
    let text = text.trim();
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let unit = match text[at..].to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1_048_576.0,
        "g" | "gib" => 1_073_741_824.0,
        "t" | "tib" => 1_099_511_627_776.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return Err(wrong()),
    };
    let number: f64 = text[..at].trim().parse().map_err(|_| wrong())?;
    let bytes = number * unit;
    if (1.0..=1e18).contains(&bytes) { Ok(bytes as u64) } else { Err(wrong()) }
}

/// An amount of memory as text, in MiB or GiB.
pub fn bytes_text(bytes: u64) -> String {
    let mebibytes = bytes as f64 / 1_048_576.0;
    match mebibytes {
        m if m < 9.95 => format!("{m:.1} MiB"),
        m if m < 1023.5 => format!("{m:.0} MiB"),
        m if m < 10_188.0 => format!("{:.1} GiB", m / 1024.0),
        m => format!("{:.0} GiB", m / 1024.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_free_memory_is_that_of_the_system() {
        let file = || kibibytes(&std::fs::read_to_string("/proc/meminfo").unwrap(), "MemAvailable:").unwrap();
        let (before, free, after) = (file(), available().unwrap(), file());
        // other processes allocate memory meanwhile
        let (least, most) = (before.min(after) / 2, before.max(after) * 2);
        assert!((least..=most).contains(&free), "{before} {free} {after}");
    }

    #[test]
    fn memory_figures_of_the_system_are_parsed() {
        let text = "MemTotal:       24602324 kB\nMemAvailable:   19334172 kB\n";
        assert_eq!(kibibytes(text, "MemAvailable:"), Some(19_334_172 * 1024));
        assert_eq!(kibibytes(text, "SwapFree:"), None);
    }

    #[test]
    fn memory_amounts_are_parsed_as_people_type_them() {
        assert_eq!(parse_bytes("4GiB"), Ok(4 << 30));
        assert_eq!(parse_bytes(" 1.5 G "), Ok(3 << 29));
        assert_eq!(parse_bytes("512MB"), Ok(512_000_000));
        assert_eq!(parse_bytes("1048576"), Ok(1 << 20));
        for wrong in ["", "GiB", "4 apples", "-1G", "0", "NaN", "1e300G"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
        assert_eq!(
            [3 << 20, 300 << 20, 3 << 30, 41 << 30].map(bytes_text),
            ["3.0 MiB", "300 MiB", "3.0 GiB", "41 GiB"]
        );
    }

    #[test]
    fn a_control_group_leaves_its_unused_memory() {
        let group = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(group.path().join(name), text).unwrap();
        write("memory.max", "max\n");
        write("memory.current", "3000\n");
        assert_eq!(left_in(group.path().into()), None, "no limit");
        write("memory.max", "4000\n");
        assert_eq!(left_in(group.path().into()), Some(1000));
        write("memory.stat", "anon 1\ninactive_file 500\nactive_file 7\n");
        assert_eq!(left_in(group.path().into()), Some(1500));
    }
}

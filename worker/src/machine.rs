//! The machine of a worker, for people who look at a fleet.

use std::fs;

use redqueen_wire as wire;

/// Longest name of a processor that the coordinator takes, in bytes.
const CPU_MAX: usize = 128;

/// What is known of this machine. Linux says it in files; elsewhere only the number of processors is known.
pub(crate) fn machine() -> wire::Machine {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    wire::Machine {
        cpu: cpu(&read("/proc/cpuinfo")),
        cores: std::thread::available_parallelism().map_or(0, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX)),
        memory_bytes: memory(&read("/proc/meminfo")),
    }
}

/// Model of the first processor in `/proc/cpuinfo`; empty where it names none, as on ARM.
fn cpu(table: &str) -> String {
    let name = value(table, "model name").unwrap_or_default();
    let plain: String = name.chars().filter(|c| !c.is_control()).collect();
    plain[..plain.floor_char_boundary(CPU_MAX)].to_owned()
}

/// Bytes of memory by `/proc/meminfo`; 0 if it does not say.
fn memory(table: &str) -> u64 {
    let kib = value(table, "MemTotal").and_then(|text| text.strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0).saturating_mul(1_024)
}

/// What the first line of that name says.
fn value<'a>(table: &'a str, name: &str) -> Option<&'a str> {
    let lines = table.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(key, value)| (key.trim(), value.trim())).find(|(key, _)| *key == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as Linux 6.1 writes them on an Intel processor and on an ARM one.
    #[test]
    fn the_files_of_linux_are_read() {
        let intel = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 106\n\
                     model name\t: Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz\ncache size\t: 55296 KB\n";
        assert_eq!(cpu(intel), "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz");
        assert_eq!(cpu("processor\t: 0\nBogoMIPS\t: 243.75\nCPU part\t: 0xd40\n"), "");
        assert_eq!(memory("MemTotal:       32614180 kB\nMemFree:         1048576 kB\n"), 33_396_920_320);
        assert_eq!(memory("MemFree: 1 kB\n"), 0);
    }

    #[test]
    fn a_name_that_the_coordinator_would_refuse_is_cut() {
        let long = format!("model name : {}\u{7}ö\n", "é".repeat(100));
        assert_eq!(cpu(&long), "é".repeat(64));
    }
}

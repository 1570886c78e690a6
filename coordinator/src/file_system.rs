//! Kinds of file systems: what a database may be trusted with depends on them.

use std::{io, path::Path};

/// A file system, as far as it matters to runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSystem {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// On a disk of this machine, or in its memory.
    Local,
    /// Shared with other machines.
    Shared,
    /// Shared, and others see a file only as it was when it was closed.
    OnClose,
    /// Not known to the list below, and taken for local.
    Unknown,
}

/// Environment variable with the name of a file system, where the system cannot tell it: FUSE hides what is behind it.
const NAMED: &str = "REDQUEEN_FILE_SYSTEM";

/// Magic numbers of `statfs`, and names as `mount` has them.
const KNOWN: [(u32, &str, Kind); 22] = [
    (0x6969, "nfs", Kind::Shared),
    (0x0BD0_0BD0, "lustre", Kind::Shared),
    (0x4750_4653, "gpfs", Kind::Shared),
    (0x1983_0326, "beegfs", Kind::Shared),
    (0x00C3_6400, "ceph", Kind::Shared),
    (0xFF53_4D42, "cifs", Kind::Shared),
    (0xFE53_4D42, "smb2", Kind::Shared),
    (0x6573_5546, "fuse", Kind::Shared),
    (0xAAD7_AAEA, "panfs", Kind::Shared),
    (0x0102_1997, "9p", Kind::Shared),
    (0x0116_1970, "gfs2", Kind::Shared),
    (0x7461_636F, "ocfs2", Kind::Shared),
    (0x5346_414F, "afs", Kind::OnClose),
    (0xEF53, "ext4", Kind::Local),
    (0x5846_5342, "xfs", Kind::Local),
    (0x9123_683E, "btrfs", Kind::Local),
    (0x2FC1_2FC1, "zfs", Kind::Local),
    (0x0102_1994, "tmpfs", Kind::Local),
    (0x794C_7630, "overlay", Kind::Local),
    (0x8584_58F6, "ramfs", Kind::Local),
    (0x4D44, "vfat", Kind::Local),
    (0xF2F5_2010, "f2fs", Kind::Local),
];

impl FileSystem {
    /// The file system of `path`, or of the directory above it that exists. One that cannot be asked is unknown.
    pub fn of(path: &Path) -> Self {
        if let Some(named) = std::env::var(NAMED).ok().and_then(|name| Self::named(&name)) {
            return named;
        }
        path.ancestors().find_map(|there| magic(there).ok()).map_or_else(
            || FileSystem { name: "an unknown file system".to_owned(), kind: Kind::Unknown },
            Self::of_magic,
        )
    }

    /// The known one of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (_, name, kind) = KNOWN.into_iter().find(|known| known.1 == name)?;
        Some(FileSystem { name: name.to_owned(), kind })
    }

    fn of_magic(magic: u32) -> Self {
        match KNOWN.into_iter().find(|(known, ..)| *known == magic) {
            Some((_, name, kind)) => FileSystem { name: name.to_owned(), kind },
            None => FileSystem { name: format!("a file system of type {magic:#x}"), kind: Kind::Unknown },
        }
    }

    /// Its name, for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a run can be kept there.
    pub(crate) fn keeps_runs(&self) -> bool {
        self.kind != Kind::OnClose
    }

    /// Whether other machines may see it.
    pub fn is_shared(&self) -> bool {
        matches!(self.kind, Kind::Shared | Kind::OnClose)
    }
}

#[cfg(target_os = "linux")]
fn magic(path: &Path) -> io::Result<u32> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    // The field is signed on some processors, and 32 bits of it count.
    Ok(rustix::fs::statfs(path)?.f_type as u32)
}

#[cfg(not(target_os = "linux"))]
fn magic(_: &Path) -> io::Result<u32> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_are_told_by_their_numbers() {
        for (magic, name, shared) in
            [(0x6969, "nfs", true), (0xEF53, "ext4", false), (0x5346_414F, "afs", true), (0xABCD, "0xabcd", false)]
        {
            let found = FileSystem::of_magic(magic);
            assert!(found.name().contains(name) && found.is_shared() == shared, "{found:?}");
        }
        // A directory that does not exist yet will be on the file system of the one above it.
        assert_eq!(FileSystem::of(Path::new("/no/such/place")), FileSystem::of(Path::new("/")));
        assert_eq!(FileSystem::of(Path::new("src/none")), FileSystem::of(Path::new(".")));
    }
}

//! Where the files of stages lie under `results/`: those of a shape in its folder, and up to version 0.1.0 all in one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use record::files::stage_of;

/// Every file of a stage under `results`, by stage: directly in it and in the folders of shapes. Nothing where there is no
/// such folder.
///
/// # Errors
/// A folder cannot be read.
pub(super) fn stage_files(results: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let mut files = Vec::new();
    match listed(results) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(files),
        Err(error) => return Err(error),
        Ok(entries) => {
            for path in entries {
                if path.is_dir() {
                    files.extend(listed(&path)?.into_iter().filter_map(of_stage));
                } else {
                    files.extend(of_stage(path));
                }
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Whether there are files of stages under `results`.
pub(crate) fn has_stages(results: &Path) -> bool {
    stage_files(results).is_ok_and(|files| !files.is_empty())
}

/// Whether a file of version 0.1.0 has another of its stage in a folder beside it. A reader of both would count its rows
/// twice.
pub(crate) fn is_superseded(path: &Path) -> bool {
    let Some((name, folder)) = path.file_name().zip(path.parent()) else { return false };
    stage_of(&name.to_string_lossy()).is_some()
        && listed(folder).is_ok_and(|beside| beside.iter().any(|beside| beside.join(name).is_file()))
}

fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

fn of_stage(path: PathBuf) -> Option<(u32, PathBuf)> {
    let stage = stage_of(&path.file_name()?.to_string_lossy())?;
    Some((stage, path))
}

//! The lock of a folder, held by the run that writes to it.
//!
//! The lock file names the process that holds it. On a file system without locks the name alone
//! remains: a run warns at its start, and notices when another one has begun in its folder.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The lock file.
const NAME: &str = ".lock";

/// The lock of a folder.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    path: PathBuf,
    /// The name of this process, as in the file.
    owner: String,
    /// Whether the file system has locks.
    held: bool,
}

/// The result of an attempt to lock a file.
type Tried = Result<(), TryLockError>;

impl Lock {
    /// Locks the folder for the process called `owner`; `None` if another one holds the lock.
    ///
    /// # Errors
    /// If the lock file cannot be written.
    pub(super) fn take(folder: &Path, owner: &str) -> std::io::Result<Result<Self, String>> {
        Self::take_by(folder, owner, File::try_lock)
    }

    fn take_by(
        folder: &Path,
        owner: &str,
        try_lock: fn(&File) -> Tried,
    ) -> std::io::Result<Result<Self, String>> {
        let path = folder.join(NAME);
        let mut how = File::options();
        let file = how.read(true).write(true).create(true).truncate(false);
        let mut file = file.open(&path)?;
        let before = text(&mut file);
        // A process that only looks holds the lock for an instant: ask once more.
        let tried = match try_lock(&file) {
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(std::time::Duration::from_millis(100));
                try_lock(&file)
            }
            tried => tried,
        };
        let held = match tried {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => return Ok(Err(before)),
            Err(TryLockError::Error(why)) => {
                let last = match before.as_str() {
                    "" => String::new(),
                    before => format!("; the last run there was {before}"),
                };
                tell!(
                    "moreau: WARNING: {}: this file system has no locks ({why}), so nothing keeps a \
                     second run out of the folder{last}; HDF5 may refuse to read the results there \
                     unless HDF5_USE_FILE_LOCKING=FALSE is in the environment",
                    folder.display()
                );
                false
            }
        };
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(owner.as_bytes())?;
        let owner = owner.to_owned();
        Ok(Ok(Self {
            file,
            path,
            owner,
            held,
        }))
    }

    /// The process that holds the lock of a folder; `None` if nothing does. Changes nothing.
    pub(super) fn holder(folder: &Path) -> Option<String> {
        let mut how = File::options();
        let mut file = how.read(true).write(true).open(folder.join(NAME)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(text(&mut file)),
            _ => None,
        }
    }

    /// Whether the folder is still the one that this run has locked, and only this run's.
    ///
    /// # Errors
    /// The reason why it is not.
    pub(super) fn is_here(&self) -> Result<(), String> {
        let folder = self.path.parent().unwrap_or(Path::new("")).display();
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let id = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
            let held = self.file.metadata().map(id).ok();
            let there = std::fs::metadata(&self.path).map(id).ok();
            if held != there {
                return Err(format!(
                    "{folder} is no longer the folder in which this run began"
                ));
            }
        }
        if self.held {
            return Ok(());
        }
        match std::fs::read_to_string(&self.path) {
            Ok(now) if now != self.owner => Err(format!(
                "another run has begun in {folder}, whose file system has no locks: {now}"
            )),
            _ => Ok(()),
        }
    }
}

fn text(file: &mut File) -> String {
    let mut text = String::new();
    match file.read_to_string(&mut text) {
        Ok(_) => text,
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_locks(_: &File) -> Tried {
        Err(TryLockError::Error(std::io::ErrorKind::Unsupported.into()))
    }

    #[test]
    fn a_second_run_is_refused_by_the_name_of_the_first() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Lock::holder(dir.path()), None);
        let first = Lock::take(dir.path(), "process 1 on a").unwrap().unwrap();
        let holder = Some("process 1 on a".to_owned());
        assert_eq!(Lock::holder(dir.path()), holder);
        let second = Lock::take(dir.path(), "process 2 on a").unwrap();
        assert_eq!(second.map(|_| ()), Err("process 1 on a".to_owned()));
        assert_eq!(first.is_here(), Ok(()));
        drop(first);
        assert_eq!(Lock::holder(dir.path()), None);
        Lock::take(dir.path(), "process 2 on a").unwrap().unwrap();
    }

    /// Without locks the first run notices the second one at its next checkpoint.
    #[test]
    fn a_second_run_is_noticed_on_a_file_system_without_locks() {
        let dir = tempfile::tempdir().unwrap();
        let take = |owner: &str| {
            let taken = Lock::take_by(dir.path(), owner, without_locks);
            taken.unwrap().unwrap()
        };
        let first = take("process 1 on a");
        assert_eq!(first.is_here(), Ok(()));
        let second = take("process 2 on b");
        assert_eq!(second.is_here(), Ok(()));
        let noticed = first.is_here().unwrap_err();
        assert!(noticed.contains("no locks: process 2 on b"), "{noticed}");
    }
}

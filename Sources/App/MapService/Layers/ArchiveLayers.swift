import Configuration
import Dispatch
import EventLog
import Foundation
import Synchronization
import TileSources

/// Searches the directories of the key `archives` for archives, and logs each file that cannot be served.
///
/// This is a class because it keeps the state of the files from one search to the next. Thread rule: any thread that
/// may block may call these functions, also several threads at the same time.
final class ArchiveLayers: Sendable {
    /// Runs one search at a time. This is a queue and not a lock, because a search opens files and may take long.
    private let queue = DispatchQueue(label: "archives", qos: .utility)
    // Invariant behind nonisolated(unsafe): used only on `queue`.
    nonisolated(unsafe) private var directories: ArchiveDirectories?
    nonisolated(unsafe) private var reported: Set<FoundArchives.Fault> = []
    private let log: EventLog

    init(log: EventLog) { self.log = log }

    /// Returns the archives that are in the directories of `configuration` now. Blocks while files are read.
    func look(in configuration: Configuration) -> FoundArchives {
        queue.sync {
            if directories?.paths != configuration.archiveDirectories.paths {
                directories = configuration.archives.isEmpty ? nil : configuration.archiveDirectories
            }
            let found = directories?.look(now: Int(Date.now.timeIntervalSince1970)) ?? FoundArchives()
            report(found.faults)
            return found
        }
    }

    /// Makes the next `look` check all faulty files again, even if the files have not changed.
    func checkAgain() { queue.sync { directories?.checkAgain() } }

    /// Stops serving the archive at `path` because of `error`, until its file changes or `checkAgain()` is called.
    func refuse(_ path: String, _ error: any Error) { queue.sync { directories?.refuse(path, "\(error)") } }

    /// Logs the faults in `faults` that the previous search did not have.
    private func report(_ faults: [FoundArchives.Fault]) {
        for fault in faults where !reported.contains(fault) {
            log.record("archive_refused", ["path": .string(fault.path), "why": "\(fault.reason)"])
        }
        reported = Set(faults)
    }
}

import Configuration
import Dispatch
import EventLog
import Foundation
import Synchronization
import TileSources

/// Looks for the archives of the directories that the configuration names, and logs each file that is not served.
///
/// This is a class because it owns the state between two looks. Thread rule: any thread that may block.
final class ArchiveLayers: Sendable {
    /// Runs the looks one after the other. A queue and not a lock, because files are opened.
    private let queue = DispatchQueue(label: "archives", qos: .utility)
    // Invariant behind nonisolated(unsafe): used only on `queue`.
    nonisolated(unsafe) private var directories: ArchiveDirectories?
    nonisolated(unsafe) private var reported: Set<FoundArchives.Fault> = []
    private let log: EventLog

    init(log: EventLog) { self.log = log }

    /// Returns the archives in the directories of `configuration` now. Blocks.
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

    /// Checks files again that could not be read.
    func checkAgain() { queue.sync { directories?.checkAgain() } }

    /// Does not serve the archive at `path` until its file changes, because of `error`.
    func refuse(_ path: String, _ error: any Error) { queue.sync { directories?.refuse(path, "\(error)") } }

    /// Logs faults that are new since the look before.
    private func report(_ faults: [FoundArchives.Fault]) {
        for fault in faults where !reported.contains(fault) {
            log.record("archive_refused", ["path": .string(fault.path), "why": "\(fault.reason)"])
        }
        reported = Set(faults)
    }
}

import Dispatch
import Foundation
import Glibc
import Runtime

/// Files that are read together, such as a certificate and its key. Thread rule: any thread.
protocol WatchedFiles: Sendable {
    /// The file whose directory is watched for notifications. Nil: there are no notifications.
    var notifyingPath: String? { get }
    /// The stamps of the files now.
    var stamps: [FileStamp] { get }
    /// The stamps of the files at the last read.
    var lastRead: [FileStamp] { get }
}

/// Watches files, such as the configuration file, and reports their changes. With inotify(7), the system reports
/// changes in the directory at once, also if a new file replaces the old one. The system does not report changes that
/// other machines make on a network file system. If the path is a link into another directory, the system does not
/// report changes there. For these reasons, the watch also examines the files every few seconds.
///
/// Thread rule: the files are examined on a queue of their own. `changed` runs in a task.
final class FileWatch: @unchecked Sendable {
    // Invariant behind @unchecked: mutable state is used only on `queue`.
    private let files: any WatchedFiles
    private let queue = DispatchQueue(label: "file watch")
    private let timer: any DispatchSourceTimer
    private let notifications: (any DispatchSourceRead)?
    private let changed: @Sendable () async -> Void
    private var change: FileChange
    private var isReading = false
    private var willLook = false

    /// Starts to watch `files`.
    ///
    /// - Parameters:
    ///   - interval: seconds between two examinations.
    ///   - settle: seconds for which the files must stay unchanged before they are read.
    ///   - isNotified: true to use inotify if available.
    ///   - changed: reads `files`, and returns after the read. Called after each change. Changes in quick succession
    ///     count as one.
    init(
        _ files: any WatchedFiles, interval: Double = 3, settle: Double = 0.3, isNotified: Bool = true,
        changed: @escaping @Sendable () async -> Void
    ) {
        self.files = files
        self.changed = changed
        change = FileChange(settle: settle, absence: max(interval, settle))
        timer = DispatchSource.makeTimerSource(queue: queue)
        notifications = isNotified ? Self.notifications(of: files.notifyingPath, on: queue) : nil
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(500))
        timer.setEventHandler { [weak self] in self?.look() }
        notifications?.setEventHandler { [weak self] in self?.hear() }
        timer.activate()
        notifications?.activate()
        // Looks for changes since the first read.
        queue.async { [weak self] in self?.look() }
    }

    deinit {
        timer.cancel()
        notifications?.cancel()
    }

    /// Starts inotify for the directory of the file at `path`. Returns the source of the notifications, or nil if there
    /// is no path or the system offers no notifications.
    private static func notifications(of path: String?, on queue: DispatchQueue) -> (any DispatchSourceRead)? {
        guard let path else { return nil }
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { $0 == path.utf8.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ONLYDIR
        guard inotify_add_watch(descriptor, directory, UInt32(events)) >= 0 else {
            close(descriptor)
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setCancelHandler { close(descriptor) }
        return source
    }

    /// Handles a notification about the directory. `look` finds out whether the file has changed.
    private func hear() {
        guard let notifications else { return }
        var events = [UInt8](repeating: 0, count: 4_096)
        while read(Int32(notifications.handle), &events, events.count) > 0 {}
        look()
    }

    private func look() {
        guard !isReading else { return }
        switch change.look(files.stamps, lastRead: files.lastRead, at: .now()) {
        case .none: return
        case .lookAgain(let seconds):
            guard !willLook else { return }
            willLook = true
            queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
                self?.willLook = false
                self?.look()
            }
        case .read:
            isReading = true
            Task { [weak self, changed] in
                await changed()
                self?.goOn()
            }
        }
    }

    /// Continues after a change was read. Thread rule: any thread.
    private func goOn() {
        queue.async { [weak self] in
            self?.isReading = false
            self?.look()
        }
    }
}

/// Decides when to read changed files again. The files must first stay unchanged for a moment, because another program
/// may still write them. A missing file must stay missing for a while, because another program may be replacing it.
struct FileChange {
    enum Step: Equatable {
        case none
        /// Examine the files again after this number of seconds.
        case lookAgain(Double)
        case read
    }

    /// Seconds for which changed files must stay unchanged. `absence` is the same for a missing file.
    let settle: Double
    let absence: Double
    private var seen: (stamps: [FileStamp], since: MonotonicTime)?

    init(settle: Double, absence: Double) {
        self.settle = settle
        self.absence = absence
    }

    mutating func look(_ now: [FileStamp], lastRead: [FileStamp], at time: MonotonicTime) -> Step {
        guard now != lastRead, !now.contains(.unknown) else {
            seen = nil
            return .none
        }
        let since = seen.flatMap { $0.stamps == now ? $0.since : nil } ?? time
        seen = (now, since)
        let rest = (now.contains(.gone) ? absence : settle) - time.seconds(since: since)
        guard rest <= 0 else { return .lookAgain(rest) }
        seen = nil
        return .read
    }
}

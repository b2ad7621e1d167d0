import Dispatch
import Foundation
import Glibc
import Runtime

/// Notices that the file of a configuration has changed: at once by inotify(7) on its directory, which sees a file that takes
/// another's place; and by a look every few seconds where the system tells nothing, such as on file systems of other machines and
/// behind links to other directories.
///
/// A class to own the descriptor and the timer. Thread rule: all of it on a queue of its own.
final class FileWatch: @unchecked Sendable {
    // Invariant behind @unchecked: everything mutable is touched on `queue` only.
    private let file: ConfigurationFile
    private let queue = DispatchQueue(label: "configuration watch")
    private let timer: any DispatchSourceTimer
    private let notifications: (any DispatchSourceRead)?
    private let changed: @Sendable () async -> Void
    private var change: FileChange
    private var isReading = false
    private var willLook = false

    /// - Parameters:
    ///   - interval: seconds between two looks.
    ///   - settle: seconds for which a file must stay as it is before it is read.
    ///   - isNotified: whether inotify is used, where it is to be had.
    ///   - changed: reads `file`, once after each change; returns when that is done.
    init(
        _ file: ConfigurationFile, interval: Double = 3, settle: Double = 0.3, isNotified: Bool = true,
        changed: @escaping @Sendable () async -> Void
    ) {
        self.file = file
        self.changed = changed
        change = FileChange(settle: settle, absence: max(interval, settle))
        timer = DispatchSource.makeTimerSource(queue: queue)
        notifications = isNotified ? Self.notifications(of: file.path, on: queue) : nil
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(500))
        timer.setEventHandler { [weak self] in self?.look() }
        notifications?.setEventHandler { [weak self] in self?.hear() }
        timer.activate()
        notifications?.activate()
        // What has changed since it was read for the first time.
        queue.async { [weak self] in self?.look() }
    }

    deinit {
        timer.cancel()
        notifications?.cancel()
    }

    /// What changes in the directory of the file at `path`; nil where the system does not tell.
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

    /// Something has happened in the directory: a look says whether it was the file.
    private func hear() {
        guard let notifications else { return }
        var events = [UInt8](repeating: 0, count: 4_096)
        while read(Int32(notifications.handle), &events, events.count) > 0 {}
        look()
    }

    private func look() {
        guard !isReading else { return }
        switch change.look(FileStamp(file.path), lastRead: file.lastRead, at: .now()) {
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

    /// What has changed has been read. Thread rule: any thread.
    private func goOn() {
        queue.async { [weak self] in
            self?.isReading = false
            self?.look()
        }
    }
}

/// When a file that is not as it was read is to be read again: once it has stayed the same for a moment, so that none is read while
/// it is written; and one that is gone, once it stays away.
struct FileChange {
    enum Step: Equatable {
        case none
        /// In so many seconds.
        case lookAgain(Double)
        case read
    }

    /// In seconds.
    let settle: Double
    let absence: Double
    private var seen: (stamp: FileStamp, since: MonotonicTime)?

    init(settle: Double, absence: Double) {
        self.settle = settle
        self.absence = absence
    }

    mutating func look(_ now: FileStamp, lastRead: FileStamp, at time: MonotonicTime) -> Step {
        guard now != lastRead, now != .unknown else {
            seen = nil
            return .none
        }
        let since = seen.flatMap { $0.stamp == now ? $0.since : nil } ?? time
        seen = (now, since)
        let rest = (now == .gone ? absence : settle) - time.seconds(since: since)
        guard rest <= 0 else { return .lookAgain(rest) }
        seen = nil
        return .read
    }
}

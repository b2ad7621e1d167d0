import Dispatch
import Foundation
import Synchronization

/// Tags that are to be purged, in a file, so that they outlive the process: a line for each. There is none where nothing is to be purged.
///
/// A class to own the queue on which it is written. Thread rule: any thread.
final class CDNPurgeFile: Sendable {
    private struct State {
        var isScheduled = false
        /// What the file has; nil where nobody knows.
        var written: [String]?
    }

    /// Bytes: more than all tags that may wait.
    private static let longest = 4 << 20

    private let path: String
    private let queue = DispatchQueue(label: "cdn purges", qos: .utility)
    private let state = Mutex(State())

    init(_ path: String) {
        self.path = path
    }

    /// What a process before this one has left; what is no tag is passed over. Blocks.
    func read() -> [String] {
        guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
        // Nobody is the worse for a file that cannot be closed.
        defer { try? handle.close() }
        let data: Data?
        do { data = try handle.read(upToCount: Self.longest) } catch { return [] }
        return String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n").map(String.init).filter(
            Self.isTag)
    }

    /// Writes what `tags` says soon, in place of what the file has.
    func write(_ tags: @escaping @Sendable () -> [String]) {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        queue.async { [self] in
            state.withLock { $0.isScheduled = false }
            put(tags())
        }
    }

    /// Returns once what was to be written is: whether the file has it.
    func finish() async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: state.withLock { $0.written != nil }) }
        }
    }

    /// On the queue.
    private func put(_ tags: [String]) {
        guard state.withLock({ $0.written != tags }) else { return }
        let url = URL(fileURLWithPath: path)
        do {
            if tags.isEmpty {
                try FileManager.default.removeItem(at: url)
            } else {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data((tags.joined(separator: "\n") + "\n").utf8).write(to: url, options: .atomic)
            }
            state.withLock { $0.written = tags }
        } catch {
            // There is nothing to remove, or the next change tries again; at the end it is said what is lost.
            state.withLock { $0.written = tags.isEmpty ? [] : nil }
        }
    }

    private static func isTag(_ text: String) -> Bool {
        1...200 ~= text.utf8.count
            && text.utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || "_-.".utf8.contains($0)
            }
    }
}

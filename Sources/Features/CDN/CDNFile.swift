import Bytes
import Dispatch
import Files
import Foundation
import Synchronization

/// A text file that keeps lines from one process to the next, for example the tags that are not purged yet. An empty
/// list of lines removes the file.
///
/// This is a class because it owns the queue of writes. Thread rule: any thread.
final class CDNFile: Sendable {
    private struct State {
        var isScheduled = false
        /// The lines in the file. Nil if unknown.
        var written: [String]?
    }

    /// Maximum number of bytes to read, with room for the maximum number of waiting tags, or of served layers.
    private static let longest = 4 << 20

    private let path: String
    private let isLine: @Sendable (String) -> Bool
    private let queue = DispatchQueue(label: "cdn state", qos: .utility)
    private let state = Mutex(State())

    /// `isLine` reports whether a line has the right form.
    private init(_ path: String, _ isLine: @escaping @Sendable (String) -> Bool) {
        self.path = path
        self.isLine = isLine
    }

    /// Returns the file of tags that are to be purged.
    static func purges(in directory: String) -> CDNFile {
        CDNFile("\(directory)/cdn-purges", isTag)
    }

    /// Reports whether `text` may be a tag.
    static func isTag(_ text: String) -> Bool { 1...200 ~= text.utf8.count && text.utf8.allSatisfy(isTagByte) }

    /// Reports whether `text` may be the name of a node.
    static func isNode(_ text: String) -> Bool {
        1...64 ~= text.utf8.count && text.utf8.allSatisfy { isTagByte(ASCII.lowercased($0)) }
    }

    /// Returns the file of served layers and maps. A line has an id, a space and the layer's identity.
    static func layers(in directory: String) -> CDNFile {
        CDNFile("\(directory)/cdn-layers") { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            return words.count == 2 && words.allSatisfy { 1...64 ~= $0.utf8.count && $0.utf8.allSatisfy(isTagByte) }
        }
    }

    /// The content that an earlier process has left.
    struct Content {
        var lines: [String] = []
        /// Number of malformed lines, plus 1 if the file is too long. Above 0, the file is damaged.
        var damaged = 0
        /// The reason why the file cannot be read. Nil if it was read or does not exist.
        var fault: String?
    }

    /// Reads the lines that an earlier process wrote, and counts the malformed lines. The function waits for the disk.
    /// A pipe at the path is an error, so that the function never waits for a pipe.
    func read() -> Content {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try RegularFile(path).prefix(Self.longest + 1)
        } catch {
            if case .system(_, ENOENT) = error { return Content() }
            return Content(fault: "\(error)")
        }
        let lines = String(decoding: bytes.prefix(Self.longest), as: UTF8.self).split(separator: "\n").map(String.init)
        let good = lines.filter(isLine)
        return Content(lines: good, damaged: lines.count - good.count + (bytes.count > Self.longest ? 1 : 0))
    }

    /// Replaces the lines of the file soon. The queue calls `lines` just before the write. If an earlier write has not
    /// begun yet, this call does nothing, so `lines` must return the latest lines in every call.
    func write(_ lines: @escaping @Sendable () -> [String]) {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        queue.async { [self] in
            state.withLock { $0.isScheduled = false }
            put(lines())
        }
    }

    /// Waits for pending writes. Returns true if there was a write and the last one has succeeded. A failed removal of
    /// the file counts as a success.
    func finish() async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: state.withLock { $0.written != nil }) }
        }
    }

    /// Writes `lines` to the file if they have changed. Deletes the file if there are no lines. Runs on the queue.
    private func put(_ lines: [String]) {
        guard state.withLock({ $0.written != lines }) else { return }
        let url = URL(fileURLWithPath: path)
        do {
            if lines.isEmpty {
                try OutputFile.own(path).remove()
            } else {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try OutputFile.own(path).write(Array((lines.joined(separator: "\n") + "\n").utf8))
            }
            state.withLock { $0.written = lines }
        } catch {
            // A failed removal counts as done. After a failed write the next call of `write` tries again, and
            // `CDNPurger.close` logs lost tags.
            state.withLock { $0.written = lines.isEmpty ? [] : nil }
        }
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || "_-.".utf8.contains(byte)
    }
}

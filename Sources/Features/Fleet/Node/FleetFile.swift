import Dispatch
import Files
import Foundation
import Synchronization
import TileCache

/// The file in which a node saves its state for the time after a restart. Each line has words separated by spaces:
///
///     fleet 1 SECONDS               time of the last complete round, in seconds since 1970, or 0
///     position ID                   id of the last message that was applied
///     layer NAME GENERATION CLEAR PURGE open|done
///     purge NAME MESSAGE 0|1 AREA   a purge that has no id yet, or has not come back with the stream;
///                                   an earlier line must have its layer NAME
///
/// If one line is unreadable, the whole file is invalid.
package struct FleetFile: Sendable {
    package var state: FleetState
    /// The time of the last complete round in seconds since 1970, rounded down to ten seconds. 0 if there was none.
    package var merged: Int

    /// The part of the state that is in force at the node.
    struct Applied: Sendable {
        let position: StreamID?
        let numbers: [String: FleetNumber]

        init(_ state: FleetState) {
            position = state.position
            numbers = state.layers.mapValues(\.number)
        }
    }

    /// Maximum size of the file in bytes.
    static let longest = 64 << 20

    package init(state: FleetState, merged: Int) {
        self.state = state
        self.merged = merged
    }

    /// Makes a file with the position and the numbers of `applied`, if given. After a restart Redis then sends the
    /// messages again whose actions were not finished.
    init(state: FleetState, merged: Int, applied: Applied?) {
        self.init(state: FleetState(), merged: merged)
        (self.state.layers, self.state.position) = (state.layers, state.position)
        guard let applied else { return }
        self.state.position = applied.position
        for (name, number) in applied.numbers { self.state.layers[name]?.number = number }
    }

    package var text: String {
        var lines = ["fleet 1 \(merged)"]
        if let position = state.position { lines.append("position \(position)") }
        for (name, layer) in state.layers.sorted(by: { $0.key < $1.key }) {
            lines.append("layer \(name) \(layer.number.line) \(layer.isUnnumbered ? "open" : "done")")
            // The purges that were sent have not come back yet. So the file counts them as waiting.
            let sent = layer.sent.sorted { $0.key < $1.key }.map(\.value)
            for purge in sent + layer.waiting {
                lines.append("purge \(name) \(purge.name) \(purge.isSoft ? 1 : 0) \(purge.area.fleetText)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reports whether both files have equal values, and so the same text. Comparing the values is faster than making
    /// the texts.
    func hasText(of other: FleetFile) -> Bool {
        merged == other.merged && state.position == other.state.position
            && state.layers.count == other.state.layers.count
            && state.layers.allSatisfy { name, layer in
                guard let known = other.state.layers[name] else { return false }
                return layer.number == known.number && layer.isUnnumbered == known.isUnnumbered
                    && layer.waiting == known.waiting && layer.sent == known.sent
            }
    }

    package init?(text: String) {
        var lines = text.split(separator: "\n")[...]
        guard text.hasSuffix("\n"), let head = lines.popFirst()?.split(separator: " "), head.count == 3,
            head[0] == "fleet", head[1] == "1", let merged = UInt32(canonical: head[2])
        else { return nil }
        self.merged = Int(merged)
        state = FleetState()
        for line in lines {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            switch words[0] {
            case "position" where words.count == 2:
                guard let position = StreamID(words[1]) else { return nil }
                state.position = position
            case "layer" where words.count == 6:
                guard let number = FleetNumber(line: words[2...4].joined(separator: " ")) else { return nil }
                var layer = FleetState.Layer(number: number)
                layer.isUnnumbered = words[5] == "open"
                state.layers[String(words[1])] = layer
            case "purge" where words.count > 5:
                let layer = String(words[1])
                guard state.layers[layer] != nil, let area = TileArea(fleetText: words[4...].joined(separator: " "))
                else { return nil }
                state.layers[layer]?.waiting.append(
                    FleetState.WaitingPurge(name: String(words[2]), area: area, isSoft: words[3] == "1"))
            default: return nil
            }
        }
    }

    /// Reads a file. Returns nil if there is none, or it is unreadable. Blocks.
    package static func read(_ path: String) -> FleetFile? {
        // A node whose file cannot be read starts like a node without a file.
        guard let file = try? RegularFile(path, followsLink: false), let bytes = try? file.bytes(limit: Self.longest)
        else {
            return nil
        }
        return String(validating: bytes, as: UTF8.self).flatMap { FleetFile(text: $0) }
    }

    /// Replaces the file at `path` atomically, and makes its directory. A device or a pipe is written in place.
    /// Returns 0, or the `errno` of a failure. Blocks.
    package func write(_ path: String) -> Int32 {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard mkdir(directory, 0o755) == 0 || errno == EEXIST else { return errno }
        do throws(FileError) {
            try OutputFile.own(path).write(Array(text.utf8))
            return 0
        } catch {
            return error.code
        }
    }
}

/// Writes the state file of a node in the background. Writes keep their order, and an unchanged file is not written
/// again.
///
/// This is a class because it owns the queue. Thread rule: any thread.
final class FleetFileWriter: Sendable {
    private let path: String?
    private let queue = DispatchQueue(label: "fleet state", qos: .utility)
    private let written = Mutex<FleetFile?>(nil)

    init(_ path: String?) {
        self.path = path
    }

    /// Writes the state file, and returns when the write has ended. The queue calls `file` for the content just before
    /// the write, so the file gets the latest state. Returns 0, or the `errno` of a failure.
    func write(_ file: @escaping @Sendable () -> FleetFile) async -> Int32 {
        guard let path else { return 0 }
        return await withCheckedContinuation { continuation in
            queue.async { [self] in
                let file = file()
                guard written.withLock({ $0?.hasText(of: file) }) != true else {
                    return continuation.resume(returning: 0)
                }
                let code = file.write(path)
                written.withLock { $0 = code == 0 ? file : nil }
                continuation.resume(returning: code)
            }
        }
    }
}

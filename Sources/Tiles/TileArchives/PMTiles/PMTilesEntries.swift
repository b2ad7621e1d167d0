import Files
import Glibc

/// The files of an archive that is being written: the draft, which takes the name of the target when it is whole, and
/// the entries of its directories.
///
/// The draft stands beside the target, and its name ends in `.part`. The file of entries loses its name at once, so the
/// system frees its space even if the process is killed.
///
/// This is a class because it owns the draft: the last reference removes it, unless it was placed. Thread rule: any
/// thread that may block, one at a time.
final class PMTilesDraft: Sendable {
    let data: PMTilesOutput
    let entries: PMTilesEntryFile
    private let target: String
    private let replaces: Bool
    // Invariant behind nonisolated(unsafe): the writer that owns the draft uses it on one thread at a time.
    nonisolated(unsafe) private var isPlaced = false

    /// Begins a draft, whose first tile stands after the room for the root directory. If `replaces` is false, refuses a
    /// target that exists.
    init(target: String, replaces: Bool) throws(PMTilesWriteError) {
        var status = stat()
        let exists = lstat(target, &status) == 0
        if exists, !replaces { throw .exists(path: target) }
        if exists, let kind = FileError.Kind(status.st_mode), status.st_mode & S_IFMT != S_IFLNK {
            throw .file(path: target, .notRegular(kind))
        }
        // Several processes, also in different containers, may write the same target.
        let own = "\(target).\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16))"
        data = try PMTilesOutput("\(own).part", start: PMTilesHeader.rootLimit)
        do throws(PMTilesWriteError) {
            entries = try PMTilesEntryFile("\(own).entries.part")
        } catch {
            unlink(data.path)
            throw error
        }
        (self.target, self.replaces) = (target, replaces)
    }

    deinit {
        if !isPlaced { unlink(data.path) }
    }

    /// Writes the draft to the disk and renames it to the target. Throws `exists` if the target has appeared and may
    /// not be replaced.
    func place() throws(PMTilesWriteError) {
        // After a crash, the target must not be a file with holes.
        try data.sync()
        try rename()
        isPlaced = true
        syncDirectory()
    }

    private func rename() throws(PMTilesWriteError) {
        if !replaces {
            // A link never replaces a file that has appeared. Some file systems have no links.
            if link(data.path, target) == 0 {
                unlink(data.path)
                return
            }
            var status = stat()
            if errno == EEXIST || lstat(target, &status) == 0 { throw .exists(path: target) }
        }
        guard Glibc.rename(data.path, target) == 0 else {
            throw .file(path: target, .system(call: "rename", errno: errno))
        }
    }

    /// Makes the new name durable. Ignores errors: some file systems cannot do this, and the file itself is safe.
    private func syncDirectory() {
        let parent = target.lastIndex(of: "/").map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
        let directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }
}

/// The entries of an archive that is being written, 24 bytes each, in a file without a name.
final class PMTilesEntryFile: Sendable {
    /// The bytes of an entry in the file.
    static let stride = 24

    private let file: PMTilesOutput

    init(_ path: String) throws(PMTilesWriteError) {
        file = try PMTilesOutput(path)
        unlink(path)
    }

    /// The number of entries.
    var count: UInt64 { file.end / UInt64(Self.stride) }

    func append(_ entry: PMTilesDirectory.Entry) throws(PMTilesWriteError) {
        let words = (entry.id, entry.offset, UInt64(entry.length) << 32 | UInt64(entry.run))
        var failure: PMTilesWriteError?
        withUnsafeBytes(of: words) { bytes in
            do throws(PMTilesWriteError) { try file.append(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Returns `count` entries from the entry `first` on, or fewer at the end.
    func entries(from first: UInt64, count: Int) throws(PMTilesWriteError) -> [PMTilesDirectory.Entry] {
        let count = Int(min(UInt64(count), self.count - min(first, self.count)))
        var words = [UInt64](repeating: 0, count: count * 3)
        try words.withUnsafeMutableBufferPointer { words throws(PMTilesWriteError) in
            try file.read(into: UnsafeMutableRawBufferPointer(words), at: first * UInt64(Self.stride))
        }
        return (0..<count).map { index in
            PMTilesDirectory.Entry(
                id: words[3 * index], offset: words[3 * index + 1],
                length: UInt32(truncatingIfNeeded: words[3 * index + 2] >> 32),
                run: UInt32(truncatingIfNeeded: words[3 * index + 2]))
        }
    }
}

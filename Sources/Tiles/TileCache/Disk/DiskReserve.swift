import Files
import Glibc
import Synchronization

/// Keeps some disk space for the time when the file system is full. Removing tiles from a database needs free space,
/// which the reserve provides on a full disk. The reserve is a file beside the database. The file has spare bytes,
/// which are given up when the database needs space. The file also has a record of clears that the database could not
/// store.
///
/// The record has two slots. Each write replaces the older slot, so an interrupted write leaves the newer slot intact.
/// A slot begins with the number of the write, the length of its text, and a checksum of both and the text. Each is a
/// little-endian number of eight bytes. The text follows.
///
/// This is a class because it owns the file descriptor. Thread rule: any thread, and each call blocks. Only the holder
/// of the database's lock may use it.
final class DiskReserve: Sendable {
    static let suffix = ".reserve"
    /// Size of a slot in bytes.
    static let slotBytes = 32 << 10
    static let textBytes = slotBytes - headBytes
    /// Bytes that are never given up.
    static let recordBytes = 2 * slotBytes
    private static let headBytes = 24
    /// The spare part of the file grows to a multiple of this many bytes.
    private static let grain = 64 << 10

    private struct State {
        var descriptor: Int32?
        /// The number of the last write.
        var sequence: Int64 = 0
    }

    private let path: String
    private let state = Mutex(State())

    /// `path` is the path of the database.
    init(database path: String) {
        self.path = path + Self.suffix
    }

    deinit {
        close()
    }

    // MARK: Record

    /// Returns the text of the last write. Nil if neither slot is intact, or if the file cannot be opened.
    func read() -> String? {
        state.withLock { state in
            guard let file = opened(&state) else { return nil }
            let slots = (0..<2).compactMap { Self.slot($0, of: file) }
            guard let last = slots.max(by: { $0.sequence < $1.sequence }) else { return nil }
            state.sequence = last.sequence
            return last.text
        }
    }

    /// Returns the text of the last write in the record of the database at `path`. Nil if no slot is intact, or if the
    /// file cannot be read. Does not need the database's lock.
    static func text(of path: String) -> String? {
        let file = open(path + suffix, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { Glibc.close(file) }
        return (0..<2).compactMap { slot($0, of: file) }.max { $0.sequence < $1.sequence }?.text
    }

    /// Replaces the text of the record. The text survives a power cut. Returns false if the write fails or the text is
    /// too long.
    func write(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.textBytes else { return false }
        return state.withLock { state in
            guard let file = opened(&state) else { return false }
            let sequence = state.sequence &+ 1
            let head = [sequence, Int64(bytes.count), Self.sum(sequence, text)]
            let slot = head.flatMap { number in withUnsafeBytes(of: number.littleEndian) { Array($0) } } + bytes
            let start = Int(sequence & 1) * Self.slotBytes
            guard pwrite(file, slot, slot.count, off_t(start)) == slot.count, fdatasync(file) == 0 else { return false }
            state.sequence = sequence
            return true
        }
    }

    private static func slot(_ number: Int, of file: Int32) -> (sequence: Int64, text: String)? {
        var bytes = [UInt8](repeating: 0, count: slotBytes)
        guard pread(file, &bytes, slotBytes, off_t(number * slotBytes)) == slotBytes else { return nil }
        let head = bytes.withUnsafeBytes { bytes in
            (0..<3).map { Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self)) }
        }
        guard (0...Int64(textBytes)).contains(head[1]) else { return nil }
        let text = String(decoding: bytes[headBytes..<headBytes + Int(head[1])], as: UTF8.self)
        return sum(head[0], text) == head[2] ? (head[0], text) : nil
    }

    private static func sum(_ sequence: Int64, _ text: String) -> Int64 {
        var sum = RowChecksum()
        sum.add(sequence)
        sum.add(text)
        return sum.value
    }

    /// Reports whether a store or no program has written the file. In that case at least one slot is intact or all
    /// zeros, and only zeros follow the slots.
    static func isOwn(_ file: Int32) -> Bool {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_size <= mostBytes else { return false }
        // An interrupted start leaves a shorter file of zeros.
        guard status.st_size >= recordBytes else { return isZero(file, 0, Int(status.st_size)) }
        let isSlotOwn = (0..<2).contains { slot($0, of: file) != nil || isZero(file, $0 * slotBytes, slotBytes) }
        return isSlotOwn && isZero(file, recordBytes, Int(status.st_size) - recordBytes)
    }

    /// Maximum bytes of a file that counts as a reserve.
    private static let mostBytes = 64 << 20

    /// Reports whether the `count` bytes from `start` are zeros. Bytes beyond the end of the file count as zeros.
    private static func isZero(_ file: Int32, _ start: Int, _ count: Int) -> Bool {
        var bytes = [UInt8](repeating: 0, count: grain)
        for offset in stride(from: 0, to: count, by: grain) {
            let found = pread(file, &bytes, min(grain, count - offset), off_t(start + offset))
            guard found > 0 else { return found == 0 }
            if bytes[..<found].contains(where: { $0 != 0 }) { return false }
        }
        return true
    }

    // MARK: Space

    /// Bytes that can be given up.
    var spare: Int {
        state.withLock { state in
            guard let file = state.descriptor, DiskFile.isSame(file, path) else { return 0 }
            var status = stat()
            return fstat(file, &status) == 0 ? max(Int(status.st_size) - Self.recordBytes, 0) : 0
        }
    }

    /// Gives up the bytes beyond `bytes`.
    func shrink(to bytes: Int) {
        guard spare > bytes else { return }
        state.withLock { state in
            if let file = state.descriptor { ftruncate(file, off_t(Self.recordBytes + bytes)) }
        }
    }

    /// Allocates disk space until the reserve has about `bytes` spare bytes. If this fails, keeps the former size and
    /// returns false.
    @discardableResult
    func take(_ bytes: Int) -> Bool {
        let target = bytes / Self.grain * Self.grain
        let had = spare
        guard had < target else { return true }
        return state.withLock { state in
            guard let file = opened(&state) else { return false }
            if posix_fallocate(file, 0, off_t(Self.recordBytes + target)) == 0 { return true }
            // A failed call may have allocated a part of the space. Release that part.
            ftruncate(file, off_t(Self.recordBytes + had))
            return false
        }
    }

    /// Gives up all bytes except the record. Returns their number.
    func giveUp() -> Int {
        let bytes = spare
        return state.withLock { state in
            guard bytes > 0, let file = state.descriptor else { return 0 }
            return ftruncate(file, off_t(Self.recordBytes)) == 0 ? bytes : 0
        }
    }

    // MARK: File

    func close() {
        state.withLock { state in
            if let file = state.descriptor.take() { Glibc.close(file) }
        }
    }

    /// Returns the open file of the reserve. Creates the file if it is missing. A file that was deleted while it was
    /// open also counts as missing, because its content would be lost.
    private func opened(_ state: inout State) -> Int32? {
        if let file = state.descriptor {
            if DiskFile.isSame(file, path) { return file }
            Glibc.close(file)
            state.descriptor = nil
        }
        let file = open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { return nil }
        guard prepare(file) else {
            Glibc.close(file)
            return nil
        }
        state.descriptor = file
        return file
    }

    /// Makes sure that the file has the space of the record. Fills a shorter file with zeros, so that a later write of
    /// the record does not need free space. Returns false if this fails, or if the file is not a regular file.
    private func prepare(_ file: Int32) -> Bool {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        guard status.st_size < Self.recordBytes else { return true }
        let zeros = [UInt8](repeating: 0, count: Self.recordBytes)
        guard pwrite(file, zeros, zeros.count, 0) == zeros.count, fsync(file) == 0 else {
            ftruncate(file, 0)
            return false
        }
        syncDirectory(of: path)
        return true
    }
}

import CXXHash
import Files
import Synchronization

/// Limits the bytes of font files in memory. Thread rule: any thread.
final class FontAllowance: Sendable {
    let most: Int
    private let used = Atomic(0)

    init(bytes: Int) {
        most = bytes
    }

    /// Counts `bytes` more bytes. Returns false, and counts nothing, if they exceed the limit.
    func take(_ bytes: Int) -> Bool {
        if used.add(bytes, ordering: .relaxed).newValue <= most { return true }
        giveBack(bytes)
        return false
    }

    func giveBack(_ bytes: Int) { used.subtract(bytes, ordering: .relaxed) }

    var bytes: Int { used.load(ordering: .relaxed) }
}

/// The bytes of a font file in memory. Frees the bytes and returns them to the allowance at the end.
final class FontBytes: Sendable {
    // nonisolated(unsafe): nobody writes to the bytes after `init`.
    nonisolated(unsafe) let buffer: UnsafeRawBufferPointer
    private let allowance: FontAllowance?

    /// Bytes that stay valid until the process ends.
    init(constant buffer: UnsafeRawBufferPointer) {
        (self.buffer, allowance) = (buffer, nil)
    }

    /// Memory that was allocated and counted in `allowance`.
    private init(owned buffer: UnsafeRawBufferPointer, _ allowance: FontAllowance) {
        (self.buffer, self.allowance) = (buffer, allowance)
    }

    /// Reads the file at `path`. Throws if it cannot be read, or if its bytes exceed the allowance. Blocks.
    static func read(_ path: String, _ allowance: FontAllowance) throws(FontError) -> FontBytes {
        do throws(FileError) {
            let file = try RegularFile(path)
            let size = Int(clamping: file.status.st_size)
            guard size > 0 else { return FontBytes(constant: UnsafeRawBufferPointer(start: nil, count: 0)) }
            guard allowance.take(size) else { throw .tooLarge(limit: allowance.most) }
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
            let bytes = FontBytes(owned: UnsafeRawBufferPointer(memory), allowance)
            let count = try file.read(into: memory)
            // The file may have become shorter.
            UnsafeMutableRawBufferPointer(rebasing: memory[count...]).initializeMemory(as: UInt8.self, repeating: 0)
            return bytes
        } catch {
            if case .tooLarge = error { throw .tooLarge(limit: allowance.most) }
            throw .unreadable("\(error)")
        }
    }

    deinit {
        guard let allowance else { return }
        buffer.deallocate()
        allowance.giveBack(buffer.count)
    }

    /// A hash of the bytes: 32 hexadecimal digits.
    var hash: String {
        let hash = content_hash_of(buffer.baseAddress, buffer.count)
        return [hash.high, hash.low].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

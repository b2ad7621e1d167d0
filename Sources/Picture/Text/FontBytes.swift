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

    /// Adds `bytes` to the count and returns true. Returns false and changes nothing if the sum would exceed the limit.
    func take(_ bytes: Int) -> Bool {
        var current = used.load(ordering: .relaxed)
        while bytes <= most - current {
            let result = used.compareExchange(expected: current, desired: current + bytes, ordering: .relaxed)
            if result.exchanged { return true }
            current = result.original
        }
        return false
    }

    func giveBack(_ bytes: Int) { used.subtract(bytes, ordering: .relaxed) }

    var bytes: Int { used.load(ordering: .relaxed) }
}

/// A font file in memory. `deinit` frees the memory and gives its bytes back to the allowance.
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
        let size: Int
        do throws(FileError) {
            let file = try RegularFile(path)
            size = Int(clamping: file.status.st_size)
            guard size > 0 else { return FontBytes(constant: UnsafeRawBufferPointer(start: nil, count: 0)) }
            if allowance.take(size) {
                let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
                let bytes = FontBytes(owned: UnsafeRawBufferPointer(memory), allowance)
                let count = try file.read(into: memory)
                // The file may have become shorter.
                UnsafeMutableRawBufferPointer(rebasing: memory[count...]).initializeMemory(
                    as: UInt8.self, repeating: 0)
                return bytes
            }
        } catch {
            throw .unreadable("\(error)")
        }
        throw .tooLarge(bytes: size, limit: allowance.most)
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

import CXXHash
import Files
import Synchronization

/// A limit for the bytes of all open font files together, which many `FontBytes` share. A file that would exceed the
/// limit is not loaded. Thread rule: any thread.
final class FontAllowance: Sendable {
    let most: Int
    private let used = Atomic(0)

    init(bytes: Int) {
        most = bytes
    }

    /// Adds `bytes` to the used bytes and returns true. If the sum would exceed the limit, returns false and adds
    /// nothing.
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

/// The content of a font file in memory. `deinit` frees the memory and subtracts its bytes from the used bytes of the
/// `FontAllowance`.
final class FontBytes: Sendable {
    // nonisolated(unsafe): no code writes to the memory after `init`.
    nonisolated(unsafe) let buffer: UnsafeRawBufferPointer
    private let allowance: FontAllowance?

    /// Makes an object for memory that stays valid until the process ends. This memory is not counted and not freed.
    init(constant buffer: UnsafeRawBufferPointer) {
        (self.buffer, allowance) = (buffer, nil)
    }

    /// Takes over memory that was allocated, and whose bytes were added to `allowance`.
    private init(owned buffer: UnsafeRawBufferPointer, _ allowance: FontAllowance) {
        (self.buffer, self.allowance) = (buffer, allowance)
    }

    /// Reads the file at `path`. Throws if the file cannot be read, or if its bytes would exceed `allowance`. Blocks.
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
                // The file may have become shorter since its size was read. The rest of the memory is filled with
                // zeros.
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

    /// A hash of the file's content, as 32 hexadecimal digits.
    var hash: String {
        let hash = content_hash_of(buffer.baseAddress, buffer.count)
        return [hash.high, hash.low].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

import Bytes

/// Collects a body whose length is only claimed. A class to own one allocation until it becomes a `SharedBytes`.
///
/// Thread rule: one reactor's queue.
final class BodyBuffer {
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var count = 0

    deinit {
        storage.deallocate()
    }

    /// Reserves room for a body that claims `length` bytes. The system gives real memory only as bytes come.
    func reserve(_ length: Int) {
        if length > storage.count { grow(to: length) }
    }

    /// Appends; false, and nothing taken, if the body would pass `limit` bytes.
    func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
        guard bytes.count <= limit - count else { return false }
        let needed = count + bytes.count
        if needed > storage.count { grow(to: min(max(needed, storage.count * 2), limit)) }
        UnsafeMutableRawBufferPointer(rebasing: storage[count..<needed]).copyMemory(from: bytes)
        count = needed
        return true
    }

    /// Gives the bytes away, without a copy where little of the room is empty; the buffer is empty after it.
    func take() -> SharedBytes {
        defer { discard() }
        guard count > 0 else { return .empty }
        guard storage.count - count <= count / 8 else {
            return SharedBytes(UnsafeRawBufferPointer(rebasing: storage[..<count]))
        }
        let bytes = SharedBytes(adopting: storage, count: count)
        storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        return bytes
    }

    /// Forgets the bytes.
    func discard() {
        storage.deallocate()
        storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        count = 0
    }

    private func grow(to capacity: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        storage.deallocate()
        storage = larger
    }
}

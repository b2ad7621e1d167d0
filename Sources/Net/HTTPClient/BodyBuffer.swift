import Bytes
import Runtime

/// Collects the body of an upstream's response while it arrives. The length in the response's head may be wrong, so
/// every byte is checked against the limit. A class because it owns the memory, until `take` passes it on as a
/// `SharedBytes`.
///
/// The memory budget counts a body over 16 KiB while it is in this buffer. It counts a body over 64 KiB also later,
/// while its `SharedBytes` exists and nothing else counts it (`HeldBytes`).
///
/// Thread rule: one reactor's queue.
final class BodyBuffer {
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var count = 0
    private let memory: MemoryBudget
    private var reservation: MemoryReservation?

    /// Maximum bytes of a body that is not counted, as for many tiles. The number of requests limits their total.
    private static let uncounted = 16_384
    /// Bytes that libcurl needs for a transfer, mainly for its receive buffer.
    private static let overhead = 49_152
    /// The budget, which has a lock, is updated in steps of this many bytes.
    private static let step = 65_536

    enum Outcome {
        case taken
        /// The body would exceed its limit. Nothing was taken.
        case tooLarge
        /// There is no room in memory. Nothing was taken.
        case noMemory
    }

    init(memory: MemoryBudget) {
        self.memory = memory
    }

    deinit {
        discard()
    }

    /// Reserves room for a body that claims `length` bytes. Returns false and reserves nothing if there is no room. The
    /// whole length is reserved at once: bodies that grow side by side would take each other's room, and all could
    /// fail. The system normally provides real memory only when bytes arrive.
    func reserve(_ length: Int) -> Bool {
        guard length > storage.count else { return true }
        guard hasRoom(for: length) else { return false }
        grow(to: length)
        return true
    }

    /// Appends `bytes`, unless the body would exceed `limit` bytes.
    func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Outcome {
        guard bytes.count <= limit - count else { return .tooLarge }
        let needed = count + bytes.count
        guard hasRoom(for: needed) else { return .noMemory }
        if needed > storage.count { grow(to: min(max(needed, storage.count * 2), limit)) }
        UnsafeMutableRawBufferPointer(rebasing: storage[count..<needed]).copyMemory(from: bytes)
        count = needed
        return .taken
    }

    /// Returns the bytes and empties the buffer. Normally the bytes are not copied. They are copied into smaller memory
    /// if the unused part of the buffer is larger than an eighth of the body.
    func take() -> SharedBytes {
        defer { discard() }
        guard count > 0 else { return .empty }
        let bytes: SharedBytes
        if storage.count - count <= count / 8 {
            bytes = SharedBytes(adopting: storage, count: count)
            storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        } else {
            bytes = SharedBytes(UnsafeRawBufferPointer(rebasing: storage[..<count]))
        }
        if let reservation, count > HeldBytes.uncounted {
            bytes.keep(HeldBytes(count, in: reservation))
            self.reservation = nil
        }
        return bytes
    }

    /// Drops the bytes.
    func discard() {
        storage.deallocate()
        storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        count = 0
        reservation = nil
    }

    /// Grows the reservation, in steps, to at least `needed` bytes. A body of at most `uncounted` bytes needs no
    /// reservation. Returns false if there is no room.
    private func hasRoom(for needed: Int) -> Bool {
        guard needed > Self.uncounted else { return true }
        let wanted = (needed + Self.overhead + Self.step - 1) / Self.step * Self.step
        guard let reservation else {
            reservation = memory.reservation(of: wanted, for: .encodedTiles)
            return reservation != nil
        }
        return wanted <= reservation.bytes || reservation.resize(to: wanted)
    }

    private func grow(to capacity: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        storage.deallocate()
        storage = larger
    }
}

import Bytes
import Runtime

/// Collects a body whose length is only claimed. A class to own one allocation until it becomes a `SharedBytes`.
///
/// Large bodies are counted in the budget of memory, for as long as they are here and the `SharedBytes` after that.
///
/// Thread rule: one reactor's queue.
final class BodyBuffer {
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var count = 0
    private let memory: MemoryBudget
    private var reservation: MemoryReservation?

    /// Many tiles are no larger, and are not worth a count: so few bytes of each request under way are bounded by their number.
    private static let uncounted = 16_384
    /// What libcurl keeps for a transfer besides, its receive buffer above all.
    private static let overhead = 49_152
    /// The budget, which others share, is told in steps of so many bytes.
    private static let step = 65_536

    enum Outcome {
        case taken
        /// The body would pass its limit; nothing was taken.
        case tooLarge
        /// There is no room for it in memory; nothing was taken.
        case noMemory
    }

    init(memory: MemoryBudget) {
        self.memory = memory
    }

    deinit {
        discard()
    }

    /// Reserves room for a body that claims `length` bytes, in one piece: bodies that come side by side would take the room from
    /// each other, and none would be complete. False where there is no room; nothing was reserved. The system gives real memory
    /// only as bytes come.
    func reserve(_ length: Int) -> Bool {
        guard length > storage.count else { return true }
        guard hasRoom(for: length) else { return false }
        grow(to: length)
        return true
    }

    /// Appends `bytes`, unless the body would pass `limit` bytes.
    func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Outcome {
        guard bytes.count <= limit - count else { return .tooLarge }
        let needed = count + bytes.count
        guard hasRoom(for: needed) else { return .noMemory }
        if needed > storage.count { grow(to: min(max(needed, storage.count * 2), limit)) }
        UnsafeMutableRawBufferPointer(rebasing: storage[count..<needed]).copyMemory(from: bytes)
        count = needed
        return .taken
    }

    /// Gives the bytes away, without a copy where little of the room is empty; the buffer is empty after it.
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

    /// Forgets the bytes.
    func discard() {
        storage.deallocate()
        storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        count = 0
        reservation = nil
    }

    /// Counts steps until they hold `needed` bytes.
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

import Synchronization

/// The count of one encoded tile in a budget, from when its bytes are there until they are freed.
///
/// A tile's bytes outlive the step that made them: they wait for other tiles of the same map, for a turn and for memory. So they
/// own their count. A cache that counts what it keeps says when it has them.
///
/// A class to give the count back. Thread rule: any thread.
public final class HeldBytes: Sendable {
    private let reservation: MemoryReservation
    private let bytes: Int
    /// How many count the bytes elsewhere: below 0 for a moment where one ends before it is known to have begun.
    private let others = Mutex(0)

    /// Tiles of so few bytes are not worth a count: most are no larger.
    public static let uncounted = 65_536

    /// Takes over `reservation`, which is for `.encodedTiles`, for `bytes`, which are no more than are reserved.
    public init(_ bytes: Int, in reservation: MemoryReservation) {
        _ = reservation.resize(to: bytes)
        self.bytes = bytes
        self.reservation = reservation
    }

    /// From here on somebody else counts the bytes, until `endOtherCount`.
    public func beginOtherCount() {
        others.withLock { others in
            others += 1
            if others == 1 { reservation.release() }
        }
    }

    /// The bytes count here again, if they are not freed first.
    public func endOtherCount() {
        others.withLock { others in
            others -= 1
            if others == 0 { reservation.restore(bytes) }
        }
    }
}

extension MemoryBudget {
    /// The count of an encoded tile of `bytes`, whose bytes are there already, whether or not there is room.
    public func holding(_ bytes: Int) -> HeldBytes {
        add(bytes, for: .encodedTiles)
        return HeldBytes(bytes, in: MemoryReservation(bytes, for: .encodedTiles, of: self))
    }
}

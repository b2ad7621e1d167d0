/// A tile of the Web Mercator pyramid: zoom `z` in [0, 30], column `x` and row `y` in [0, 2^z).
///
/// (0, 0) is the north-west tile; x grows eastwards, y grows southwards (docs/spec/model.md 2).
public struct TileCoordinate: Hashable, Sendable {
    // Kept in half the width: caches hold many of them, and 30 bits are enough.
    @usableFromInline let zoom: UInt32
    @usableFromInline let column: UInt32
    @usableFromInline let row: UInt32

    /// The zoom, in [0, 30].
    @inlinable public var z: Int { Int(zoom) }
    /// The column, counted from the west; in [0, 2^z).
    @inlinable public var x: Int { Int(column) }
    /// The row, counted from the north; in [0, 2^z).
    @inlinable public var y: Int { Int(row) }

    /// The deepest zoom the pyramid has.
    public static let maxZoom = 30

    /// Nil unless 0 <= z <= 30 and 0 <= x, y < 2^z.
    @inlinable
    public init?(z: Int, x: Int, y: Int) {
        guard z >= 0, z <= Self.maxZoom, x >= 0, y >= 0, x < 1 << z, y < 1 << z else { return nil }
        zoom = UInt32(truncatingIfNeeded: z)
        column = UInt32(truncatingIfNeeded: x)
        row = UInt32(truncatingIfNeeded: y)
    }
}

extension TileCoordinate: CustomStringConvertible {
    /// `z/x/y`, as in a path.
    public var description: String {
        // Each cached tile has it in its field lines: written from its end, for which 2 + 10 + 10 digits and two slashes are room.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { text in
            var start = text.count
            func prepend(_ byte: UInt8) {
                start -= 1
                text[start] = byte
            }
            func prepend(_ number: UInt32) {
                var rest = number
                repeat {
                    prepend(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                    rest /= 10
                } while rest > 0
            }
            prepend(row)
            prepend(UInt8(ascii: "/"))
            prepend(column)
            prepend(UInt8(ascii: "/"))
            prepend(zoom)
            return String(decoding: text[start...], as: UTF8.self)
        }
    }
}

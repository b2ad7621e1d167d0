import Foundation

/// The position of a tile in the grid of Web Mercator tiles (docs/spec/model.md 2).
///
/// The zoom `z` is in [0, 30]. The column `x` and the row `y` are in [0, 2^z). (0, 0) is the north-west tile. x grows
/// eastwards and y southwards.
public struct TileCoordinate: Hashable, Sendable {
    // The numbers are stored in 32 bits: caches hold many coordinates, and 30 bits are enough.
    @usableFromInline let zoom: UInt32
    @usableFromInline let column: UInt32
    @usableFromInline let row: UInt32

    /// The zoom, in [0, 30].
    @inlinable public var z: Int { Int(zoom) }
    /// The column, counted from the west; in [0, 2^z).
    @inlinable public var x: Int { Int(column) }
    /// The row, counted from the north; in [0, 2^z).
    @inlinable public var y: Int { Int(row) }

    /// The deepest zoom of the pyramid.
    public static let maxZoom = 30

    /// Creates a tile coordinate. Returns nil unless 0 <= z <= 30 and 0 <= x, y < 2^z.
    @inlinable
    public init?(z: Int, x: Int, y: Int) {
        guard z >= 0, z <= Self.maxZoom, x >= 0, y >= 0, x < 1 << z, y < 1 << z else { return nil }
        zoom = UInt32(truncatingIfNeeded: z)
        column = UInt32(truncatingIfNeeded: x)
        row = UInt32(truncatingIfNeeded: y)
    }

    /// Creates a tile coordinate with each number clamped to its range. Use this for numbers that are in range by their
    /// construction.
    package init(clampingZ z: Int, x: Int, y: Int) {
        zoom = UInt32(min(max(z, 0), Self.maxZoom))
        let last = (1 << Int(zoom)) - 1
        column = UInt32(min(max(x, 0), last))
        row = UInt32(min(max(y, 0), last))
    }

    /// The number of tiles per row and per column at this zoom: 2^z.
    public var span: Int { 1 << z }

    /// Creates the coordinate of the tile of zoom `z` that contains `coordinate`. Longitudes wrap. Latitudes beyond the
    /// world belong to its outermost rows. Returns nil unless `z` is in 0…30.
    public init?(containing coordinate: Coordinate, z: Int) {
        guard (0...Self.maxZoom).contains(z) else { return nil }
        let point = Mercator.project(coordinate)
        let span = Double(1 << z)
        let column = ((point.x - point.x.rounded(.down)) * span).rounded(.down)
        let row = (point.y * span).rounded(.down)
        self.init(z: z, x: Int(min(column, span - 1)), y: Int(min(row, span - 1)))
    }

    /// The position of the north-west corner in the world.
    public var northWest: WorldPoint {
        WorldPoint(x: Double(x) / Double(span), y: Double(y) / Double(span))
    }

    /// The edges in degrees (docs/spec/model.md 2.1).
    public var bounds: GeographicBox {
        let span = Double(span)
        return GeographicBox(
            validWest: 360 * Double(x) / span - 180, south: Mercator.latitude(atY: (Double(y) + 1) / span),
            east: 360 * (Double(x) + 1) / span - 180, north: Mercator.latitude(atY: Double(y) / span))
    }

    /// The edges in metres of EPSG:3857, as the placeholder `{bbox-epsg-3857}` needs them.
    public var metres: MercatorBox {
        let half = Double.pi * Mercator.sphereRadius
        let side = 2 * half / Double(span)
        return MercatorBox(
            minX: Double(x) * side - half, minY: half - (Double(y) + 1) * side,
            maxX: (Double(x) + 1) * side - half, maxY: half - Double(y) * side)
    }

    /// The row counted from the south, as in TMS.
    public var tmsRow: Int { span - 1 - y }

    /// The quadkey: one digit of 0…3 per zoom level, coarsest level first. The quadkey is empty at zoom 0.
    public var quadkey: String {
        let digits = (0..<z).reversed().map { level in
            UInt8(ascii: "0") + UInt8(x >> level & 1) + UInt8(y >> level & 1) * 2
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Returns the tile of zoom `zoom` that covers this tile. Returns nil unless `zoom` is in 0…z.
    public func ancestor(atZoom zoom: Int) -> TileCoordinate? {
        guard zoom >= 0, zoom <= z else { return nil }
        let levels = z - zoom
        return TileCoordinate(z: zoom, x: x >> levels, y: y >> levels)
    }

    /// Returns the part that this tile covers in its ancestor at `zoom`. Returns nil unless `zoom` is in 0…z.
    package func cell(inAncestorAtZoom zoom: Int) -> OverzoomCell? {
        guard let ancestor = ancestor(atZoom: zoom) else { return nil }
        let count = 1 << (z - zoom)
        return OverzoomCell(ancestor: ancestor, count: count, column: x & (count - 1), row: y & (count - 1))
    }
}

extension TileCoordinate: CustomStringConvertible {
    /// The text `z/x/y`, as in a URL path.
    public var description: String {
        // The function must be fast, because each cached tile has the text in its header fields. It writes the digits
        // from the last to the first. The buffer has room for 2 + 10 + 10 digits and two slashes.
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

/// One of the `count` × `count` equal parts of a coarser tile that replaces a missing finer tile.
package struct OverzoomCell: Hashable, Sendable {
    /// The coarser tile.
    package let ancestor: TileCoordinate
    /// The number of parts per side, a power of two.
    package let count: Int
    /// The column of the part, counted from the west, in [0, count).
    package let column: Int
    /// The row of the part, counted from the north, in [0, count).
    package let row: Int
}

/// A box in metres of EPSG:3857. The origin is at latitude and longitude 0; x grows eastwards and y northwards.
public struct MercatorBox: Hashable, Sendable {
    /// The western edge.
    public let minX: Double
    /// The southern edge.
    public let minY: Double
    /// The eastern edge.
    public let maxX: Double
    /// The northern edge.
    public let maxY: Double
}

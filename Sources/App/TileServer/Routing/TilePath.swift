import Bytes
import Glibc
import MapGeometry
import Raster

/// Splits a tile path `/{layer}/{z}/{x}/{y}[@{s}x][.{format}]` into its four segments, without allocating memory.
struct TilePath {
    let layer: UnsafeRawBufferPointer
    let z: UnsafeRawBufferPointer
    let x: UnsafeRawBufferPointer
    let last: UnsafeRawBufferPointer

    /// Splits `path`. Nil unless it has exactly four segments. The segments are not decoded.
    init?(_ path: UnsafeRawBufferPointer) {
        guard let first = Self.slash(path, from: 1), let second = Self.slash(path, from: first + 1),
            let third = Self.slash(path, from: second + 1), Self.slash(path, from: third + 1) == nil
        else { return nil }
        layer = UnsafeRawBufferPointer(rebasing: path[1..<first])
        z = UnsafeRawBufferPointer(rebasing: path[first + 1..<second])
        x = UnsafeRawBufferPointer(rebasing: path[second + 1..<third])
        last = UnsafeRawBufferPointer(rebasing: path[third + 1..<path.count])
    }

    init(
        _ layer: UnsafeRawBufferPointer, z: UnsafeRawBufferPointer, x: UnsafeRawBufferPointer,
        last: UnsafeRawBufferPointer
    ) {
        self.layer = layer
        self.z = z
        self.x = x
        self.last = last
    }

    private static func slash(_ path: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = path.baseAddress, start < path.count else { return nil }
        guard let found = memchr(base + start, Int32(ASCII.slash), path.count - start) else { return nil }
        return UnsafeRawPointer(found) - base
    }
}

/// The tile that a path names: its coordinate, scale and format. The parts are checked in the order of
/// docs/spec/model.md 4.2.
struct TileAddress {
    let coordinate: TileCoordinate
    var scale: Int
    /// The format that the suffix names. Nil if the suffix names none: the layer and the client's `Accept` decide.
    let form: ImageForm?
    /// True if the column differs from the path, because the layer wraps around the world.
    let isWrapped: Bool

    enum ParsingError: Error {
        case coordinate, suffix, scale
    }

    /// Makes the address of the tile at `coordinate`.
    init(_ coordinate: TileCoordinate, scale: Int, form: ImageForm?) {
        (self.coordinate, self.scale, self.form, isWrapped) = (coordinate, scale, form, false)
    }

    /// Reads a path. With `wraps`, a column outside [0, 2^z), also a negative one, names the tile at that place in a
    /// repeating world.
    init(_ path: TilePath, wraps: Bool) throws(ParsingError) {
        let end = path.last.firstIndex { !ASCII.isDigit($0) } ?? path.last.count
        let row = UnsafeRawBufferPointer(rebasing: path.last[..<end])
        (coordinate, isWrapped) = try Self.coordinate(path, row: row, wraps: wraps)
        (scale, form) = try Self.parse(suffix: UnsafeRawBufferPointer(rebasing: path.last[end...]))
    }

    /// Returns the coordinate of a tile path. `row` is the last segment without a suffix. If `wraps` is true, a column
    /// outside the world is moved into the world by whole turns. `isWrapped` is true if the column was moved.
    static func coordinate(
        _ path: TilePath, row: UnsafeRawBufferPointer, wraps: Bool
    ) throws(ParsingError) -> (coordinate: TileCoordinate, isWrapped: Bool) {
        guard let z = ASCII.canonicalDecimal(path.z), z <= TileCoordinate.maxZoom, let y = ASCII.canonicalDecimal(row)
        else { throw .coordinate }
        let count = 1 << z
        var x = ASCII.canonicalDecimal(path.x)
        if x == nil, wraps, path.x.first == UInt8(ascii: "-") {
            x = ASCII.canonicalDecimal(path.x.dropFirst()).map { -$0 }
        }
        guard let x else { throw .coordinate }
        let column = wraps ? ((x % count) + count) % count : x
        guard let coordinate = TileCoordinate(z: z, x: column, y: y) else { throw .coordinate }
        return (coordinate, column != x)
    }

    /// Reads the suffix `[@{s}x][.{format}]`.
    private static func parse(suffix: UnsafeRawBufferPointer) throws(ParsingError) -> (Int, ImageForm?) {
        guard suffix.first == UInt8(ascii: "@") else { return (1, try form(suffix)) }
        guard suffix.count >= 3, ASCII.isDigit(suffix[1]), suffix[2] == UInt8(ascii: "x") else { throw .suffix }
        let scale = Int(suffix[1] - ASCII.zero)
        guard (1...4).contains(scale) else { throw .scale }
        return (scale, try form(UnsafeRawBufferPointer(rebasing: suffix[3...])))
    }

    /// Reads the format. Nil if `text` is empty.
    private static func form(_ text: UnsafeRawBufferPointer) throws(ParsingError) -> ImageForm? {
        if text.isEmpty { return nil }
        guard text[0] == UInt8(ascii: "."), let form = ImageForm(suffix: UnsafeRawBufferPointer(rebasing: text[1...]))
        else { throw .suffix }
        return form
    }
}

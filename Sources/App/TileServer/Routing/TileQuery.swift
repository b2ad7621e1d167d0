import Bytes
import Configuration
import HTTPServer

/// The parameters in the query of a tile request: `empty` and `v`. Other parameters are ignored and never become part
/// of a cache key.
struct TileQuery {
    /// The response for a missing tile. Nil: the layer decides.
    var empty: LayerSettings.NoTile?
    /// True if an enlarged part of a tile above replaces a missing tile.
    var overzooms = false
    /// The generation of the layer in the URL.
    var generation: Int?
    /// True if `empty` has an unknown value.
    var hasUnknownEmpty = false

    init(_ query: UnsafeRawBufferPointer?) {
        guard let query else { return }
        var start = 0
        var isEncoded = false
        for index in 0...query.count {
            if index == query.count || query[index] == UInt8(ascii: "&") {
                let pair = UnsafeRawBufferPointer(rebasing: query[start..<index])
                if isEncoded { note(encoded: pair) } else { note(pair) }
                start = index + 1
                isEncoded = false
            } else if query[index] == UInt8(ascii: "%") {
                isEncoded = true
            }
        }
    }

    private mutating func note(_ pair: UnsafeRawBufferPointer) {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return }
        note(
            UnsafeRawBufferPointer(rebasing: pair[..<equals]), UnsafeRawBufferPointer(rebasing: pair[(equals + 1)...]))
    }

    /// An encoded equals sign is part of the name or the value. A pair that cannot be decoded is used unchanged.
    private mutating func note(encoded pair: UnsafeRawBufferPointer) {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
            var name = PathSegments.decoded(UnsafeRawBufferPointer(rebasing: pair[..<equals])),
            var value = PathSegments.decoded(UnsafeRawBufferPointer(rebasing: pair[(equals + 1)...]))
        else { return note(pair) }
        name.withUTF8 { name in
            value.withUTF8 { note(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer($0)) }
        }
    }

    private mutating func note(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if name.equals("v") {
            generation = ASCII.canonicalDecimal(value)
        } else if name.equals("empty") {
            empty = LayerSettings.NoTile.allCases.first { $0.rawValue.utf8.elementsEqual(value) }
            overzooms = value.equals("overzoom")
            hasUnknownEmpty = empty == nil && !overzooms
        }
    }
}

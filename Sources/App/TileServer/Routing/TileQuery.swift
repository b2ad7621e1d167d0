import Bytes
import Configuration
import HTTPServer

/// What the query of a tile request may say: `empty` and `v`. Everything else is ignored and never part of a key.
struct TileQuery {
    /// What to answer where there is no tile; nil: as the layer says.
    var empty: LayerSettings.NoTile?
    /// Where there is no tile, one above is to stand in for it.
    var overzooms = false
    /// The generation the client believes the layer to have.
    var generation: Int?
    /// `empty` has a value that means nothing.
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

    /// An encoded equals sign is part of the name or the value, and what cannot be decoded stays as it is.
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

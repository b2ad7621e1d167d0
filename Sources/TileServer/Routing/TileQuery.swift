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
        for index in 0...query.count where index == query.count || query[index] == UInt8(ascii: "&") {
            note(UnsafeRawBufferPointer(rebasing: query[start..<index]))
            start = index + 1
        }
    }

    private mutating func note(_ pair: UnsafeRawBufferPointer) {
        if pair.starts(with: "v=".utf8) {
            generation = ASCII.canonicalDecimal(pair.dropFirst(2))
        } else if pair.starts(with: "empty=".utf8) {
            let value = UnsafeRawBufferPointer(rebasing: pair[6...])
            empty = LayerSettings.NoTile.allCases.first { $0.rawValue.utf8.elementsEqual(value) }
            overzooms = value.equals("overzoom")
            hasUnknownEmpty = empty == nil && !overzooms
        }
    }
}

import Bytes
import Configuration

/// Options that a client can add to the URL of a document. They change the tile URLs in the document.
struct DocumentOptions: Hashable, Sendable {
    /// The response for a missing tile: values of the parameter `empty` of tile requests.
    enum Empty: String, CaseIterable {
        case notFound = "404"
        case noContent = "204"
        case transparent
        case overzoom
    }

    /// The reason why a query is refused.
    enum Fault: Error {
        case scale, empty
    }

    /// Pixels per point. Nil: the best value for the readers of the document.
    var scale: Int?
    /// The response for a missing tile. Nil: the best value for the readers of the document.
    var empty: Empty?

}

extension DocumentOptions {
    /// Reads the options. `scales` are the allowed values of `scale`. Other parameters are ignored, as in tile
    /// requests.
    init(_ query: UnsafeRawBufferPointer?, scales: ClosedRange<Int>) throws(Fault) {
        empty = try Self.empty(query)
        guard let text = QueryParameters(query).texts("scale").last else { return }
        guard let scale = ASCII.canonicalDecimal(text.utf8), scales.contains(scale) else { throw .scale }
        self.scale = scale
    }

    /// Reads the response for missing tiles, with the same rules as in a tile request.
    static func empty(_ query: UnsafeRawBufferPointer?) throws(Fault) -> Empty? {
        let query = TileQuery(query)
        guard !query.hasUnknownEmpty else { throw .empty }
        return query.overzooms ? .overzoom : query.empty.flatMap { Empty(rawValue: $0.rawValue) }
    }
}

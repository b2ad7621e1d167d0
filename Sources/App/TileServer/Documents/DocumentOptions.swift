import Bytes
import Configuration

/// What the query of a request for a document says of the tiles' URLs in it.
struct DocumentOptions: Hashable, Sendable {
    /// What tiles are to be where there is none: values of their own parameter `empty`.
    enum Empty: String, CaseIterable {
        case notFound = "404"
        case noContent = "204"
        case transparent
        case overzoom
    }

    /// Why a query is refused: as that of a tile would be.
    enum Fault: Error {
        case scale, empty
    }

    /// Pixels per point; nil: what suits the document's readers.
    var scale: Int?
    /// Nil: what suits the document's readers.
    var empty: Empty?

}

extension DocumentOptions {
    /// `scales`: those that can be asked for. Other parameters are ignored, as tiles ignore them.
    init(_ query: UnsafeRawBufferPointer?, scales: ClosedRange<Int>) throws(Fault) {
        empty = try Self.empty(query)
        guard let text = QueryParameters(query).texts("scale").last else { return }
        guard let scale = ASCII.canonicalDecimal(text.utf8), scales.contains(scale) else { throw .scale }
        self.scale = scale
    }

    /// What the query says of tiles that are not there, as that of a tile would.
    static func empty(_ query: UnsafeRawBufferPointer?) throws(Fault) -> Empty? {
        let query = TileQuery(query)
        guard !query.hasUnknownEmpty else { throw .empty }
        return query.overzooms ? .overzoom : query.empty.flatMap { Empty(rawValue: $0.rawValue) }
    }
}

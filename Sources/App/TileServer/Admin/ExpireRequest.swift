import HTTPServer
import MapGeometry
import MapService

/// Reads the content of a request to expire tiles. A class, as readers are.
///
/// Thread rule: as `ContentReader`.
final class ExpireListReader: ContentReader, @unchecked Sendable {
    // Invariant behind @unchecked: touched on the connection's reactor only, until the reply takes the list.
    private(set) var list = ExpireList()

    let limit = ExpireList.mostBytes
    var capacity: Int { list.capacity }

    func take(_ bytes: UnsafeRawBufferPointer) {
        list.take(bytes)
    }
}

/// How a list is meant: `zooms=a` or `a-b`, at which the tiles above and below those of the list are meant, and `soft=0`, which removes
/// tiles instead of declaring them stale. Strict, as `PurgeQuery`.
struct ExpireQuery: Sendable, Equatable {
    var zooms: ClosedRange<Int>?
    var isSoft = true

    init(_ query: UnsafeRawBufferPointer?) throws(PurgeQuery.QueryError) {
        for (name, value) in try PurgeQuery.pairs(query, orThrow: .unknownOfList) {
            switch name {
            case "zooms":
                do { zooms = try PurgeQuery.zooms(value) } catch { throw .zooms }
            case "soft": isSoft = try PurgeQuery.flag(value)
            default: throw .unknownOfList
            }
        }
    }
}

extension ExpireList.ListError {
    var problem: Problem {
        switch self {
        case .line(let number):
            Problem(.unprocessableContent, "bad-line", "Line \(number) is not a tile z/x/y; no tile has expired.")
        case .tooManyLines:
            Problem(
                .contentTooLarge, "too-many-lines",
                "The list has more than \(ExpireList.mostLines) tiles; no tile has expired.")
        case .compressed:
            // RFC 7694 3: the field tells that the content coding, not the media type, is unsupported.
            Problem(
                .unsupportedMediaType, "compressed-list",
                "The list is compressed; no tile has expired. Send plain text, for example from gunzip -c.",
                fields: [("Accept-Encoding", "identity")])
        }
    }

    /// The members of the problem that are its own.
    var members: [String: Any] {
        switch self {
        case .line(let number): ["line": number]
        case .tooManyLines: ["lines": ExpireList.mostLines]
        case .compressed: [:]
        }
    }
}

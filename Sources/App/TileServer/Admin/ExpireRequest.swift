import HTTPServer
import MapGeometry
import MapService

/// Reads the content of a request to expire tiles.
///
/// Thread rule: as `ContentReader`.
final class ExpireListReader: ContentReader, @unchecked Sendable {
    // Invariant behind @unchecked: used only on the connection's reactor, until the reply takes the list.
    private(set) var list = ExpireList()

    let limit = ExpireList.mostBytes
    var capacity: Int { list.capacity }

    func take(_ bytes: UnsafeRawBufferPointer) {
        list.take(bytes)
    }
}

/// The query of a request with an expire list, which is a list of outdated tiles. With `zooms=a` or `zooms=a-b`, the
/// tiles of these zooms expire that contain one of the finest listed tiles or lie in one. Expired tiles become stale;
/// with `soft=0` they are removed. Unknown parameters are errors, as in `PurgeQuery`.
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
            // RFC 7694 3: the field shows that the content coding is unsupported, and not the media type.
            Problem(
                .unsupportedMediaType, "compressed-list",
                "The list is compressed; no tile has expired. Send plain text, for example from gunzip -c.",
                fields: [("Accept-Encoding", "identity")])
        }
    }

    /// The additional members of the problem.
    var members: [String: Any] {
        switch self {
        case .line(let number): ["line": number]
        case .tooManyLines: ["lines": ExpireList.mostLines]
        case .compressed: [:]
        }
    }
}

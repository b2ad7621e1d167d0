import Bytes
import Configuration
import MapGeometry
import MapService
import TileCache

/// The query of a clear: the part of a layer that is cleared. `bbox=west,south,east,north` is a box in degrees, and
/// `zoom=a` or `zoom=a-b` selects zooms. With `soft=1`, tiles become stale and are not removed.
///
/// Unknown parameters are errors here, but not in a request for a tile. Otherwise a user who mistypes `bbox` would
/// clear the whole layer.
struct PurgeQuery: Sendable, Equatable {
    var bounds: GeographicBox?
    var zooms: ClosedRange<Int>?
    var isSoft = false

    enum QueryError: Error, Equatable {
        case none, unknown, bbox, zoom, soft
        /// Errors of the parameters of an expire list.
        case unknownOfList, zooms

        var title: String {
            switch self {
            case .none: "Expected no parameters."
            case .unknown: "Expected the parameters bbox, zoom and soft, each at most once."
            case .bbox:
                "Expected bbox as west,south,east,north in degrees, longitudes in -180…180, latitudes in -90…90."
            case .zoom: "Expected zoom as a whole number in 0…30, or as two with a hyphen between, the lower first."
            case .unknownOfList: "Expected the parameters zooms and soft, each at most once."
            case .zooms: "Expected zooms as a whole number in 0…30, or as two with a hyphen between, the lower first."
            case .soft: "Expected soft as 1 or 0."
            }
        }
    }

    /// True if no parameter limits the clear or makes it soft.
    var isWhole: Bool { self == PurgeQuery() }

    /// The tiles to clear.
    var extent: MapService.Extent { isWhole ? .all : .tiles(in: bounds, zooms: zooms, isSoft: isSoft) }

    private init() {}

    init(_ query: UnsafeRawBufferPointer?) throws(QueryError) {
        for (name, value) in try Self.pairs(query, orThrow: .unknown) {
            switch name {
            case "bbox": bounds = try Self.bounds(value)
            case "zoom": zooms = try Self.zooms(value)
            case "soft": isSoft = try Self.flag(value)
            default: throw .unknown
            }
        }
    }

    /// Splits a query into its parameters and decodes their values. Throws `fault` if a parameter appears twice, has no
    /// `=`, or cannot be decoded.
    static func pairs(
        _ query: UnsafeRawBufferPointer?, orThrow fault: QueryError
    ) throws(QueryError) -> [(name: String, value: String)] {
        guard let query, !query.isEmpty else { return [] }
        var pairs: [(name: String, value: String)] = []
        for pair in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(decoding: parts[0], as: UTF8.self)
            guard parts.count == 2, !pairs.contains(where: { $0.name == name }),
                let value = PathSegments.decoded(UnsafeRawBufferPointer(rebasing: parts[1]))
            else { throw fault }
            pairs.append((name, value))
        }
        return pairs
    }

    private static func bounds(_ text: String) throws(QueryError) -> GeographicBox {
        let edges = text.split(separator: ",", omittingEmptySubsequences: false).map { Double(degrees: $0) }
        guard edges.count == 4, let west = edges[0], let south = edges[1], let east = edges[2], let north = edges[3],
            let bounds = GeographicBox(validatingWest: west, south: south, east: east, north: north)
        else { throw .bbox }
        return bounds
    }

    static func zooms(_ text: String) throws(QueryError) -> ClosedRange<Int> {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map {
            ASCII.canonicalDecimal(Array($0.utf8))
        }
        guard let first = ends[0], let last = ends.count == 2 ? ends[1] : first, ends.count <= 2, first <= last,
            last <= TileCoordinate.maxZoom
        else { throw .zoom }
        return first...last
    }

    static func flag(_ text: String) throws(QueryError) -> Bool {
        switch text {
        case "1", "true": true
        case "0", "false": false
        default: throw .soft
        }
    }
}

extension Double {
    /// Reads a plain decimal number. Rejects exponents, `inf` and hexadecimal numbers.
    fileprivate init?(degrees text: Substring) {
        guard !text.isEmpty, text.utf8.count <= 32,
            text.utf8.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
        else { return nil }
        self.init(String(text))
    }
}

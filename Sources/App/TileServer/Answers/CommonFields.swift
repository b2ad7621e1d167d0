import Bytes
import HTTPServer

/// Header lines that many responses share. Most lines are formatted once, and not again for each response.
enum CommonFields {
    /// Header lines of responses that any page may read. CORS headers are sent with every status, because
    /// otherwise a browser hides errors from the page.
    static let open = open(exposing: exposed)

    /// Header lines of responses to clients that exceed a limit.
    static let limited = open(exposing: exposed + ["RateLimit", "RateLimit-Policy"])

    private static func open(exposing exposed: [String]) -> SharedBytes {
        FieldLines.make(
            [
                ("Access-Control-Allow-Origin", "*"),
                ("Access-Control-Expose-Headers", exposed.joined(separator: ", ")),
                ("Cross-Origin-Resource-Policy", "cross-origin"),
                ("Timing-Allow-Origin", "*"),
                (OwnField.contentTypeOptions.rawValue, "nosniff"),
                ("Accept-Ranges", "none"),
            ])
    }

    /// Headers that a page may read in addition to the standard ones (Fetch 2.2.2).
    private static let exposed =
        ["Age", "Cache-Status", "ETag", "Retry-After", "Server-Timing"] + OwnField.allCases.map(\.rawValue)

    /// Header lines of responses about a tile, with the state of the tile (docs/spec/model.md 4.1).
    static let tile = withStatus("tile")
    static let staleTile = withStatus("stale")
    static let noTile = withStatus("no-tile")

    /// Header lines of a tile whose format was selected by the client's `Accept` (RFC 9110 12.5.5).
    static let negotiatedTile = varying(tile)
    static let staleNegotiatedTile = varying(staleTile)

    private static func varying(_ fields: SharedBytes) -> SharedBytes {
        SharedBytes(fields.array + FieldLines.make([("Vary", "Accept")]).array)
    }

    private static func withStatus(_ status: String) -> SharedBytes {
        SharedBytes(open.array + FieldLines.make([(OwnField.tileStatus.rawValue, status)]).array)
    }

    /// Header lines of the admin routes: pages of other origins may not read them.
    static let admin = FieldLines.make([(OwnField.contentTypeOptions.rawValue, "nosniff")])

    /// Header lines of the response to a preflight request (Fetch 4.8), valid for a day.
    static let preflight = preflight("GET, HEAD, OPTIONS")

    /// Header lines of a preflight response for a route with other `methods`.
    static func preflight(_ methods: String) -> SharedBytes {
        FieldLines.make([
            ("Allow", methods), ("Access-Control-Allow-Methods", methods), ("Access-Control-Allow-Headers", "*"),
            ("Access-Control-Max-Age", "86400"),
        ])
    }
}

import Bytes
import HTTPServer

/// Field lines that whole classes of answers share, made once.
enum CommonFields {
    /// Of every answer that any page may read: CORS on every status, because a browser hides an error without it.
    static let open = open(exposing: exposed)

    /// The same of answers to clients that ask for too much.
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

    /// What a page may read beside the fields that it always may (Fetch 2.2.2).
    private static let exposed =
        ["Age", "Cache-Status", "ETag", "Retry-After", "Server-Timing"] + OwnField.allCases.map(\.rawValue)

    /// Of answers about a tile: what the tile is (docs/spec/model.md 4.1).
    static let tile = withStatus("tile")
    static let staleTile = withStatus("stale")
    static let noTile = withStatus("no-tile")

    /// The same where the format of the tile is what the client's `Accept` led to (RFC 9110 12.5.5).
    static let negotiatedTile = varying(tile)
    static let staleNegotiatedTile = varying(staleTile)

    private static func varying(_ fields: SharedBytes) -> SharedBytes {
        SharedBytes(fields.array + FieldLines.make([("Vary", "Accept")]).array)
    }

    private static func withStatus(_ status: String) -> SharedBytes {
        SharedBytes(open.array + FieldLines.make([(OwnField.tileStatus.rawValue, status)]).array)
    }

    /// Of the admin routes: no other origin may read them.
    static let admin = FieldLines.make([(OwnField.contentTypeOptions.rawValue, "nosniff")])

    /// The answer to a preflight request (Fetch 4.8), good for a day.
    static let preflight = preflight("GET, HEAD, OPTIONS")

    /// The same for a route that has other `methods` than most.
    static func preflight(_ methods: String) -> SharedBytes {
        FieldLines.make([
            ("Allow", methods), ("Access-Control-Allow-Methods", methods), ("Access-Control-Allow-Headers", "*"),
            ("Access-Control-Max-Age", "86400"),
        ])
    }
}

import Bytes
import Configuration
import HTTPServer
import Raster
import TileCache
import Tiles

/// Decides the status of every outcome of a tile request (docs/spec/model.md 4.1). Other code decides some refusals,
/// for example the limits of clients.
enum TileAnswers {
    /// Returns the response with the tile of `entry`, or 304 if the client already has the tile. `isNegotiated` is true
    /// if the client's `Accept` selected the format.
    @inline(__always)
    static func tile(
        _ entry: TileEntry, caching: Caching, tag: ResponseTag = ResponseTag(), isStale: Bool = false,
        isNegotiated: Bool = false, isUnchanged: Bool
    ) -> Response {
        Response(
            isUnchanged ? .notModified : .ok, fields: entry.fields,
            common: isNegotiated
                ? isStale ? CommonFields.staleNegotiatedTile : CommonFields.negotiatedTile
                : isStale ? CommonFields.staleTile : CommonFields.tile,
            caching: caching,
            body: isUnchanged ? .empty : entry.tile.bytes, isDated: entry.date != nil, tag: tag)
    }

    /// Returns the response with a transparent image. It is used for a missing tile if the request or the layer wants
    /// an image.
    static func blank(_ entry: TileEntry, caching: Caching, isUnchanged: Bool) -> Response {
        var response = tile(entry, caching: caching, isUnchanged: isUnchanged)
        response.common = CommonFields.noTile
        return response
    }

    /// Returns the response for a missing tile: 404 or 204. `blank` makes the response if a transparent image is wanted
    /// instead.
    static func noTile(isEmpty: Bool, fields: SharedBytes, caching: Caching, isDated: Bool) -> Response {
        isEmpty
            ? Response(.noContent, fields: fields, common: CommonFields.noTile, caching: caching, isDated: isDated)
            : Response(
                .notFound, fields: fields, common: noTileCommon, caching: caching, body: noTileBody, isDated: isDated)
    }

    private static let noTileProblem = Problem(.notFound, "no-tile", "The layer has no tile at these coordinates.")
    private static let noTileBody = noTileProblem.body
    private static let noTileCommon = SharedBytes(
        CommonFields.noTile.array + FieldLines.make(noTileProblem.lines(varying: true)).array)

    /// Returns the error response for a tile that is unavailable now. `reason` decides the status. The client may try
    /// again after `retryAfter` seconds, or later if the upstream says so.
    static func unavailable(_ reason: Unavailability, retryAfter: Int) -> Response {
        switch reason {
        case .timeout:
            unavailable(
                .gatewayTimeout, "upstream-timeout", "The tile's source did not answer in time.", retryAfter: retryAfter
            )
        case .unreachable:
            unavailable(
                .badGateway, "upstream-unreachable", "The tile's source cannot be reached.", retryAfter: retryAfter)
        case .notAnImage:
            unavailable(
                .badGateway, "upstream-not-an-image", "The tile's source sent content that is not an image.",
                retryAfter: retryAfter
            )
        case .upstreamStatus(let status, let seconds):
            // After both statuses, the client waits as long as the upstream says, up to `longestWait`.
            status == 429 || status == 503
                ? unavailable(
                    .serviceUnavailable, "upstream-busy", "The tile's source asks clients to wait.",
                    retryAfter: max(min(seconds ?? 0, longestWait), retryAfter))
                : unavailable(
                    .badGateway, "upstream-error", "The tile's source answered with an error.", retryAfter: retryAfter)
        case .placeholder:
            unavailable(
                .badGateway, "upstream-placeholder", "The tile's source sent a placeholder image instead of a tile.",
                retryAfter: retryAfter)
        case .upstreamDown:
            unavailable(
                .serviceUnavailable, "upstream-down", "The tile's source has failed and is not asked for now.",
                retryAfter: retryAfter,
                cacheStatus: .unasked(.down))
        case .backingOff:
            unavailable(
                .serviceUnavailable, "backing-off", "The tile failed recently; the server waits before the next try.",
                retryAfter: retryAfter,
                cacheStatus: .unasked(.backOff))
        case .offline:
            unavailable(
                .serviceUnavailable, "offline", "The layer is offline and the tile is not in the cache.",
                retryAfter: retryAfter,
                cacheStatus: .unasked(.offline))
        case .corrupt:
            unavailable(
                .internalServerError, "tile-corrupt", "The tile is damaged in its source file.", retryAfter: retryAfter)
        case .tooComplex:
            // No `Retry-After`, because a later request has the same result.
            unavailable(
                .serviceUnavailable, "too-complex", "The tile has too many features to be drawn.", retryAfter: nil)
        case .overloaded:
            unavailable(
                .serviceUnavailable, "overloaded", "Too many tiles are in progress.", retryAfter: retryAfter,
                cacheStatus: .unasked(.overloaded))
        case .failed:
            unavailable(.serviceUnavailable, "unavailable", "The tile is not available now.", retryAfter: retryAfter)
        }
    }

    /// Maximum `Retry-After` of an upstream that is passed on, in seconds (docs/spec/threats.md T34).
    private static let longestWait = 300

    private static func unavailable(
        _ status: Status, _ code: String, _ title: String, retryAfter: Int?,
        cacheStatus: CacheStatus = .miss(Loaded.Fill())
    ) -> Response {
        let wait = retryAfter.map { [("Retry-After", String($0))] } ?? []
        let fields = wait + [(OwnField.tileStatus.rawValue, "unavailable")]
        return Problem(status, code, title, fields: fields, cacheStatus: cacheStatus).response()
    }

    // MARK: Requests that name no tile

    static let unknownLayer = Problem(.notFound, "unknown-layer", "No layer or map has this name.").response()
    static let badCoordinates = badCoordinatesProblem.response()
    static let badCoordinatesProblem = Problem(
        .badRequest, "bad-coordinates", "Expected a tile z/x/y in decimal digits, with z <= 30 and x, y < 2^z.",
        control: .lifetime(maxAge: 86_400))
    static let unsupportedFormat = Problem(
        .badRequest, "unsupported-format",
        "Expected the suffix \(ImageForm.suffixes.map { ".\($0)" }.joined(separator: ", ")) or no suffix."
    ).response()
    static let unsupportedScale = Problem(.badRequest, "unsupported-scale", "The layer has no tiles in this scale.")
        .response()
    static let badEmpty = Problem(
        .badRequest, "bad-empty", "The parameter empty must be 404, 204, transparent or overzoom."
    ).response()
}

import Bytes
import Configuration
import HTTPServer
import Raster
import TileCache
import Tiles

/// Decides the status of every outcome of a tile request (docs/spec/model.md 4.1). No other code decides this.
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

    /// Returns a transparent image for a missing tile, if the request or the layer wants an image.
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

    private static let noTileProblem = Problem(.notFound, "no-tile", "There is no tile here.")
    private static let noTileBody = noTileProblem.body
    private static let noTileCommon = SharedBytes(
        CommonFields.noTile.array + FieldLines.make(noTileProblem.lines(varying: true)).array)

    /// Returns the error response for a tile that is unavailable now. `reason` decides the status. The client may try
    /// again after `retryAfter` seconds.
    static func unavailable(_ reason: Unavailability, retryAfter: Int) -> Response {
        switch reason {
        case .timeout:
            unavailable(.gatewayTimeout, "upstream-timeout", "The tile's source did not answer in time.", retryAfter)
        case .unreachable:
            unavailable(.badGateway, "upstream-unreachable", "The tile's source cannot be reached.", retryAfter)
        case .notAnImage:
            unavailable(
                .badGateway, "upstream-not-an-image", "The tile's source sent something that is no image.", retryAfter)
        case .upstreamStatus(let status, let seconds):
            // Both statuses tell the client to wait as long as the upstream says.
            status == 429 || status == 503
                ? unavailable(
                    .serviceUnavailable, "upstream-busy", "The tile's source asks to wait.",
                    max(min(seconds ?? 0, longestWait), retryAfter))
                : unavailable(.badGateway, "upstream-error", "The tile's source answered with an error.", retryAfter)
        case .placeholder:
            unavailable(
                .badGateway, "upstream-placeholder", "The tile's source sent an image that stands for no tile.",
                retryAfter)
        case .upstreamDown:
            unavailable(
                .serviceUnavailable, "upstream-down", "The tile's source is left alone for now.", retryAfter,
                cacheStatus: .unasked(.down))
        case .backingOff:
            unavailable(
                .serviceUnavailable, "backing-off", "The tile failed a moment ago and will be tried again.", retryAfter,
                cacheStatus: .unasked(.backOff))
        case .offline:
            unavailable(
                .serviceUnavailable, "offline", "The layer is offline and the tile not in the cache.", retryAfter,
                cacheStatus: .unasked(.offline))
        case .corrupt:
            unavailable(.internalServerError, "tile-corrupt", "The tile's source is broken here.", retryAfter)
        case .tooComplex:
            // No `Retry-After`, because a later request has the same result.
            unavailable(.serviceUnavailable, "too-complex", "There is too much in the tile to be drawn.", nil)
        case .overloaded:
            unavailable(
                .serviceUnavailable, "overloaded", "Too many tiles are being made at once.", retryAfter,
                cacheStatus: .unasked(.overloaded))
        case .failed: unavailable(.serviceUnavailable, "unavailable", "The tile is not available now.", retryAfter)
        }
    }

    /// Maximum `Retry-After` of an upstream that is passed on, in seconds (docs/spec/threats.md T34).
    private static let longestWait = 300

    private static func unavailable(
        _ status: Status, _ code: String, _ title: String, _ retryAfter: Int?,
        cacheStatus: CacheStatus = .miss(Loaded.Fill())
    ) -> Response {
        let wait = retryAfter.map { [("Retry-After", String($0))] } ?? []
        let fields = wait + [(OwnField.tileStatus.rawValue, "unavailable")]
        return Problem(status, code, title, fields: fields, cacheStatus: cacheStatus).response()
    }

    // MARK: Requests that name no tile

    static let unknownLayer = Problem(.notFound, "unknown-layer", "There is no such layer.").response()
    static let badCoordinates = badCoordinatesProblem.response()
    static let badCoordinatesProblem = Problem(
        .badRequest, "bad-coordinates", "A tile is z/x/y in plain decimal digits with z <= 30 and x, y < 2^z.",
        control: .lifetime(maxAge: 86_400))
    static let unsupportedFormat = Problem(
        .badRequest, "unsupported-format",
        "The suffix must be \(ImageForm.suffixes.map { ".\($0)" }.joined(separator: ", ")) or none."
    ).response()
    static let unsupportedScale = Problem(.badRequest, "unsupported-scale", "The layer has no tiles of this scale.")
        .response()
    static let badEmpty = Problem(
        .badRequest, "bad-empty", "The parameter empty must be 404, 204, transparent or overzoom."
    ).response()
}

import Bytes
import HTTPServer
import Logging
import MapGeometry

/// Tells the access log which fields a request has, and which responses are errors.
extension Router {
    /// Reports whether the access log counts the response as an error. A missing tile is a normal result, and a client
    /// that disconnects causes no error.
    func isError(_ response: Response) -> Bool {
        response.status.isError && response.status != .clientClosedRequest && response.tag.outcome != .noTile
    }

    /// Returns the fields of the request's log line, with its client, tile and trace.
    func logFields(of request: Request) -> Logger.Metadata {
        var fields = request.logFields
        fields["client"] = .string(request.client(trusting: trustedProxies))
        if let trace = TraceParent(request) { fields["trace"] = .string(trace.traceID) }
        if let tile = coordinate(of: request) { fields.merge(tile.logFields) { $1 } }
        return fields
    }

    func logFields(of tag: ResponseTag) -> Logger.Metadata { tag.logFields(tiles.layers) }

    /// Returns the request id from the client's request, but only from a trusted proxy. Other clients could give two
    /// requests the same id, or an id that is in the log already.
    func requestID(of request: Request) -> SharedBytes? {
        trustedProxies.trust(request.peer) ? GivenRequestID.of(request) : nil
    }

    private func coordinate(of request: Request) -> TileCoordinate? {
        // A plain tile is parsed again here, so that a request without a log line costs nothing.
        if let plain = tiles.plainTile(request.path) { return plain.address.coordinate }
        // A path with a wrong encoding, coordinate, scale or suffix has no tile.
        return route(of: request)?.tile.flatMap { try? TileAddress($0, wraps: true).coordinate }
    }
}

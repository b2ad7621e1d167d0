import Bytes
import HTTPServer
import Logging
import MapGeometry

/// What the access log says.
extension Router {
    /// That no tile is there is what was asked for, and a client that leaves is no error either.
    func isError(_ response: Response) -> Bool {
        response.status.isError && response.status != .clientClosedRequest && response.tag.outcome != .noTile
    }

    /// Who asked, for which tile, as part of which trace.
    func logFields(of request: Request) -> Logger.Metadata {
        var fields = request.logFields
        fields["client"] = .string(request.client(trusting: trustedProxies))
        if let trace = TraceParent(request) { fields["trace"] = .string(trace.traceID) }
        if let tile = coordinate(of: request) { fields.merge(tile.logFields) { $1 } }
        return fields
    }

    func logFields(of tag: ResponseTag) -> Logger.Metadata { tag.logFields(tiles.layers) }

    /// Only a proxy that is trusted may say what a request is called: whoever names his own could give two of them one name, or
    /// one that stands in the log already.
    func requestID(of request: Request) -> SharedBytes? {
        trustedProxies.trust(request.peer) ? GivenRequestID.of(request) : nil
    }

    private func coordinate(of request: Request) -> TileCoordinate? {
        // A plain tile leaves no note, so that it costs nothing where there is no line.
        if let plain = tiles.plainTile(request.path) { return plain.address.coordinate }
        // Neither an encoding nor a coordinate that is wrong names a tile.
        return route(of: request)?.tile.flatMap { try? TileAddress($0, wraps: true).coordinate }
    }
}

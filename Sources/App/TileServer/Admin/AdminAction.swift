import Bytes
import HTTPServer
import MapGeometry
import MapService
import Runtime

/// The action that an admin request asks for. The request is checked before the action begins. The action does not
/// refer to the memory of the request, so it can run after the request has ended.
enum AdminAction: Sendable {
    /// Clears tiles. `isAll` is true if the request names no layer.
    case clear(MapService.Extent, of: [ServedLayer], isAll: Bool)
    case report
    case explain(ServedLayer, TileCoordinate, scale: Int)
    /// Expires the tiles of a list.
    case expire([TileCoordinate], ExpireQuery, of: ServedLayer)
    case reload
    /// Makes a code that the map's page exchanges for the token.
    case code(at: MonotonicTime)

    /// The reason why a request is refused.
    enum ActionError: Error {
        case unknownRoute, unknownLayer, coordinates
        case query(PurgeQuery.QueryError)
        case list(ExpireList.ListError)
    }

    /// Reads the action from a request. The caller has checked that `route` allows the method of the request.
    init(_ route: AdminRoute, _ request: Request, layers: LayerTable) throws(ActionError) {
        let query = request.query
        switch route {
        case .cache where request.method == .delete: self = try Self.clearing(layers.layers, isAll: true, query)
        case .cache:
            self = .report
            try Self.refuse(query)
        case .clearLayer(let name): self = try Self.clearing([Self.layer(name, layers)], isAll: false, query)
        case .clearTile(let path):
            let layer = try Self.layer(path.layer, layers)
            let coordinate = try Self.coordinate(path, row: path.last, layer)
            self = .clear(.tile(coordinate), of: [layer], isAll: false)
            try Self.refuse(query)
        case .explain(let path):
            let layer = try Self.layer(path.layer, layers)
            let (row, scale) = Self.rowAndScale(path.last)
            self = .explain(layer, try Self.coordinate(path, row: row, layer), scale: scale)
            try Self.refuse(query)
        case .expire(let name):
            let layer = try Self.layer(name, layers)
            if let coding = request.field("content-encoding"), !coding.equalsIgnoringCase("identity") {
                throw .list(.compressed)
            }
            let expire = try Self.reading { () throws(PurgeQuery.QueryError) in try ExpireQuery(query) }
            self = .expire(try Self.tiles(request), expire, of: layer)
        case .reload:
            self = .reload
            try Self.refuse(query)
        case .code:
            self = .code(at: request.time)
            try Self.refuse(query)
        case .token, .unknown: throw .unknownRoute
        }
    }

    /// Refuses parameters on a route that has none, because a mistyped parameter means a different intention.
    private static func refuse(_ query: UnsafeRawBufferPointer?) throws(ActionError) {
        guard query.map(\.isEmpty) ?? true else { throw .query(.none) }
    }

    private static func clearing(
        _ layers: [ServedLayer], isAll: Bool, _ query: UnsafeRawBufferPointer?
    ) throws(ActionError) -> AdminAction {
        let purge = try reading { () throws(PurgeQuery.QueryError) in try PurgeQuery(query) }
        return .clear(purge.extent, of: layers, isAll: isAll)
    }

    private static func reading<Query>(_ read: () throws(PurgeQuery.QueryError) -> Query) throws(ActionError) -> Query {
        try Result(catching: read).mapError(ActionError.query).get()
    }

    /// Returns the tiles of the list. Before the content has arrived, the list is empty.
    private static func tiles(_ request: Request) throws(ActionError) -> [TileCoordinate] {
        guard var list = (request.reader as? ExpireListReader)?.list else { return [] }
        do throws(ExpireList.ListError) {
            try list.finish()
            return list.tiles
        } catch {
            throw .list(error)
        }
    }

    private static func layer(_ name: UnsafeRawBufferPointer, _ layers: LayerTable) throws(ActionError) -> ServedLayer {
        guard let index = layers.index(of: name) else { throw .unknownLayer }
        return layers.layers[index]
    }

    private static func coordinate(
        _ path: TilePath, row: UnsafeRawBufferPointer, _ layer: ServedLayer
    ) throws(ActionError) -> TileCoordinate {
        do throws(TileAddress.ParsingError) {
            return try TileAddress.coordinate(path, row: row, wraps: layer.settings.wrapX).coordinate
        } catch {
            throw .coordinates
        }
    }

    /// Splits `{y}[@{s}x]` into the row and the scale. An invalid scale stays part of the row, and makes the row
    /// invalid.
    private static func rowAndScale(_ last: UnsafeRawBufferPointer) -> (UnsafeRawBufferPointer, Int) {
        guard last.count > 3, last[last.count - 1] == UInt8(ascii: "x"), last[last.count - 3] == UInt8(ascii: "@"),
            (UInt8(ascii: "1")...UInt8(ascii: "4")).contains(last[last.count - 2])
        else { return (last, 1) }
        return (UnsafeRawBufferPointer(rebasing: last.dropLast(3)), Int(last[last.count - 2] - ASCII.zero))
    }
}

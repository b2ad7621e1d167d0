import Configuration
import EventLog
import Foundation
import HTTPServer
import Logging
import MapService

/// Creates a server in a program, and adds and removes layers while the server runs.
extension TileServer {
    /// Starts a server for `layers`. When `init` returns, clients can connect, until `stop()` is called. If the program
    /// has no other work, it calls `run()` next.
    ///
    /// The order of `layers` does not matter: a map can come before the layers that it draws. By default, the server
    /// keeps tiles only in memory and writes nothing to disk. `configure` can set a disk tier. The server refuses
    /// requests for `/admin/…` unless `configure` sets `admin.token`.
    ///
    /// - Parameters:
    ///   - host: an address of this machine. `0.0.0.0` means every IPv4 address.
    ///   - port: the port. 0 takes any free port, see the property `port`.
    ///   - layers: the layers and maps. The server lists the layers before the maps, and keeps this order within both.
    ///   - logger: receives the same events as the log of the program `tileserver`. The log handler runs on the threads
    ///     that serve clients. A handler that blocks delays the clients.
    ///   - configure: changes other defaults. Layers that `configure` adds come before `layers`.
    public convenience init(
        host: String = "127.0.0.1", port: Int = 8_080, layers: [Layer], logger: Logger = Logger(label: "tileserver"),
        configure: (inout Configuration) -> Void = { _ in }
    ) throws(TileServerError) {
        var configuration = Configuration()
        configuration.server.host = host
        configuration.server.port = port
        configure(&configuration)
        // Sets a random, secret token. Without a token the server would make one and write it to a file.
        if configuration.admin.token.isEmpty { configuration.admin.token = "\(UUID())\(UUID())" }
        let embedded = EmbeddedLayers()
        for layer in layers.filter({ !$0.isMap }) + layers.filter(\.isMap) {
            try configuration.add(layer.settings)
            embedded[layer.id] = layer.embedded
        }
        let server = configuration.server
        for port in [server.port, server.https?.port].compactMap(\.self) where !(0...65_535).contains(port) {
            throw .cannotListen(host: server.host, port: port, reason: "expected a port in 0…65535")
        }
        guard server.port != nil || server.https != nil else {
            throw .cannotListen(host: server.host, port: 0, reason: "expected server.port or server.https")
        }
        try configuration.judge()
        do {
            try self.init(configuration: configuration, embedded: embedded, log: EventLog(logger: logger))
        } catch let error as ServerError {
            throw .cannotListen(host: error.host, port: error.port, reason: error.reason)
        } catch {
            throw TileServerError(error)
        }
    }

    /// Serves `layer` from now on: the SDK's `layer.map = mapView`. When the function returns, every later request
    /// finds the layer. Other layers keep their tiles.
    public func add(_ layer: Layer) async throws(TileServerError) {
        try await change { configuration, embedded throws(TileServerError) in
            try configuration.add(layer.settings)
            embedded[layer.id] = layer.embedded
        }
    }

    /// Stops serving the layer or map `id` and clears its tiles: the SDK's `layer.map = nil`. Requests under way finish
    /// with the old configuration. Throws if a map draws the layer; remove the map first.
    public func remove(_ id: String) async throws(TileServerError) {
        try await change { configuration, embedded throws(TileServerError) in
            try configuration.remove(id)
            embedded[id] = nil
        }
    }

    /// Changes the settings of the layer or map `id`, for example with `{ $0.zIndex = 5 }`. The cache keeps the tiles
    /// unless settings change that affect the tiles: the source, `tileSize`, the zooms, `bounds`, `overzoom`, `png` or
    /// `quality`.
    public func change(
        _ id: String, _ change: @escaping @Sendable (inout LayerSettings) -> Void
    ) async throws(TileServerError) {
        try await self.change { configuration, _ throws(TileServerError) in try configuration.change(id, change) }
    }
}

extension TileServer {
    /// Returns one sentence for each problem with the source of a layer. The array is empty if the source is valid.
    /// Opens the files of the source, and so may block.
    public static func problems(inSource source: LayerSource) -> [String] { source.problems }
}

extension Layer {
    var isMap: Bool { settings.source.isMap }
}

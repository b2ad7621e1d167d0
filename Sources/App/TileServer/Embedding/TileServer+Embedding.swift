import Configuration
import EventLog
import Foundation
import HTTPServer
import Logging
import MapService

/// Serving layers that are written in code.
extension TileServer {
    /// Serves `layers` from now on: when `init` returns, a client can connect, and can until `stop()`. A program that does
    /// nothing else calls `run()` then.
    ///
    /// Maps may stand before the layers that they draw. Tiles are kept in memory; nothing is written to disk unless
    /// `configure` asks for it. Requests for `/admin/…` are refused unless `configure` sets `admin.token`.
    ///
    /// - Parameters:
    ///   - host: an address of this machine; `0.0.0.0` is every IPv4 address.
    ///   - port: 0 takes any free one, see the property `port`.
    ///   - layers: what to serve, in the order in which they are listed.
    ///   - logger: where events go; the events are those of the program `tileserver`. Its handler is called on the threads
    ///     that serve and must not block: one that waits for its reader makes the clients wait too.
    ///   - configure: sets whatever else differs from the defaults; layers that it sets stand before the others.
    public convenience init(
        host: String = "127.0.0.1", port: Int = 8_080, layers: [Layer], logger: Logger = Logger(label: "tileserver"),
        configure: (inout Configuration) -> Void = { _ in }
    ) throws(TileServerError) {
        var configuration = Configuration()
        configuration.server.host = host
        configuration.server.port = port
        configure(&configuration)
        // Without one the server would make it and write it to a file; this one stays secret.
        if configuration.admin.token.isEmpty { configuration.admin.token = "\(UUID())\(UUID())" }
        let embedded = EmbeddedLayers()
        for layer in layers.filter({ !$0.isMap }) + layers.filter(\.isMap) {
            try configuration.add(layer.settings)
            embedded[layer.id] = layer.embedded
        }
        guard (0...65_535).contains(configuration.server.port) else {
            throw .cannotListen(
                host: configuration.server.host, port: configuration.server.port, reason: "expected a port in 0…65535")
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

    /// Serves `layer` too: the SDK's `layer.map = mapView`. When this returns, every request finds it; layers that are
    /// served already go on undisturbed.
    public func add(_ layer: Layer) async throws(TileServerError) {
        try await change { configuration, embedded throws(TileServerError) in
            try configuration.add(layer.settings)
            embedded[layer.id] = layer.embedded
        }
    }

    /// Serves the layer or map `id` no longer, and clears its tiles: the SDK's `layer.map = nil`. Requests under way are
    /// answered as they began. A layer that a map draws stays; remove the map first.
    public func remove(_ id: String) async throws(TileServerError) {
        try await change { configuration, embedded throws(TileServerError) in
            try configuration.remove(id)
            embedded[id] = nil
        }
    }

    /// Serves the layer or map `id` as `change` alters its settings, such as `{ $0.zIndex = 5 }`. Tiles that were kept are
    /// kept, unless what changes is the source or `tileSize`.
    public func change(
        _ id: String, _ change: @escaping @Sendable (inout LayerSettings) -> Void
    ) async throws(TileServerError) {
        try await self.change { configuration, _ throws(TileServerError) in try configuration.change(id, change) }
    }
}

extension TileServer {
    /// What is wrong with where a layer's tiles come from, each in a sentence; empty where nothing is. Opens an MBTiles
    /// file and reads a GeoJSON file, and so may block.
    public static func problems(inSource source: LayerSource) -> [String] { source.problems }
}

extension Layer {
    var isMap: Bool { settings.source.isMap }
}

import Configuration
import EventLog
import Logging
import MapGeometry
import MapService
import Runtime

/// Images of maps, for the program itself.
extension TileServer {
    /// Draws what `camera` sees of the map or layer `id`.
    ///
    ///     let image = try await server.image(
    ///         of: "demo", camera: CameraPosition(latitude: 49.26, longitude: -123.11, zoom: 10),
    ///         size: ImageSize(width: 800, height: 600, scale: 2))
    ///
    /// `configure` sets what else differs, such as `{ $0.markers = [Pin(at: coordinate)] }`. Throws what `render` throws.
    public func image(
        of id: String, camera: CameraPosition, size: ImageSize, configure: (inout MapPicture) -> Void = { _ in }
    ) async throws(TileServerError) -> RenderedMapPicture {
        var picture = MapPicture(of: .camera(camera), size: size)
        configure(&picture)
        return try await render(id, picture)
    }

    /// The map or layer `id` as its configuration limits it, in a view of this size: for moving its camera, which begins at
    /// the map's own.
    ///
    /// A value: what is done to it changes nothing here. Throws where there is no such map, or its padding leaves nothing.
    public func mapView(of id: String, size: ImageSize) throws(TileServerError) -> MapView {
        try service.mapView(of: id, size: size)
    }

    /// Draws what a camera sees of the map or layer `id`, as `GET /{map}/static/…` does, from the cache's tiles.
    ///
    /// - Parameters:
    ///   - id: the map or the layer.
    ///   - picture: what the camera sees, how large, and what is drawn over it.
    ///   - progress: called, on any thread, with how many of how many tiles are there; of a flight, frames.
    /// - Throws: where there is no such map, the image cannot be drawn as `picture` says, or it took too long: 15 s for
    ///   the tiles of an image, 60 s for a flight.
    public func render(
        _ id: String, _ picture: MapPicture, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(TileServerError) -> RenderedMapPicture {
        try await service.render(id, picture, progress)
    }

    /// The same for a configuration that nothing serves: no address is listened on and the disk is left alone, so that a
    /// server may run with the same configuration meanwhile.
    public static func render(
        _ id: String, _ picture: MapPicture, configuration: Configuration,
        logger: Logger = Logger(label: "tileserver"),
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(TileServerError) -> RenderedMapPicture {
        try configuration.judge()
        let service: MapService
        do {
            service = try MapService(
                configuration, embedded: EmbeddedLayers(), isServer: false,
                reactors: [try Reactor(label: "reactor 0")], log: EventLog(logger: logger),
                describe: TileDescription.entry)
        } catch {
            throw TileServerError(error)
        }
        return try await service.render(id, picture, progress)
    }

    /// The map or layer `id` of a configuration that nothing serves. `size`: points; nil, and there is no view. `padding` nil:
    /// the map's own.
    package static func mapView(
        of id: String, in configuration: Configuration, size: (width: Double, height: Double)?, padding: EdgeInsets?
    ) throws(TileServerError) -> MapView {
        try MapService.mapView(of: id, in: configuration, size: size, padding: padding)
    }
}

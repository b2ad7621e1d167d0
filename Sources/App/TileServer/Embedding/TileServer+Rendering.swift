import Configuration
import EventLog
import Logging
import MapGeometry
import MapService
import Runtime

/// Draws images of maps for the program that embeds the server.
extension TileServer {
    /// Draws the view of `camera` on the map or layer `id`, as an image of `form`.
    ///
    ///     let image = try await server.image(
    ///         of: "demo", camera: CameraPosition(latitude: 49.26, longitude: -123.11, zoom: 10),
    ///         size: ImageSize(width: 800, height: 600, scale: 2))
    ///
    /// `configure` changes other defaults, for example with `{ $0.markers = [Pin(at: coordinate)] }`. Throws the errors
    /// of `render`.
    public func image(
        of id: String, camera: CameraPosition, size: ImageSize, as form: ImageForm = .png,
        configure: (inout MapPicture) -> Void = { _ in }
    ) async throws(TileServerError) -> RenderedMapPicture {
        var picture = MapPicture(of: .camera(camera), size: size)
        picture.form = form
        configure(&picture)
        return try await render(id, picture)
    }

    /// Returns a view of the map or layer `id` with this size. The view starts at the map's own camera and obeys the
    /// limits of the map's configuration. A program can move the camera of the view.
    ///
    /// The view is a value: changes to the view do not change the server. The map's padding is used only if it leaves
    /// room in the view. Throws if the map does not exist.
    public func mapView(of id: String, size: ImageSize) throws(TileServerError) -> MapView {
        try service.mapView(of: id, size: size)
    }

    /// Draws the view of a camera on the map or layer `id`, as `GET /{map}/static/…` does. The tiles come through the
    /// cache.
    ///
    /// - Parameters:
    ///   - id: the map or the layer.
    ///   - picture: the camera, the size and the overlays.
    ///   - progress: called on any thread with the number of finished tiles and of all tiles, or with frames for a
    ///     flight.
    /// - Throws: an error, for example if the map does not exist, `picture` has a wrong value, the server has no room
    ///   for the image, or a flight takes longer than 60 s. An image lacks tiles that are unavailable or have not
    ///   arrived after 15 s. A lacking tile is an error without `allowsPartial`.
    public func render(
        _ id: String, _ picture: MapPicture, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(TileServerError) -> RenderedMapPicture {
        try await service.render(id, picture, progress)
    }

    /// Draws an image of the map or layer `id` from `configuration`, without a running server. The function opens no
    /// port and does not use the disk tier. A server may run with the same configuration at the same time.
    public static func render(
        _ id: String, _ picture: MapPicture, configuration: Configuration,
        logger: Logger = Logger(label: "tileserver"),
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(TileServerError) -> RenderedMapPicture {
        try await service(for: configuration, logger: logger).render(id, picture, progress)
    }

    /// Makes the core of a server without sockets. Without `disk`, does not use the disk tier. With `disk`, uses the
    /// tier unless another process does, and passes the reason to `disk` otherwise.
    package static func service(
        for configuration: Configuration, logger: Logger, disk: ((any Error) -> Void)? = nil
    ) throws(TileServerError) -> MapService {
        try configuration.judge()
        do {
            return try MapService(
                configuration, embedded: EmbeddedLayers(), isServer: false,
                disk: disk.map { disk in { disk($0) } }, reactors: [try Reactor(label: "reactor 0")],
                log: EventLog(logger: logger), describe: TileDescription.entry)
        } catch {
            throw TileServerError(error)
        }
    }

    /// Returns a view of the map or layer `id` of a configuration, without a running server. `size` is in points; nil
    /// makes a view without a size. `padding` nil uses the map's own padding, if it leaves room in the view.
    package static func mapView(
        of id: String, in configuration: Configuration, size: (width: Double, height: Double)?, padding: EdgeInsets?
    ) throws(TileServerError) -> MapView {
        try MapService.mapView(of: id, in: configuration, size: size, padding: padding)
    }
}

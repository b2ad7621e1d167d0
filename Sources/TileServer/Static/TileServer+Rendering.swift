import Configuration
import EventLog
import Foundation
import Logging
import MapGeometry
import Reactor
import TileCache

/// Pictures of maps, for the program itself.
extension TileServer {
    /// Draws what `camera` sees of the map or layer `id`.
    ///
    ///     let image = try await server.image(
    ///         of: "demo", camera: CameraPosition(latitude: 49.26, longitude: -123.11, zoom: 10),
    ///         size: ImageSize(width: 800, height: 600, scale: 2))
    ///
    /// `configure` sets what else differs, such as `{ $0.markers = [Pin(at: place)] }`. Throws what `render` throws.
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
        let layer = try router.layer(id)
        do throws(CameraFault) {
            return try layer.cameraRules.view(size)
        } catch {
            throw TileServerError(error)
        }
    }

    /// Draws what a camera sees of the map or layer `id`, as `GET /{map}/static/…` does, from the cache's tiles.
    ///
    /// - Parameter progress: hears, on any thread, how many of how many tiles are there; of a flight, frames.
    /// - Throws: where there is no such map, the picture is none that can be drawn, or it took too long: 15 s for the tiles
    ///   of a picture, 60 s for a flight.
    public func render(
        _ id: String, _ picture: MapPicture, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(TileServerError) -> RenderedMapPicture {
        try await router.render(id, picture, progress)
    }

    /// The same for a configuration that nothing serves: no address is listened on and the disk is left alone, so that a
    /// server may run with the same configuration meanwhile.
    public static func render(
        _ id: String, _ picture: MapPicture, configuration: Configuration,
        logger: Logger = Logger(label: "tileserver"),
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(TileServerError) -> RenderedMapPicture {
        let router: Router
        do {
            let registry = LayerRegistry()
            let assembly = Assembly(
                configuration, embedded: EmbeddedLayers(), disk: nil, reactors: [try Reactor(label: "reactor 0")],
                clock: .system, token: AdminToken(configured: "\(UUID())"),
                log: EventLog(logger: logger))
            router = try assembly.router(for: configuration, registry: registry)
        } catch {
            throw TileServerError(error)
        }
        return try await router.render(id, picture, progress)
    }

    /// The map or layer `id` of a configuration that nothing serves. `size`: points; nil, and there is no view. `padding` nil:
    /// the map's own.
    package static func mapView(
        of id: String, in configuration: Configuration, size: (width: Double, height: Double)?, padding: EdgeInsets?
    ) throws(TileServerError) -> MapView {
        guard let settings = (configuration.layers + configuration.maps).first(where: { $0.id == id }) else {
            throw .unknownLayer(id)
        }
        let map = MapCameraRules(settings)
        var viewport: Viewport?
        if let size {
            do throws(CameraFault) {
                viewport = try map.viewport(width: size.width, height: size.height, padding: padding)
            } catch {
                throw TileServerError(error)
            }
        }
        return MapView(rules: map.rules, viewport: viewport, camera: map.camera)
    }
}

extension Router {
    fileprivate func render(
        _ id: String, _ picture: MapPicture, _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(TileServerError) -> RenderedMapPicture {
        let layer = try layer(id)
        let job: StaticJob
        let flight: StaticFlight?
        do throws(CameraFault) {
            job = try picture.job(layer)
            flight = if let wanted = picture.flight { try picture.frames(of: wanted, from: job) } else { nil }
        } catch {
            throw TileServerError(error)
        }
        let drawn: RenderedMapPicture
        do throws(StaticRenderer.Failure) {
            if let flight {
                let animation = try await images.renderer.animation(flight, progress: progress)
                drawn = RenderedMapPicture(png: animation.png, missing: animation.missing)
            } else {
                let picture = try await images.renderer.picture(job, progress: progress)
                drawn = RenderedMapPicture(png: picture.png, missing: picture.missing)
            }
        } catch {
            throw .noPicture(id, reason: error.reason)
        }
        guard drawn.missing == 0 || job.options.allowsPartial else {
            throw .noPicture(id, reason: "\(drawn.missing) tiles could not be had")
        }
        return drawn
    }
}

extension StaticRenderer.Failure {
    fileprivate var reason: String {
        switch self {
        case .overloaded: "too many pictures are being drawn"
        case .late: "it took more than \(Int(StaticRenderer.animationDeadline)) s"
        case .failed, .drawn: "it could not be drawn"
        }
    }
}

import Configuration
import EventLog
import Logging
import MapService
import Reactor
import TileCache

/// Pictures of maps, for the program itself.
extension TileServer {
    /// Draws what a camera sees of the map or layer `id`, as `GET /{map}/static/…` does, from the cache's tiles.
    ///
    /// - Parameter progress: hears, on any thread, how many of how many tiles are there; of a flight, frames.
    /// - Throws: where there is no such map, the picture is none that can be drawn, or it took too long: 15 s for the tiles
    ///   of a picture, 60 s for a flight.
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
        let service: MapService
        do {
            service = try MapService(
                configuration, embedded: EmbeddedLayers(), keepsOnDisk: false,
                reactors: [try Reactor(label: "reactor 0")], log: EventLog(logger: logger),
                describe: TileDescription.entry)
        } catch {
            throw TileServerError(error)
        }
        return try await service.render(id, picture, progress)
    }
}

extension MapService {
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
            throw .invalidPicture(parameter: error.field, reason: error.title)
        }
        let drawn: RenderedMapPicture
        do throws(StaticRenderer.Failure) {
            if let flight {
                let animation = try await renderer.animation(flight, progress: progress)
                drawn = RenderedMapPicture(png: animation.png, missing: animation.missing)
            } else {
                let picture = try await renderer.picture(job, progress: progress)
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

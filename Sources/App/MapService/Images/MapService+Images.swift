import Configuration
import MapGeometry

/// Draws images of maps for programs and commands, and tells the camera limits of a map.
extension MapService {
    /// Draws `picture` of the map or layer `id`. The tiles come through the cache, but the image itself is not cached.
    /// Calls `progress` on any thread with two numbers: the finished tiles and all tiles. For a flight, the numbers
    /// count frames.
    package func render(
        _ id: String, _ picture: MapPicture, _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(TileServerError) -> RenderedMapPicture {
        let layer = try layer(id)
        let job: StaticJob
        let flight: StaticFlight?
        do throws(CameraRequestError) {
            job = try picture.job(layer) { try? self.layer($0) }
            flight = if let camera = picture.flight { try picture.frames(of: camera, from: job) } else { nil }
        } catch {
            throw TileServerError(error)
        }
        let rendered: RenderedMapPicture
        do throws(StaticRenderer.RenderingError) {
            if let flight {
                let animation = try await renderer.animation(flight, progress: progress)
                rendered = RenderedMapPicture(
                    bytes: animation.png, format: .png, missing: animation.missing, camera: job.camera)
            } else {
                let image = try await renderer.image(job, progress: progress)
                rendered = RenderedMapPicture(
                    bytes: image.image.bytes, format: image.image.format, missing: image.missing, camera: job.camera)
            }
        } catch {
            if case .tooMuch(let fault) = error { throw TileServerError(fault) }
            throw .noPicture(id, reason: error.reason)
        }
        guard rendered.missing == 0 || job.options.allowsPartial else {
            throw .noPicture(id, reason: "\(rendered.missing) tiles are unavailable")
        }
        return rendered
    }

    /// Returns a view of the map or layer `id` with this size. The camera is the map's own.
    package func mapView(of id: String, size: ImageSize) throws(TileServerError) -> MapView {
        let layer = try layer(id)
        do throws(CameraRequestError) {
            return try layer.cameraRules.view(size)
        } catch {
            throw TileServerError(error)
        }
    }

    /// Returns a view of the map or layer `id` in `configuration`, without a running server. A view has the camera and
    /// its limits. `size` is in points; if it is nil, the view has no size. If `padding` is nil, the map's own padding
    /// is used, if it leaves room in the view.
    package static func mapView(
        of id: String, in configuration: Configuration, size: (width: Double, height: Double)?, padding: EdgeInsets?
    ) throws(TileServerError) -> MapView {
        guard let settings = (configuration.layers + configuration.maps).first(where: { $0.id == id }) else {
            throw .unknownLayer(id)
        }
        do throws(CameraRequestError) {
            let map = try MapCameraRules(settings)
            let viewport = try size.map { size throws(CameraRequestError) in
                try map.viewport(width: size.width, height: size.height, padding: padding)
            }
            return MapView(rules: map.rules, viewport: viewport, camera: map.camera)
        } catch {
            throw TileServerError(error)
        }
    }
}

extension StaticRenderer.RenderingError {
    fileprivate var reason: String {
        switch self {
        case .overloaded: "too many images are being drawn"
        case .tooLarge: "it needs more memory than images may use (server.memory)"
        case .late: "it took more than \(Int(StaticRenderer.animationDeadline)) s"
        case .abandoned: "its task was cancelled"
        case .failed, .tooMuch: "it could not be drawn"
        }
    }
}

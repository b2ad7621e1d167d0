import Configuration
import MapGeometry

@testable import MapService
@testable import TileServer

extension FuzzTarget {
    private static let rules = MapCameraRules(rules: CameraRules(), padding: .zero, camera: nil)

    /// Lines: the subject and the size of a static image in its path, and a query.
    static func readCameraQuery(_ bytes: UnsafeRawBufferPointer) {
        let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
        if lines.count > 1 { _ = try? StaticPath(subject: text(lines[0]), size: text(lines[1])) }
        guard let last = lines.last else { return }
        let query = UnsafeRawBufferPointer(rebasing: last)
        _ = try? StaticOptions(query)
        guard let camera = try? CameraQuery(QueryParameters(query), rules) else { return }
        checkCamera(camera.view.normalized(camera.position).position)
        guard let projection = try? camera.view.projection(of: camera.position) else { return }
        // A corner above the horizon is a valid result.
        _ = try? projection.visibleRegion
        _ = projection.cover(tileZoom: 3)
    }

    /// Reads a camera, a view and updates. The result of the updates must be a valid camera.
    static func readCameraBody(_ bytes: UnsafeRawBufferPointer) {
        guard let body = try? CameraBody(parsing: bytes) else { return }
        if let move = try? body.move(rules) { checkCamera(move.end.position) }
        _ = try? body.flight(rules)
    }

    private static func checkCamera(_ camera: CameraPosition) {
        let numbers = [camera.latitude, camera.longitude, camera.zoom, camera.bearing, camera.viewingAngle]
        check(numbers.allSatisfy(\.isFinite), "\(camera)")
        check(abs(camera.latitude) <= 90 && abs(camera.longitude) <= 180, "\(camera)")
    }
}

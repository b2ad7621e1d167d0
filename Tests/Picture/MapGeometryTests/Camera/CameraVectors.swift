import Foundation

/// Expected numbers of the camera (docs/spec/model.md, appendix A), computed from its formulas outside this project.
/// The numbers are in Tests/Vectors/camera.json, which the viewer's tests read too. The file describes the columns of
/// its rows.
///
/// A camera is [latitude, longitude, zoom, bearing, viewing angle], a coordinate is [latitude, longitude], and a screen
/// point is [x, y]. Views have 800 × 600 points.
enum CameraVectors {
    // Rows of numbers.
    static let wrappedLongitudes = numbers("wrappedLongitudes")
    static let clampedLatitudes = numbers("clampedLatitudes")
    static let viewingAngleLimits = numbers("viewingAngleLimits")
    static let worldSizes = numbers("worldSizes")
    static let clampedZooms = numbers("clampedZooms")
    static let tiles = numbers("tiles")
    static let mapPoints = numbers("mapPoints")
    static let zoomsAtCoordinate = numbers("zoomsAtCoordinate")
    static let tileZoomOffsets = numbers("tileZoomOffsets")
    static let wrappedBearings = numbers("wrappedBearings")
    static let androidAngleLimits = numbers("androidAngleLimits")
    static let fillingHeights = numbers("fillingHeights")
    static let turns = numbers("turns")
    static let pointsForMetres = numbers("pointsForMetres")

    // Rows of cameras, coordinates and points.
    static let fits = groups("fits")
    static let scrolls = groups("scrolls")
    static let zoomsAtPoint = groups("zoomsAtPoint")
    static let visibleRegions = groups("visibleRegions")
    static let points = groups("points")
    static let covers = groups("covers")
    static let tileBounds = groups("tileBounds")
    static let flights = groups("flights")
    static let padding = groups("padding")

    /// `read` has the sections that the tests read, and `written` has the sections of the file.
    static let read = [
        "androidAngleLimits", "clampedLatitudes", "clampedZooms", "covers", "fillingHeights", "fits", "flights",
        "mapPoints",
        "padding", "points", "pointsForMetres", "scrolls", "tileBounds", "tileZoomOffsets", "tiles", "turns",
        "viewingAngleLimits", "visibleRegions", "worldSizes", "wrappedBearings", "wrappedLongitudes",
        "zoomsAtCoordinate",
        "zoomsAtPoint",
    ]
    static var written: [String] { file.keys.sorted() }

    private static func numbers(_ section: String) -> [[Double]] { rows(section) }
    private static func groups(_ section: String) -> [[[Double]]] { rows(section) }

    private static func rows<Row>(_ section: String) -> [Row] {
        guard let rows = file[section]?["rows"] as? [Row], !rows.isEmpty else {
            fatalError("Tests/Vectors/camera.json has no rows of \(section)")
        }
        return rows
    }

    // Invariant: the value is not changed after its creation, and only tests read it.
    nonisolated(unsafe) private static let file: [String: [String: Any]] = {
        let path = URL(filePath: #filePath).appending(path: "../../../../Vectors/camera.json").standardized
        do {
            return try JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [String: [String: Any]] ?? [:]
        } catch {
            fatalError("\(path.path): \(error)")
        }
    }()
}

import HTTPServer
import Tiles

/// The fields of this server's own that an answer may have. A web page of another origin may read each of them, since
/// `CommonFields.open` names them all.
enum OwnField: String, CaseIterable {
    /// All of an image's attributions, also what its font lacks.
    case attribution = "X-Attribution"
    case camera = "X-Camera"
    case cameraClamped = "X-Camera-Clamped"
    case contentTypeOptions = "X-Content-Type-Options"
    /// The code of an error's problem, also where its content is none.
    case problem = "X-Problem"
    case renderStatus = "X-Render-Status"
    case renderTileZoom = "X-Render-Tile-Zoom"
    /// The server itself adds it to each answer.
    case requestID = "X-Request-Id"
    case tile = "X-Tile"
    case tileDegraded = "X-Tile-Degraded"
    case tileLayer = "X-Tile-Layer"
    case tileSourceZoom = "X-Tile-Source-Zoom"
    case tileStatus = "X-Tile-Status"
    case tileUpscaled = "X-Tile-Upscaled"
}

extension FieldLines {
    /// Adds a line.
    mutating func add(_ field: OwnField, _ value: String) { add(field.rawValue, value) }
}

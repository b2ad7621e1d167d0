import HTTPServer
import Tiles

/// The names of the `X-…` header fields in the responses of this server, except `X-Accel-Buffering`, which is for
/// nginx. A page of another origin may read all of them in responses with `CommonFields.open`, which lists their names.
enum OwnField: String, CaseIterable {
    /// All attributions of an image, including text that the image's font cannot show.
    case attribution = "X-Attribution"
    case camera = "X-Camera"
    case cameraClamped = "X-Camera-Clamped"
    case contentTypeOptions = "X-Content-Type-Options"
    /// The code of an error's problem, also if the content is not a problem.
    case problem = "X-Problem"
    case renderStatus = "X-Render-Status"
    case renderTileZoom = "X-Render-Tile-Zoom"
    /// Added to each response by the HTTP server.
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

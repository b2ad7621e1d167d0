import Bytes
import Configuration
import MapGeometry
import Raster

/// What the query of a static image says: `padding`, `background`, `partial`, `attribution`.
struct StaticOptions: Sendable, Equatable {
    /// Nil: the map's own.
    let padding: EdgeInsets?
    /// Nil: the map's own.
    let background: RGBA?
    /// Whether an image may lack tiles that could not be had.
    let allowsPartial: Bool
    let showsAttribution: Bool

    init(_ parameters: QueryParameters) throws(CameraFault) {
        padding = try parameters.insets("padding")
        background = try Self.background(parameters.text("background"))
        allowsPartial = try Self.flag(parameters, "partial")
        showsAttribution = try Self.flag(parameters, "attribution")
    }

    private static func background(_ text: String?) throws(CameraFault) -> RGBA? {
        guard let text else { return nil }
        if text == "transparent" { return .transparent }
        // A # must be percent-encoded in a query; without one it is as clear what is meant.
        guard let color = Color(text.hasPrefix("#") ? text : "#" + text) else {
            throw .malformed("background", expected: "#rgb, #rrggbb, #rrggbbaa or transparent")
        }
        return RGBA(color)
    }

    private static func flag(_ parameters: QueryParameters, _ name: String) throws(CameraFault) -> Bool {
        switch parameters.text(name) {
        case nil, "true", "1": return true
        case "false", "0": return false
        default: throw .malformed(name, expected: "true or false")
        }
    }
}

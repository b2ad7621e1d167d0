import Configuration
import MapService
import Raster

/// Reads the options of a static image from its query: `padding`, `background`, `layers`, `partial` and `attribution`.
/// `marker` and `path` can appear several times.
extension StaticOptions {
    init(_ query: UnsafeRawBufferPointer?) throws(CameraRequestError) {
        try self.init(QueryParameters(query))
    }

    init(_ parameters: QueryParameters) throws(CameraRequestError) {
        let (markers, paths) = (parameters.texts("marker"), parameters.texts("path"))
        self.init()
        overlays = try OverlayParameter.overlays(markers: markers, paths: paths)
        overlayTexts = markers.map { "marker=" + $0 } + paths.map { "path=" + $0 }
        padding = try parameters.insets("padding")
        background = try Self.background(try parameters.text("background"))
        layers = try Self.layers(try parameters.text("layers"))
        allowsPartial = try Self.flag(parameters, "partial")
        showsAttribution = try Self.flag(parameters, "attribution")
    }

    /// Reads a list such as `world,graticule:0.5`, of ids with opacities.
    private static func layers(_ text: String?) throws(CameraRequestError) -> [MapPicture.Layer] {
        guard let text else { return [] }
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        guard words.count <= ImageStack.most else { throw .malformed("layers", expected: "at most 16 layers") }
        return try words.map { word throws(CameraRequestError) in
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let opacity = parts.count == 2 ? Double(parameter: parts[1]) : 1, (0...1).contains(opacity),
                !parts[0].isEmpty
            else {
                throw .malformed("layers", expected: "ids, each with an opacity in 0…1 if it is not 1: world,grid:0.5")
            }
            return MapPicture.Layer(String(parts[0]), opacity: opacity)
        }
    }

    private static func background(_ text: String?) throws(CameraRequestError) -> RGBA? {
        guard let text else { return nil }
        if text == "transparent" { return .transparent }
        // In a query, `#` must be percent-encoded. The color is accepted without `#` too.
        guard let color = RGBA(text.hasPrefix("#") ? text : "#" + text) else {
            throw .malformed("background", expected: "#rgb, #rrggbb, #rrggbbaa or transparent")
        }
        return color
    }

    private static func flag(_ parameters: QueryParameters, _ name: String) throws(CameraRequestError) -> Bool {
        switch try parameters.text(name) {
        case nil, "true", "1": return true
        case "false", "0": return false
        default: throw .malformed(name, expected: "true or false")
        }
    }
}

import Raster
import Settings

extension GeoJSONSource {
    static let keys = [
        "fill", "stroke", "width", "pointRadius", "pointFill", "pointStroke", "pointStrokeWidth", "simplestyle",
    ]

    static func read(_ section: inout MappingReader, _ validate: SourceValidator) -> GeoJSONSource {
        var source = GeoJSONSource(path: "")
        section.value("geojson", .filledText("a file"), into: &source.path)
        source.fill = section.value("fill", .colorOrNone)
        source.stroke = section.value("stroke", .colorOrNone)
        source.width = section.value("width", .real(lengths))
        source.pointRadius = section.value("pointRadius", .real(lengths))
        source.pointFill = section.value("pointFill", .colorOrNone)
        source.pointStroke = section.value("pointStroke", .colorOrNone)
        source.pointStrokeWidth = section.value("pointStrokeWidth", .real(lengths))
        section.value("simplestyle", .boolean, into: &source.simplestyle)
        if section.isSound("geojson") {
            for message in validate(.geojson(source)) { section.complain("geojson", message) }
        }
        return source
    }

    private static let lengths = 0.0...64
}

extension ValueRule where Value == RGBA {
    /// As `color`, or `none` for one that is not seen.
    fileprivate static var colorOrNone: ValueRule {
        ValueRule(expected: "a colour such as \"#3366cc\", or none") { scalar throws(Complaint) in
            scalar.string == "none" ? RGBA(red: 0, green: 0, blue: 0, alpha: 0) : try color.read(scalar)
        }
    }
}

import Configuration
import Foundation
import MapGeometry
import MapRenderer
import MapService
import Raster

/// Markers and paths as a query writes them: `marker=lon,lat|color:#d93b30|label:A` and
/// `path=stroke:#d93b30|width:3|fill:#d93b3040|lon,lat|lon,lat|…` or `…|enc:{encoded polyline}`; `markers=` and Google's
/// `lat,lng` are not taken, since the two orders cannot be told apart.
enum OverlayParameter {
    /// The most of an image (docs/spec/threats.md 2).
    static let mostMarkers = 100
    static let mostPoints = 5_000

    static func overlays(markers: [String], paths: [String]) throws(CameraRequestError) -> [Overlay] {
        guard markers.count <= mostMarkers else { throw .malformed("marker", expected: "at most 100 markers") }
        var overlays: [Overlay] = []
        var points = 0
        for path in paths {
            let groundPath = try self.path(path, limit: mostPoints - points)
            points += groundPath.places.count
            overlays.append(.path(groundPath))
        }
        for marker in markers { overlays.append(.pin(try pin(marker))) }
        return overlays
    }

    private static func pin(_ text: String) throws(CameraRequestError) -> Pin {
        var position: Coordinate?
        var color: RGBA?
        var (label, size): (Character?, Double) = (nil, 1)
        for part in text.split(separator: "|", omittingEmptySubsequences: false) {
            if let value = part.value(of: "color") {
                color = try self.color(value, "marker")
            } else if let value = part.value(of: "label") {
                // One letter as people count them, with its marks.
                guard value.count <= 1, value.utf8.count <= 32,
                    value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
                else { throw malformedMarker }
                label = value.first
            } else if let value = part.value(of: "scale") {
                guard let number = Double(parameter: value), (0.25...4).contains(number) else { throw malformedMarker }
                size = number
            } else {
                guard position == nil else { throw malformedMarker }
                position = try coordinate(part, malformedMarker)
            }
        }
        guard let position else { throw malformedMarker }
        var pin = Pin(at: position, label: label, size: size)
        if let color { pin.color = color }
        return pin
    }

    private static func path(_ text: String, limit: Int) throws(CameraRequestError) -> GroundPath {
        var coordinates: [Coordinate] = []
        var stroke = GroundPath.Stroke(color: RGBA(red: 0xD9, green: 0x3B, blue: 0x30), width: 4)
        var fill: RGBA?
        // An encoded polyline may hold the separator: it is the rest of the text.
        let (words, encoded) = parts(of: text)
        for part in words {
            if let value = part.value(of: "stroke") ?? part.value(of: "color") {
                stroke.color = try color(value, "path")
            } else if let value = part.value(of: "fill") ?? part.value(of: "fillcolor") {
                fill = try color(value, "path")
            } else if let value = part.value(of: "width") ?? part.value(of: "weight") {
                guard let number = Double(parameter: value), (0...64).contains(number) else { throw malformedPath }
                stroke.width = number
            } else {
                coordinates.append(try coordinate(part, malformedPath))
            }
            guard coordinates.count <= limit else { throw malformedPath }
        }
        if let encoded {
            do throws(EncodedPolyline.DecodingError) {
                coordinates += try EncodedPolyline.decode(String(encoded), limit: limit - coordinates.count)
            } catch {
                throw malformedPath
            }
        }
        guard !coordinates.isEmpty else { throw malformedPath }
        return GroundPath(coordinates, isClosed: fill != nil, stroke: stroke.width > 0 ? stroke : nil, fill: fill)
    }

    /// What stands between separators, and what stands behind `enc:`; nil where that is not there.
    private static func parts(of text: String) -> (words: [Substring], encoded: Substring?) {
        let start = text.hasPrefix("enc:") ? text.startIndex : text.range(of: "|enc:")?.lowerBound
        guard let start else { return (text.split(separator: "|", omittingEmptySubsequences: false), nil) }
        let words = text[..<start].split(separator: "|", omittingEmptySubsequences: false)
        let colon = text[start...].firstIndex(of: ":") ?? start
        return (start == text.startIndex ? [] : words, text[text.index(after: colon)...])
    }

    private static func coordinate(_ text: Substring, _ fault: CameraRequestError) throws(CameraRequestError)
        -> Coordinate
    {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double(parameter: $0) }
        guard numbers.count == 2, text.utf8.count(where: { $0 == UInt8(ascii: ",") }) == 1,
            let coordinate = Coordinate(latitude: numbers[1], longitude: numbers[0])
        else { throw fault }
        return coordinate
    }

    /// `#rgb`, `#rrggbb`, `#rrggbbaa`, also without `#` or with `0x`, or a name.
    private static func color(_ text: Substring, _ field: String) throws(CameraRequestError) -> RGBA {
        if text == "none" || text == "transparent" { return .transparent }
        if let named = names[String(text)] { return named }
        let digits = text.hasPrefix("#") ? text.dropFirst() : text.hasPrefix("0x") ? text.dropFirst(2) : text
        guard let color = RGBA("#" + digits) else {
            throw .malformed(field, expected: "colours such as #d93b30 or red")
        }
        return color
    }

    /// Those of Google Static Maps, with the values of CSS.
    private static let names: [String: RGBA] = [
        "black": RGBA(red: 0, green: 0, blue: 0), "brown": RGBA(red: 165, green: 42, blue: 42),
        "green": RGBA(red: 0, green: 128, blue: 0), "purple": RGBA(red: 128, green: 0, blue: 128),
        "yellow": RGBA(red: 255, green: 255, blue: 0), "blue": RGBA(red: 0, green: 0, blue: 255),
        "gray": RGBA(red: 128, green: 128, blue: 128), "orange": RGBA(red: 255, green: 165, blue: 0),
        "red": RGBA(red: 255, green: 0, blue: 0), "white": RGBA(red: 255, green: 255, blue: 255),
    ]

    private static let malformedMarker = CameraRequestError.malformed(
        "marker", expected: "lon,lat, and perhaps |color:, |label: and |scale:")
    private static let malformedPath = CameraRequestError.malformed(
        "path", expected: "stroke:, width:, fill:, and lon,lat|… or enc:, at most 5,000 points in all")
}

extension Substring {
    /// What stands behind `name:`; nil where this is something else.
    fileprivate func value(of name: String) -> Substring? {
        hasPrefix(name + ":") ? dropFirst(name.count + 1) : nil
    }
}

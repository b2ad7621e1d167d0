import Bytes
import Configuration
import MapGeometry
import MapRenderer
import MapService
import Raster

/// Reads the markers and paths of a static image from its query. A marker is `marker=lon,lat|color:#d93b30|label:A`. A
/// path is `path=stroke:#d93b30|width:3|fill:#d93b3040|lon,lat|lon,lat|…`. A path can also end with `enc:{encoded
/// polyline}`, in place of its points or after them.
///
/// Google's format `markers=` with `lat,lng` is not supported, because the two orders of coordinates cannot be
/// distinguished.
enum OverlayParameter {
    /// Maximum numbers of markers and points of an image (docs/spec/threats.md 2).
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

    // The code reads bytes for speed: a request may have thousands of coordinates, and a reactor reads them.

    private static func pin(_ text: String) throws(CameraRequestError) -> Pin {
        var position: Coordinate?
        var color: RGBA?
        var (label, size): (String?, Double) = (nil, 1)
        for part in words(of: Array(text.utf8)[...]) {
            if let value = part.value(of: "color:") {
                color = try self.color(value, "marker")
            } else if let value = part.value(of: "label:") {
                // Characters as people count them, with their accents.
                let letters = String(decoding: value, as: UTF8.self)
                guard value.count <= 96, letters.count <= Pin.mostCharacters,
                    letters.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
                else { throw malformedMarker }
                label = letters
            } else if let value = part.value(of: "scale:") {
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
        // An encoded polyline may contain the separator, so it extends to the end of the text.
        let (words, encoded) = parts(of: Array(text.utf8))
        for part in words {
            if part.startsWithNumber {
                coordinates.append(try coordinate(part, malformedPath))
            } else if let value = part.value(of: "stroke:") ?? part.value(of: "color:") {
                stroke.color = try color(value, "path")
            } else if let value = part.value(of: "fill:") ?? part.value(of: "fillcolor:") {
                fill = try color(value, "path")
            } else if let value = part.value(of: "width:") ?? part.value(of: "weight:") {
                guard let number = Double(parameter: value), (0...64).contains(number) else { throw malformedPath }
                stroke.width = number
            } else {
                throw malformedPath
            }
            guard coordinates.count <= limit else { throw malformedPath }
        }
        if let encoded {
            do throws(EncodedPolyline.DecodingError) {
                let line = String(decoding: encoded, as: UTF8.self)
                coordinates += try EncodedPolyline.decode(line, limit: limit - coordinates.count)
            } catch {
                throw malformedPath
            }
        }
        guard !coordinates.isEmpty else { throw malformedPath }
        return GroundPath(coordinates, isClosed: fill != nil, stroke: stroke.width > 0 ? stroke : nil, fill: fill)
    }

    /// Returns the words between the separators, and the text after `enc:`. The text is nil if there is no `enc:`.
    private static func parts(of text: [UInt8]) -> (words: [ArraySlice<UInt8>], encoded: ArraySlice<UInt8>?) {
        if let encoded = text[...].value(of: "enc:") { return ([], encoded) }
        for index in text.indices where text[index] == separator {
            guard let encoded = text[index...].value(of: "|enc:") else { continue }
            return (index == 0 ? [] : words(of: text[..<index]), encoded)
        }
        return (words(of: text[...]), nil)
    }

    private static let separator = UInt8(ascii: "|")

    private static func words(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        text.split(separator: separator, omittingEmptySubsequences: false)
    }

    private static func coordinate(
        _ text: ArraySlice<UInt8>, _ fault: CameraRequestError
    ) throws(CameraRequestError) -> Coordinate {
        // A second comma would be part of a number, which is then invalid.
        guard let comma = text.firstIndex(of: UInt8(ascii: ",")), let longitude = Double(parameter: text[..<comma]),
            let latitude = Double(parameter: text[(comma + 1)...])
        else { throw fault }
        guard let coordinate = Coordinate(validating: latitude, longitude: longitude) else {
            throw .latitude(latitude, fault.field)
        }
        return coordinate
    }

    /// Reads a color: `#rgb`, `#rrggbb` or `#rrggbbaa`, also without `#` or with `0x`, or a name.
    private static func color(_ text: ArraySlice<UInt8>, _ field: String) throws(CameraRequestError) -> RGBA {
        let name = String(decoding: text, as: UTF8.self)
        if name == "none" || name == "transparent" { return .transparent }
        if let named = names[name] { return named }
        let digits = text.value(of: "#") ?? text.value(of: "0x") ?? text
        guard let color = RGBA("#" + String(decoding: digits, as: UTF8.self)) else {
            throw .malformed(field, expected: "a colour such as #d93b30 or red")
        }
        return color
    }

    /// The color names of Google Static Maps, with the values of CSS.
    private static let names: [String: RGBA] = [
        "black": .black, "brown": RGBA(red: 165, green: 42, blue: 42), "green": .green, "purple": .purple,
        "yellow": .yellow, "blue": .blue, "gray": .gray, "orange": .orange, "red": .red, "white": .white,
    ]

    private static let malformedMarker = CameraRequestError.malformed(
        "marker", expected: "lon,lat and optional |color:, |label: and |scale:")
    private static let malformedPath = CameraRequestError.malformed(
        "path",
        expected: "optional stroke:, width: and fill:, then lon,lat|… or enc:, with at most 5,000 points in total")
}

extension ArraySlice<UInt8> {
    /// Returns the text after `name`. Nil if the slice does not begin with `name`.
    fileprivate func value(of name: StaticString) -> ArraySlice<UInt8>? {
        let length = name.utf8CodeUnitCount
        let isNamed = name.withUTF8Buffer { name in
            count >= length && (0..<length).allSatisfy { self[startIndex + $0] == name[$0] }
        }
        return isNamed ? dropFirst(length) : nil
    }

    /// Reports whether the slice can only be a coordinate. Most parts of a path are coordinates.
    fileprivate var startsWithNumber: Bool {
        guard let first else { return false }
        return ASCII.isDigit(first) || first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
            || first == ASCII.dot
    }
}

import MapGeometry

/// The geometries with coordinates (RFC 7946 3.1), by name.
enum GeometryForm: String, CaseIterable {
    case point = "Point"
    case multiPoint = "MultiPoint"
    case line = "LineString"
    case multiLine = "MultiLineString"
    case polygon = "Polygon"
    case multiPolygon = "MultiPolygon"
}

/// Reads the geometries of features. A function returns the position after the value that it has read. An empty array
/// is allowed and draws nothing (RFC 7946 3.1).
extension GeoJSONReader {
    mutating func read(_ form: GeometryForm, _ value: Int) throws(GeoJSONError.ContentError) -> Int {
        switch form {
        case .point: try readPoint(value)
        case .multiPoint:
            try readEach(value) { reader, value throws(GeoJSONError.ContentError) in try reader.readPoint(value) }
        case .line: try readLine(value)
        case .multiLine:
            try readEach(value) { reader, value throws(GeoJSONError.ContentError) in try reader.readLine(value) }
        case .polygon: try readPolygon(value)
        case .multiPolygon:
            try readEach(value) { reader, value throws(GeoJSONError.ContentError) in try reader.readPolygon(value) }
        }
    }

    private mutating func readEach(
        _ value: Int, _ body: (inout GeoJSONReader, Int) throws(GeoJSONError.ContentError) -> Int
    ) throws(GeoJSONError.ContentError) -> Int {
        try forEachElement(of: value) { reader, element throws(GeoJSONError.ContentError) in
            try body(&reader, try reader.array(element, "an array"))
        }
    }

    private mutating func readPoint(_ value: Int) throws(GeoJSONError.ContentError) -> Int {
        guard text.firstElement(of: value) != nil else { return text.end(of: value) }
        let (point, end) = try position(value)
        try makeRoom()
        builder.addPoint(point)
        return end
    }

    private mutating func readLine(_ value: Int) throws(GeoJSONError.ContentError) -> Int {
        let (line, end) = try positions(value)
        guard line.count != 1 else { throw .wrong("expected a line of at least two positions, found one") }
        try makeRoom()
        if !line.isEmpty { builder.addLine(line) }
        return end
    }

    private mutating func readPolygon(_ value: Int) throws(GeoJSONError.ContentError) -> Int {
        var rings: [[WorldPoint]] = []
        let end = try forEachElement(of: value) { reader, element throws(GeoJSONError.ContentError) in
            let (ring, end) = try reader.positions(try reader.array(element, "an array of positions"))
            guard ring.isEmpty || ring.count > 3 else {
                throw .wrong("expected a ring of at least four positions, found \(ring.count)")
            }
            rings.append(ring)
            return end
        }
        try makeRoom()
        // Holes without an outer ring draw nothing.
        if rings.first?.isEmpty == false { builder.addArea(rings) }
        return end
    }

    private func makeRoom() throws(GeoJSONError.ContentError) {
        guard builder.shapes.count < GeoJSONBuilder.most else {
            throw .wrong("the file has more than \(GeoJSONBuilder.most) points, lines and polygons")
        }
    }

    private mutating func positions(_ value: Int) throws(GeoJSONError.ContentError) -> (
        vertices: [WorldPoint], end: Int
    ) {
        var vertices: [WorldPoint] = []
        let end = try forEachElement(of: value) { reader, element throws(GeoJSONError.ContentError) in
            let (point, end) = try reader.position(element)
            vertices.append(point)
            return end
        }
        return (vertices, end)
    }

    /// Reads a longitude and a latitude. A height and all further values are ignored.
    private func position(_ value: Int) throws(GeoJSONError.ContentError) -> (point: WorldPoint, end: Int) {
        guard text.kind(of: value) == .array, let first = text.firstElement(of: value),
            text.kind(of: first) == .number
        else { throw unexpectedPosition(value) }
        let (longitude, firstEnd) = text.number(at: first)
        guard let second = text.element(after: firstEnd), text.kind(of: second) == .number else {
            throw unexpectedPosition(value)
        }
        let (latitude, secondEnd) = text.number(at: second)
        var end = secondEnd
        while let next = text.element(after: end) { end = text.end(of: next) }
        guard abs(longitude) <= Self.longitudes, abs(latitude) <= Self.latitudes,
            let coordinate = Coordinate(validating: min(max(latitude, -90), 90), longitude: longitude)
        else {
            throw .wrong(
                "expected a longitude within ±540 and a latitude within ±90 degrees, found \(longitude), \(latitude)")
        }
        let point = Mercator.project(coordinate)
        // Use the exact edge, so that it can be recognised later.
        let isBeyond = abs(latitude) >= Mercator.maxLatitude
        return (isBeyond ? WorldPoint(x: point.x, y: latitude > 0 ? 0 : 1) : point, text.arrayEnd(after: end))
    }

    /// Maximum longitude in degrees. Some programs draw on several worlds side by side. Larger numbers are usually
    /// coordinates in metres.
    private static let longitudes = 540.0
    /// Maximum latitude in degrees, with a margin for rounding.
    private static let latitudes = 90.000_001

    private func unexpectedPosition(_ value: Int) -> GeoJSONError.ContentError {
        guard text.kind(of: value) == .array else { return unexpected(value, "a position of two numbers") }
        var kinds: [String] = []
        var next = text.firstElement(of: value)
        while let element = next, kinds.count < 3 {
            kinds.append("\(text.kind(of: element))")
            next = text.element(after: text.end(of: element))
        }
        let found = kinds.isEmpty ? "an empty array" : "an array of \(kinds.joined(separator: ", "))"
        return .wrong("expected a position of two numbers, found \(found)")
    }
}

import JSON
import MapGeometry
import Tiles

/// Reads a GeoJSON text (RFC 7946).
struct GeoJSONReader {
    let text: JSONText
    let style: GeoJSONStyle
    /// True if features may define their own style.
    let usesSimplestyle: Bool
    let labels: GeoJSONLabelStyle
    var builder = GeoJSONBuilder()

    /// Maximum nesting depth of values. Real GeoJSON needs about 10.
    private static let depth = 64

    /// Reads the whole text. Throws the first error, together with its path in the JSON.
    static func content(
        of bytes: consuming [UInt8], style: GeoJSONStyle, usesSimplestyle: Bool,
        labels: GeoJSONLabelStyle = .standard
    ) throws(GeoJSONError.ContentError) -> GeoJSONContent {
        let text: JSONText
        do throws(JSONError) {
            text = try JSONText(bytes, depth: depth)
        } catch {
            throw GeoJSONError.ContentError(error)
        }
        var reader = GeoJSONReader(text: text, style: style, usesSimplestyle: usesSimplestyle, labels: labels)
        reader.builder.begin(style)
        try reader.readDocument()
        return GeoJSONContent(reader.builder, labelStyle: labels.look)
    }

    private mutating func readDocument() throws(GeoJSONError.ContentError) {
        let members = try object(at: text.root, "a GeoJSON object")
        switch try type(of: members) {
        case "FeatureCollection":
            try refuseOtherSystems(members)
            try readFeatures(members)
        case "Feature": try readFeature(members)
        default: try readGeometry(members, names: ["FeatureCollection", "Feature"])
        }
    }

    private mutating func readFeatures(_ members: [String: Int]) throws(GeoJSONError.ContentError) {
        try within("features") { reader throws(GeoJSONError.ContentError) in
            let features = try reader.array(members["features"], "an array of features")
            try reader.forEachElement(of: features) { reader, feature throws(GeoJSONError.ContentError) in
                let members = try reader.object(at: feature, "a feature")
                let type = try reader.type(of: members)
                guard type == "Feature" else {
                    throw .notGeoJSON(path: "type", problem: "expected Feature, found \"\(type)\"")
                }
                try reader.readFeature(members)
                return reader.text.end(of: feature)
            }
        }
    }

    private mutating func readFeature(_ members: [String: Int]) throws(GeoJSONError.ContentError) {
        try refuseOtherSystems(members)
        // A feature without a geometry is not drawn (RFC 7946 3.2).
        guard let geometry = members["geometry"], text.kind(of: geometry) != .null else { return }
        let properties = members["properties"].map { text.members(of: $0) } ?? [:]
        if usesSimplestyle { builder.begin(properties.isEmpty ? style : style.changed(by: properties, of: text)) }
        let first = builder.shapes.count
        try within("geometry") { reader throws(GeoJSONError.ContentError) in
            try reader.readGeometry(try reader.object(at: geometry, "a geometry"), names: [])
        }
        if let label = labels.label(properties, of: text) { builder.add(label, toShapesFrom: first) }
    }

    /// Reads a geometry, and adds its shapes. `names` has other types that are allowed here, for the text of an error.
    mutating func readGeometry(_ members: [String: Int], names: [String]) throws(GeoJSONError.ContentError) {
        try refuseOtherSystems(members)
        let name = try type(of: members)
        guard name != "GeometryCollection" else {
            return try within("geometries") { reader throws(GeoJSONError.ContentError) in
                let geometries = try reader.array(members["geometries"], "an array of geometries")
                try reader.forEachElement(of: geometries) { reader, geometry throws(GeoJSONError.ContentError) in
                    if reader.text.kind(of: geometry) != .null {
                        try reader.readGeometry(try reader.object(at: geometry, "a geometry"), names: [])
                    }
                    return reader.text.end(of: geometry)
                }
            }
        }
        guard let form = GeometryForm(rawValue: name) else {
            let expected = names + GeometryForm.allCases.map(\.rawValue) + ["GeometryCollection"]
            throw .notGeoJSON(
                path: "type", problem: "expected one of \(expected.joined(separator: ", ")), found \"\(name)\"")
        }
        try within("coordinates") { reader throws(GeoJSONError.ContentError) in
            _ = try reader.read(form, try reader.array(members["coordinates"], "an array"))
        }
    }

    /// Throws if the file sets a coordinate system that is not known as WGS 84 in degrees. Only older files can name a
    /// system. Newer files always use degrees, longitude first (RFC 7946 4).
    private func refuseOtherSystems(_ members: [String: Int]) throws(GeoJSONError.ContentError) {
        guard let system = members["crs"], text.kind(of: system) != .null else { return }
        let name = text.members(of: system)["properties"].flatMap { text.members(of: $0)["name"] }
        let words = name.flatMap { text.kind(of: $0) == .string ? text.string(at: $0) : nil }
        let plain = words?.uppercased() ?? ""
        guard !["CRS84", ":4326", "/4326", "WGS84", "WGS 84"].contains(where: plain.hasSuffix) else { return }
        let found = words.map { "\"\($0)\"" } ?? "without a name"
        throw .notGeoJSON(
            path: "crs",
            problem: "expected degrees of WGS 84, found the coordinate system \(found); convert the file, for example "
                + "with ogr2ogr -t_srs EPSG:4326")
    }
}

// MARK: Values that must be something

extension GeoJSONReader {
    /// Runs `body`, and puts `step` before the path of an error.
    mutating func within<Value>(
        _ step: String, _ body: (inout GeoJSONReader) throws(GeoJSONError.ContentError) -> Value
    ) throws(GeoJSONError.ContentError) -> Value {
        do throws(GeoJSONError.ContentError) {
            return try body(&self)
        } catch {
            throw error.within(step)
        }
    }

    /// Calls `body` for each element of an array. `body` must return the position after its element. Returns the
    /// position after the array.
    @discardableResult
    mutating func forEachElement(
        of array: Int, _ body: (inout GeoJSONReader, Int) throws(GeoJSONError.ContentError) -> Int
    ) throws(GeoJSONError.ContentError) -> Int {
        var next = text.firstElement(of: array)
        var end = array + 1
        var number = 0
        do throws(GeoJSONError.ContentError) {
            while let element = next {
                end = try body(&self, element)
                next = text.element(after: end)
                number += 1
            }
        } catch {
            throw error.within("[\(number)]")
        }
        return text.arrayEnd(after: end)
    }

    func array(_ value: Int?, _ expected: String) throws(GeoJSONError.ContentError) -> Int {
        guard let value, text.kind(of: value) == .array else { throw unexpected(value, expected) }
        return value
    }

    private func object(at value: Int, _ expected: String) throws(GeoJSONError.ContentError) -> [String: Int] {
        guard text.kind(of: value) == .object else { throw unexpected(value, expected) }
        return text.members(of: value)
    }

    private func type(of members: [String: Int]) throws(GeoJSONError.ContentError) -> String {
        guard let type = members["type"], text.kind(of: type) == .string else {
            throw unexpected(members["type"], "a text").within("type")
        }
        return text.string(at: type)
    }

    func unexpected(_ value: Int?, _ expected: String) -> GeoJSONError.ContentError {
        let found =
            switch value.map({ text.kind(of: $0) }) {
            case .object: "an object"
            case .array: "an array"
            case .string: "the text \"\(PlainText.of(text.string(at: value ?? 0), limit: 40))\""
            case .number: "a number"
            case .boolean: "a Boolean"
            case .null: "null"
            case nil: "nothing"
            }
        return .wrong("expected \(expected), found \(found)")
    }
}

import Generators
import Keys

extension Key {
    /// Returns a key for a box in degrees.
    static func bounds(_ name: String, _ path: Path<GeographicBox?>, _ doc: String) -> Key {
        let edges = ["west", "south", "east", "north"].enumerated().map {
            GeographicBox.edge($0).schema.adding([("title", .text($1))])
        }
        let schema: SchemaValue = ["type": "array", "prefixItems": .list(edges), "items": false, "minItems": 4]
        return Key(name, schema: schema, doc) { section, settings in
            settings[keyPath: path] = GeographicBox.read(&section, name)
        }
    }
}

extension GeographicBox {
    fileprivate static func edge(_ index: Int) -> ValueRule<Double> {
        index.isMultiple(of: 2) ? .longitude : .latitude
    }

    fileprivate static func read(_ section: inout MappingReader, _ key: String) -> GeographicBox? {
        if let (numbers, isFlat) = section.numbers(in: key), numbers.count == 4,
            let doubt = isFlat ? doubt(about: numbers) : nested(numbers)
        {
            guard doubt.isWarning else {
                section.complain(key, doubt.message)
                section.acknowledge([key])
                return nil
            }
            section.warn(key, doubt.message)
        }
        var edges: [Double] = []
        section.list(key, count: 4...4, into: &edges) { edge($0) }
        guard edges.count == 4 else { return nil }
        let bounds = GeographicBox(validatingWest: edges[0], south: edges[1], east: edges[2], north: edges[3])
        if bounds == nil {
            let reason = edges[1] < edges[3] ? "west and east are equal" : "south is not below north"
            section.complain(key, "\(reason) in [west, south, east, north]")
        }
        return bounds
    }

    /// Returns a message if a user probably wrote a box with latitudes first. The numbers must be a valid box with
    /// latitudes first, and either no valid box or a box in the sea with longitudes first. In addition, at least half
    /// of the box with latitudes first must be land, unless the second and the fourth number are beyond ±90. Returns
    /// nil in all other cases.
    private static func doubt(about numbers: [Double]) -> (message: String, isWarning: Bool)? {
        guard let other = box(numbers, latitudeFirst: true) else { return nil }
        guard let own = box(numbers, latitudeFirst: false) else {
            // Otherwise perhaps only one number is wrong.
            guard abs(numbers[1]) > 90 && abs(numbers[3]) > 90 || other.land >= 0.5 else { return nil }
            let message =
                "expected [west, south, east, north], found [south, west, north, east]: write \(other.written)"
            return (message, false)
        }
        guard own.land == 0, other.land >= 0.5 else { return nil }
        let message =
            "[west, south, east, north] is a box in the sea; in the order [south, west, north, east] it is a "
            + "box on land: \(other.written)"
        return (message, true)
    }

    /// Returns a message about two corners in nested lists, which Leaflet and other libraries use, with longitudes or
    /// latitudes first.
    private static func nested(_ numbers: [Double]) -> (message: String, isWarning: Bool)? {
        let boxes = [true, false].compactMap { box(numbers, latitudeFirst: $0) }
        guard let likely = boxes.max(by: { $0.land < $1.land }) else { return nil }
        return ("expected [west, south, east, north] in one list: write \(likely.written)", false)
    }

    private static func box(_ numbers: [Double], latitudeFirst: Bool) -> GeographicBox? {
        let (x, y) = latitudeFirst ? (1, 0) : (0, 1)
        return GeographicBox(validatingWest: numbers[x], south: numbers[y], east: numbers[x + 2], north: numbers[y + 2])
    }

    private var land: Double { WorldLand.part(west: west, south: south, east: east, north: north) }

    private var written: String { "[\([west, south, east, north].map { shown($0) }.joined(separator: ", "))]" }
}

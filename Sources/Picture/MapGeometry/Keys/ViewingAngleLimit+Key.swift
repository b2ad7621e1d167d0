import Keys

extension ViewingAngleLimit {
    /// The knots in the form that a configuration file uses.
    package var written: SchemaValue { .list(knots.map { [.number($0.zoom), .number($0.angle)] }) }
}

extension Key {
    /// Returns a configuration key for a limit of the viewing angle, as a list of at most 100 knots. If the key is
    /// absent or the list is empty, the value at `path` stays unchanged.
    package static func knots(_ name: String, _ path: Path<[ViewingAngleLimit.Knot]?>, _ doc: String) -> Key {
        typealias Knot = ViewingAngleLimit.Knot
        return Key(
            name,
            schema: [
                "type": "array", "maxItems": .number(Double(Knot.count.upperBound)),
                "items": [
                    "type": "array", "prefixItems": [Knot.zooms.schema, Knot.angles.schema], "items": false,
                    "minItems": 2,
                ],
            ],
            values: "`[[zoom, angle], …]`: \(Knot.zooms.values), \(Knot.angles.values)", doc,
            standard: { _ in ViewingAngleLimit.sdk.written }, refusal: { $0[keyPath: path].flatMap(Knot.refusal) }
        ) { section, settings in
            var rows: [[Double]] = []
            section.rows(name, count: Knot.count, width: 2, into: &rows) { $0 == 0 ? Knot.zooms : Knot.angles }
            guard !rows.isEmpty else { return }
            let knots = rows.map { Knot(zoom: $0[0], angle: $0[1]) }
            if !Knot.ascend(knots) { section.complain(name, "expected knots in ascending zoom order") }
            settings[keyPath: path] = knots
        }
    }
}

extension ViewingAngleLimit.Knot {
    fileprivate static let count = 0...100
    fileprivate static let zooms = ValueRule<Double>.zoom
    fileprivate static let angles = ValueRule<Double>.real(0...67.5)

    fileprivate static func refusal(of knots: [Self]) -> Refusal? {
        if let refusal = count.refusal(of: knots) { return refusal }
        for knot in knots {
            if let refusal = zooms.refusal(knot.zoom) ?? angles.refusal(knot.angle) { return refusal }
        }
        return ascend(knots)
            ? nil : Refusal(expected: "zooms in ascending order", found: "\(knots.map(\.zoom))")
    }

    fileprivate static func ascend(_ knots: [Self]) -> Bool {
        zip(knots, knots.dropFirst()).allSatisfy { $0.zoom < $1.zoom }
    }
}

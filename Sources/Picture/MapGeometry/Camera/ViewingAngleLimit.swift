import Keys

/// The greatest viewing angle of a camera by its zoom: straight lines between knots, level before the first and after
/// the last (docs/spec/model.md 5.1, Q2).
public struct ViewingAngleLimit: Hashable, Sendable {
    /// One corner of the limit.
    public struct Knot: Hashable, Sendable {
        /// The camera's zoom.
        public var zoom: Double
        /// Degrees, in [0, 90).
        public var angle: Double

        /// The greatest `angle` at `zoom`; `ViewingAngleLimit.init(knots:)` judges both.
        public init(zoom: Double, angle: Double) {
            self.zoom = zoom
            self.angle = angle
        }
    }

    /// By ascending zoom; at least one.
    public let knots: [Knot]

    /// 30° up to zoom 10, 65° from zoom 16.
    public static let sdk = ViewingAngleLimit(ascending: [Knot(zoom: 10, angle: 30), Knot(zoom: 16, angle: 65)])

    /// The limit of the Android SDK: 30° up to zoom 10, 45° at zoom 14, 67.5° from zoom 15.5.
    public static let android = ViewingAngleLimit(ascending: [
        Knot(zoom: 10, angle: 30), Knot(zoom: 14, angle: 45), Knot(zoom: 15.5, angle: 67.5),
    ])

    /// Throws unless there is a knot, zooms are finite and grow, and angles are in [0, 90).
    public init(knots: [Knot]) throws(CameraError) {
        if knots.isEmpty { throw .knotsNotAscending(zoom: nil) }
        for (index, knot) in knots.enumerated() {
            _ = try knot.zoom.finite(.maxTiltKnots)
            _ = try knot.angle.within(0...90.0.nextDown, .maxTiltKnots)
            if index > 0, knot.zoom <= knots[index - 1].zoom { throw .knotsNotAscending(zoom: knot.zoom) }
        }
        self.init(ascending: knots)
    }

    private init(ascending knots: [Knot]) {
        self.knots = knots
    }

    /// Degrees at `zoom`.
    public func angle(atZoom zoom: Double) -> Double {
        guard let next = knots.firstIndex(where: { $0.zoom > zoom }) else { return knots.last?.angle ?? 0 }
        guard next > 0 else { return knots[0].angle }
        let (low, high) = (knots[next - 1], knots[next])
        return low.angle + (high.angle - low.angle) * ((zoom - low.zoom) / (high.zoom - low.zoom))
    }

    /// The knots as a configuration has them.
    package var written: SchemaValue { .list(knots.map { [.number($0.zoom), .number($0.angle)] }) }
}

extension Key {
    /// The knots of a limit, at most 100; unset, those of `ViewingAngleLimit.sdk`.
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
            if !Knot.ascend(knots) { section.complain(name, "the zooms must grow from one knot to the next") }
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
            ? nil : Refusal(expected: "of zooms that grow from one knot to the next", found: "\(knots.map(\.zoom))")
    }

    fileprivate static func ascend(_ knots: [Self]) -> Bool {
        zip(knots, knots.dropFirst()).allSatisfy { $0.zoom < $1.zoom }
    }
}

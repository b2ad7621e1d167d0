import Keys

extension ValueRule where Value == LayerSettings.StaleTime {
    /// A time span within `range`, or `source`.
    static func staleTime(_ range: ClosedRange<Duration>) -> ValueRule {
        let time = ValueRule<Duration>.duration(range)
        return ValueRule(
            expected: "source or \(time.expected)", schema: time.schema.or(["const": "source"]),
            values: "`source`, \(time.values)", write: { $0.limit.map(time.write) ?? "source" },
            refusal: { $0.limit.flatMap(time.refusal) }
        ) { scalar throws(ValueError) in
            scalar.text == "source" ? .source : try time.read(scalar).map(LayerSettings.StaleTime.upTo)
        }
    }
}

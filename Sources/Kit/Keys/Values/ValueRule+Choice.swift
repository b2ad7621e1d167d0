extension ValueRule where Value: CaseIterable & RawRepresentable & Sendable, Value.RawValue == String {
    /// One of the cases, by its raw value, which is a word or a number.
    package static var choice: ValueRule { choice(dropped: [:]) }

    /// Like `choice`. `dropped` maps words of earlier versions to their replacements.
    package static func choice(dropped: [String: Value]) -> ValueRule {
        .oneOf(Value.allCases.map { ($0.rawValue, $0) }, dropped: dropped.mapValues(\.rawValue)) {
            written($0.rawValue)
        }
    }
}

extension ValueRule where Value: Sendable {
    /// A rule that accepts the name of one of `choices`. `dropped` maps names of earlier versions to the names to write
    /// now, for error messages.
    package static func oneOf(
        _ choices: [(name: String, value: Value)], dropped: [String: String] = [:],
        write: @escaping @Sendable (Value) -> SchemaValue
    ) -> ValueRule {
        let names = choices.map(\.name)
        let words = alternatives(names)
        return ValueRule(
            expected: words, schema: ["enum": .list(names.map(written))],
            values: names.map { "`\($0)`" }.joined(separator: ", "), write: write
        ) { scalar throws(ValueError) in
            guard let choice = choices.first(where: { $0.name == scalar.text }) else {
                if let text = scalar.string, let name = dropped[text] {
                    throw ValueError("expected \(words), found \(quoted(text)), which was removed: write \(name)")
                }
                if let text = scalar.string, let name = nearestName(to: text, among: names) {
                    throw ValueError("expected \(words), found \(quoted(text)) (did you mean \(name)?)")
                }
                return nil
            }
            // A number in quotes is text, and not a choice.
            let isNumber = Scalar(text: scalar.text).looksNumeric
            return isNumber && scalar.isQuoted ? nil : choice.value
        }
    }
}

/// Returns `name` as it is written: a number without quotes.
private func written(_ name: String) -> SchemaValue {
    Int(name).map { .number(Double($0)) } ?? .text(name)
}

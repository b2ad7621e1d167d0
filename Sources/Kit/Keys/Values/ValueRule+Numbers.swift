extension ValueRule where Value == Bool {
    /// `true` or `false`.
    package static var boolean: ValueRule {
        ValueRule(
            expected: "true or false", schema: ["type": "boolean"], write: { .boolean($0) }
        ) { scalar in scalar.boolean }
    }
}

extension ValueRule where Value == Int {
    /// A whole number in decimal digits, within `range`.
    package static func integer(_ range: ClosedRange<Int>) -> ValueRule {
        ValueRule(
            expected: "a whole number",
            schema: [
                "type": "integer", "minimum": .number(Double(range.lowerBound)),
                "maximum": .number(Double(range.upperBound)),
            ], values: "\(range.lowerBound)…\(range.upperBound)", write: { .number(Double($0)) },
            refusal: { $0.refusal(outside: range) }
        ) { scalar throws(ValueError) in
            guard scalar.looksNumeric, let number = wholeNumber(scalar.text) else { return nil }
            return try number.within(range, shown: { "\($0)" }, asWritten: scalar.text)
        }
    }

    /// One of a few whole numbers.
    package static func oneOf(_ numbers: [Int]) -> ValueRule {
        let words = alternatives(numbers.map { "\($0)" })
        return ValueRule(
            expected: words, schema: ["enum": .list(numbers.map { .number(Double($0)) })], values: words,
            write: { .number(Double($0)) },
            refusal: { numbers.contains($0) ? nil : Refusal(expected: words, found: "\($0)") }
        ) { scalar in
            guard scalar.looksNumeric, case .number(let number) = wholeNumber(scalar.text) else { return nil }
            return numbers.contains(number) ? number : nil
        }
    }
}

extension ValueRule where Value == Int? {
    /// A whole number within `range`, or nil if the value is the word `word`, such as `none`.
    package static func integer(_ range: ClosedRange<Int>, orNone word: String) -> ValueRule {
        let number = ValueRule<Int>.integer(range)
        return ValueRule(
            expected: "\(word) or \(number.expected)", schema: number.schema.or(["const": .text(word)]),
            values: "`\(word)`, \(number.values)", write: { $0.map(number.write) ?? .text(word) },
            refusal: { $0.flatMap(number.refusal) }
        ) { scalar throws(ValueError) in
            // The outer optional says whether the text is valid, the inner one whether it is a number.
            if scalar.text == word { return .some(.none) }
            return try number.read(scalar).map(Optional.some)
        }
    }
}

extension ValueRule where Value == Double {
    /// A finite decimal number within `range`.
    package static func real(_ range: ClosedRange<Double>) -> ValueRule {
        ValueRule(
            expected: "a number",
            schema: ["type": "number", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)],
            values: "\(shown(range.lowerBound))…\(shown(range.upperBound))", write: { .number($0) },
            refusal: { $0.refusal(outside: range) }
        ) { scalar throws(ValueError) in
            // `Double` also parses hexadecimal numbers, infinities and NaN. The other two conditions exclude these.
            guard scalar.looksNumeric, let number = Double(scalar.text), number.isFinite else { return nil }
            if number < range.lowerBound { throw ValueError("\(scalar.text) is below \(shown(range.lowerBound))") }
            if number > range.upperBound { throw ValueError("\(scalar.text) is above \(shown(range.upperBound))") }
            return number
        }
    }
}

/// Returns `number` as text. A whole number has no fraction.
package func shown(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
}

/// A whole number from a file, which may be too small or too large for an `Int`. A number that does not fit is outside
/// any range.
enum Magnitude {
    case number(Int)
    case tooSmall
    case tooLarge

    func within(_ range: ClosedRange<Int>, shown: (Int) -> String, asWritten text: String) throws(ValueError) -> Int {
        switch self {
        case .number(let number) where range.contains(number): return number
        case .number(let number) where number > range.upperBound: break
        case .tooLarge: break
        case .number, .tooSmall: throw ValueError("\(escaped(text)) is below \(shown(range.lowerBound))")
        }
        throw ValueError("\(escaped(text)) is above \(shown(range.upperBound))")
    }
}

/// Parses decimal digits with an optional minus. Leading zeros are refused, because YAML 1.1 reads such a number as
/// octal.
func wholeNumber(_ text: String) -> Magnitude? {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        digits.count == 1 || digits.first != UInt8(ascii: "0")
    else { return nil }
    return Int(text).map(Magnitude.number) ?? (isNegative ? .tooSmall : .tooLarge)
}

extension ValueRule where Value == Bool {
    /// `true` or `false`.
    package static var boolean: ValueRule {
        ValueRule(expected: "true or false") { scalar in scalar.boolean }
    }
}

extension ValueRule where Value == Int {
    /// A whole number in decimal digits, within `range`.
    package static func integer(_ range: ClosedRange<Int>) -> ValueRule {
        ValueRule(expected: "a whole number") { scalar throws(Complaint) in
            guard scalar.looksNumeric, let number = wholeNumber(scalar.text) else { return nil }
            return try number.within(range, shown: { "\($0)" }, asWritten: scalar.text)
        }
    }

    /// One of a few whole numbers.
    package static func oneOf(_ numbers: [Int]) -> ValueRule {
        ValueRule(expected: alternatives(numbers.map { "\($0)" })) { scalar in
            guard scalar.looksNumeric, case .number(let number) = wholeNumber(scalar.text) else { return nil }
            return numbers.contains(number) ? number : nil
        }
    }

    /// Bytes within `range`: a whole number, or one with the unit B, KiB, MiB, GiB or TiB.
    package static func size(_ range: ClosedRange<Int>) -> ValueRule {
        ValueRule(expected: "a size such as 256MiB") { scalar throws(Complaint) in
            guard !scalar.isQuoted, let size = quantity(scalar.text, units: sizeUnits, unitless: 1) else { return nil }
            return try size.within(range, shown: { inUnits($0, sizeUnits) }, asWritten: scalar.text)
        }
    }
}

extension ValueRule where Value == Int? {
    /// A whole number within `range`, or `word` for none.
    package static func integer(_ range: ClosedRange<Int>, orNone word: String) -> ValueRule {
        let number = ValueRule<Int>.integer(range)
        return ValueRule(expected: "\(word) or \(number.expected)") { scalar throws(Complaint) in
            // The outer optional says whether there is a value, the inner one whether it is a number.
            if scalar.text == word { return .some(.none) }
            return try number.read(scalar).map(Optional.some)
        }
    }
}

extension ValueRule where Value == Double {
    /// A finite decimal number within `range`.
    package static func real(_ range: ClosedRange<Double>) -> ValueRule {
        ValueRule(expected: "a number") { scalar throws(Complaint) in
            // `Double` also reads hexadecimal, infinities and NaN, none of which gets past the first test and the second.
            guard scalar.looksNumeric, let number = Double(scalar.text), number.isFinite else { return nil }
            if number < range.lowerBound { throw Complaint("\(scalar.text) is below \(shown(range.lowerBound))") }
            if number > range.upperBound { throw Complaint("\(scalar.text) is above \(shown(range.upperBound))") }
            return number
        }
    }
}

/// `number` without the fraction of a whole one.
package func shown(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
}

extension ValueRule where Value == Duration {
    /// A time span within `range`: a whole number and one of the units ms, s, m, h and d.
    package static func duration(_ range: ClosedRange<Duration>) -> ValueRule {
        let milliseconds = range.lowerBound.milliseconds...range.upperBound.milliseconds
        return ValueRule(expected: "a time such as 60s, 5m, 24h or 30d") { scalar throws(Complaint) in
            guard !scalar.isQuoted, let span = quantity(scalar.text, units: durationUnits, unitless: nil) else {
                return nil
            }
            return .milliseconds(
                try span.within(milliseconds, shown: { inUnits($0, durationUnits) }, asWritten: scalar.text))
        }
    }
}

/// `time` in the greatest unit that it is a whole number of, such as `30d`.
package func shown(_ time: Duration) -> String {
    inUnits(time.milliseconds, durationUnits)
}

extension Duration {
    /// Whole milliseconds; the spans of this module's own ranges all fit.
    fileprivate var milliseconds: Int {
        Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}

/// A whole number as it was written: one that fits `Int`, or one that is out of every range.
private enum Magnitude {
    case number(Int)
    case tooSmall
    case tooLarge

    func within(_ range: ClosedRange<Int>, shown: (Int) -> String, asWritten text: String) throws(Complaint) -> Int {
        switch self {
        case .number(let number) where range.contains(number): return number
        case .number(let number) where number > range.upperBound: break
        case .tooLarge: break
        case .number, .tooSmall: throw Complaint("\(escaped(text)) is below \(shown(range.lowerBound))")
        }
        throw Complaint("\(escaped(text)) is above \(shown(range.upperBound))")
    }
}

private let sizeUnits = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)]
private let durationUnits = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]

/// Decimal digits with at most a minus in front. No leading zero, since YAML 1.1 takes such a number for octal.
private func wholeNumber(_ text: String) -> Magnitude? {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        digits.count == 1 || digits.first != UInt8(ascii: "0")
    else { return nil }
    return Int(text).map(Magnitude.number) ?? (isNegative ? .tooSmall : .tooLarge)
}

/// A whole number and a unit of `units`, in the smallest unit. Without a unit it counts `unitless`; nil refuses that.
private func quantity(_ text: String, units: [(String, Int)], unitless: Int?) -> Magnitude? {
    let unit = text.utf8.reversed().prefix { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    let name = String(decoding: text.utf8.suffix(unit), as: UTF8.self)
    guard let scale = unit == 0 ? unitless : units.first(where: { $0.0.utf8.elementsEqual(name.utf8) })?.1,
        let magnitude = wholeNumber(String(decoding: text.utf8.dropLast(unit), as: UTF8.self))
    else { return nil }
    guard case .number(let number) = magnitude else { return magnitude }
    let (product, overflow) = number.multipliedReportingOverflow(by: scale)
    return overflow ? (number < 0 ? .tooSmall : .tooLarge) : .number(product)
}

/// `value` in the greatest unit that it is a whole number of.
private func inUnits(_ value: Int, _ units: [(String, Int)]) -> String {
    let unit = units.last { value != 0 && value % $0.1 == 0 }
    guard let unit else { return units.first?.0 == "B" ? "\(value)" : "\(value)s" }
    return "\(value / unit.1)\(unit.0)"
}

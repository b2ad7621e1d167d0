extension ValueRule where Value == Int {
    /// A number of bytes within `range`: a whole number, optionally with the unit B, KiB, MiB, GiB or TiB.
    package static func size(_ range: ClosedRange<Int>) -> ValueRule {
        let shown = { @Sendable (size: Int) in inUnits(size, sizeUnits) }
        return ValueRule(
            expected: "a size such as 256MiB",
            schema: [
                "anyOf": [
                    [
                        "type": "integer", "minimum": .number(Double(range.lowerBound)),
                        "maximum": .number(Double(range.upperBound)),
                    ], ["type": "string", "pattern": "^(0|[1-9][0-9]*)(B|KiB|MiB|GiB|TiB)$"],
                ]
            ], values: "\(shown(range.lowerBound))…\(shown(range.upperBound))",
            write: { $0 == 0 ? 0 : .text(shown($0)) }, refusal: { $0.refusal(outside: range) }
        ) { scalar throws(ValueError) in
            guard !scalar.isQuoted, let size = quantity(scalar.text, units: sizeUnits, unitless: 1) else { return nil }
            return try size.within(range, shown: { inUnits($0, sizeUnits) }, asWritten: scalar.text)
        }
    }
}

extension ValueRule where Value == Duration {
    /// A time span within `range`: a whole number and one of the units ms, s, m, h and d.
    package static func duration(_ range: ClosedRange<Duration>) -> ValueRule {
        let milliseconds = range.lowerBound.milliseconds...range.upperBound.milliseconds
        return ValueRule(
            expected: "a time such as 60s, 5m, 24h or 30d",
            schema: ["type": "string", "pattern": "^(0|[1-9][0-9]*)(ms|s|m|h|d)$"],
            values: "\(shown(range.lowerBound))…\(shown(range.upperBound))", write: { .text(shown($0)) },
            refusal: { $0.refusal(outside: range) }
        ) { scalar throws(ValueError) in
            guard !scalar.isQuoted, let span = quantity(scalar.text, units: durationUnits, unitless: nil) else {
                return nil
            }
            return .milliseconds(
                try span.within(milliseconds, shown: { inUnits($0, durationUnits) }, asWritten: scalar.text))
        }
    }
}

/// Returns `time` in the largest unit of which it is a multiple, such as `30d`.
package func shown(_ time: Duration) -> String {
    inUnits(time.milliseconds, durationUnits)
}

extension Duration {
    /// Whole milliseconds, which must fit into an `Int`.
    fileprivate var milliseconds: Int {
        Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}

private let sizeUnits = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)]
private let durationUnits = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]

/// Parses a whole number with one of `units`, and returns it in the smallest unit. A number without a unit counts in
/// `unitless`, or is refused if `unitless` is nil.
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

/// Returns `value` in the largest unit of which it is a multiple.
private func inUnits(_ value: Int, _ units: [(String, Int)]) -> String {
    let unit = units.last { value != 0 && value % $0.1 == 0 }
    guard let unit else { return units.first?.0 == "B" ? "\(value)" : "\(value)s" }
    return "\(value / unit.1)\(unit.0)"
}

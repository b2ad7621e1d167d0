/// Parses an RFC 3339 timestamp in the years 1…9999. Returns nil if `text` is invalid. A leap second counts as the
/// second after it.
package func secondsSince1970(_ text: String) -> Double? {
    var scanner = DateScanner(rest: Array(text.utf8)[...])
    guard let year = scanner.number(4), scanner.literal("-"), let month = scanner.number(2), scanner.literal("-"),
        let day = scanner.number(2), scanner.literal("T") || scanner.literal(" "), let clock = scanner.clock(),
        let fraction = scanner.fraction(), let offset = scanner.offset(), scanner.rest.isEmpty,
        let seconds = CivilTime.seconds(year: year, month: month, day: day, clock: clock - offset * 60)
    else { return nil }
    return Double(seconds) + fraction
}

extension DateScanner {
    /// Consumes a fraction of a second. Returns 0 if there is none, and nil if no digits follow the point.
    fileprivate mutating func fraction() -> Double? {
        guard literal(".") else { return 0 }
        let digits = rest.prefix(while: ASCII.isDigit)
        rest = rest.dropFirst(digits.count)
        return digits.isEmpty ? nil : Double("0." + String(decoding: digits, as: UTF8.self))
    }

    /// Consumes a time zone and returns minutes east of UTC.
    fileprivate mutating func offset() -> Int? {
        if literal("Z") { return 0 }
        let isEast = literal("+")
        guard isEast || literal("-"), let hours = number(2), literal(":"), let minutes = number(2), hours < 24,
            minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isEast ? 1 : -1)
    }
}

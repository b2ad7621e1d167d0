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

/// Returns the time in UTC in the basic format of ISO 8601, such as `20130524T000000Z`. A time outside the years 1…9999
/// counts as the nearest time in them.
package func basicTimestamp(secondsSince1970 seconds: Int) -> String {
    let time = CivilTime(secondsSince1970: min(max(seconds, CivilTime.first), CivilTime.last))
    func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let date = padded(time.year, 4) + padded(time.month, 2) + padded(time.day, 2)
    return "\(date)T\(padded(time.hour, 2))\(padded(time.minute, 2))\(padded(time.second, 2))Z"
}

/// The moment that `text` names by RFC 3339, of the years 1…9999; nil where it is none. A leap second counts as the one
/// after it.
package func secondsSince1970(_ text: String) -> Double? {
    var reader = TimestampReader(Array(text.utf8))
    guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2), reader.skip("-"),
        let day = reader.number(digits: 2), reader.skip("Tt "), let hour = reader.number(digits: 2), reader.skip(":"),
        let minute = reader.number(digits: 2), reader.skip(":"), let second = reader.number(digits: 2),
        let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd,
        (1...9_999).contains(year), (1...12).contains(month), (1...daysInMonth(month, of: year)).contains(day),
        hour < 24, minute < 60, second <= 60
    else { return nil }
    let clock = (hour * 60 + minute - offset) * 60 + second
    return Double(daysSince1970(year: year, month: month, day: day) * 86_400 + clock) + fraction
}

/// Days in the proleptic Gregorian calendar, counted from March so that a leap day ends its year.
private func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
}

private func daysInMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
}

/// Takes a timestamp apart from its start on.
private struct TimestampReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Exactly so many digits, at most 4.
    mutating func number(digits: Int) -> Int? {
        let found = rest.prefix(digits)
        guard found.count == digits, found.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return found.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// One of the characters of `marks`.
    mutating func skip(_ marks: String) -> Bool {
        guard let first = rest.first, marks.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// A part of a second, 0 where there is none; nil where a point has no digits behind it.
    mutating func fraction() -> Double? {
        guard skip(".") else { return 0 }
        let digits = rest.prefix(while: isDigit)
        rest = rest.dropFirst(digits.count)
        return digits.isEmpty ? nil : Double("0." + String(decoding: digits, as: UTF8.self))
    }

    /// Minutes east of UTC.
    mutating func offset() -> Int? {
        if skip("Zz") { return 0 }
        let isEast = rest.first == UInt8(ascii: "+")
        guard skip("+-"), let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2), hours < 24,
            minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isEast ? 1 : -1)
    }
}

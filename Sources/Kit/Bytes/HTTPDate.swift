/// Writes and parses dates as HTTP headers contain them (RFC 9110 5.6.7). The code needs no calendar library and does
/// not depend on the locale.
package enum HTTPDate {
    private static let dayNames: StaticString = "SunMonTueWedThuFriSat"
    private static let monthNames: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
    private static let (days, months) = (names(in: dayNames), names(in: monthNames))
    private static let longDays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        .map { Array($0.utf8) }

    /// Number of bytes of the preferred format.
    package static let count = 29
    private static let pattern: StaticString = "ddd, 00 mmm 0000 00:00:00 GMT"

    private static func names(in text: StaticString) -> [[UInt8]] {
        stride(from: 0, to: text.utf8CodeUnitCount, by: 3).map { start in
            Array(UnsafeBufferPointer(start: text.utf8Start + start, count: 3))
        }
    }

    /// Returns the preferred format, 29 bytes: `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// `seconds` counts from 1970-01-01 UTC. A time outside the years 1 to 9999 is replaced by the nearest time inside.
    package static func format(_ seconds: Int) -> String {
        String(unsafeUninitializedCapacity: count) { text in
            write(seconds, to: UnsafeMutableRawBufferPointer(text))
            return count
        }
    }

    /// Writes a date in the preferred format, like `format`, into memory of the caller. `text` must have `count` bytes.
    package static func write(_ seconds: Int, to text: UnsafeMutableRawBufferPointer) {
        let moment = CivilTime(secondsSince1970: min(max(seconds, CivilTime.first), CivilTime.last))
        func put(_ number: Int, at offset: Int) {
            text[offset] = ASCII.zero + UInt8(truncatingIfNeeded: number / 10 % 10)
            text[offset + 1] = ASCII.zero + UInt8(truncatingIfNeeded: number % 10)
        }
        func put(_ index: Int, of names: StaticString, at offset: Int) {
            for letter in 0..<3 { text[offset + letter] = names.utf8Start[index * 3 + letter] }
        }
        for offset in 0..<count { text[offset] = pattern.utf8Start[offset] }
        put(moment.weekday, of: dayNames, at: 0)
        put(moment.day, at: 5)
        put(moment.month - 1, of: monthNames, at: 8)
        put(moment.year / 100, at: 12)
        put(moment.year, at: 14)
        put(moment.hour, at: 17)
        put(moment.minute, at: 20)
        put(moment.second, at: 23)
    }

    /// Parses any of the three formats: the preferred one, RFC 850's and asctime's. Returns seconds since 1970-01-01
    /// UTC.
    ///
    /// Names and `GMT` may be in any case. The day of the week is not compared with the date (RFC 9110 5.6.7 asks to be
    /// lenient). Returns nil for any other format, and for a date that does not exist. `now`, in the same unit, decides
    /// the century of RFC 850's two-digit year: a year more than 50 years ahead means the past.
    package static func parse(_ text: some Collection<UInt8>, now: Int) -> Int? {
        // The longest format has 33 bytes.
        guard text.count <= 33 else { return nil }
        // Fast path: nearly every date is in the preferred format and case.
        if let seconds = text.withContiguousStorageIfAvailable(plain) ?? nil { return seconds }
        var scanner = DateScanner(rest: Array(text)[...])
        if scanner.name(in: longDays) != nil { return rfc850(&scanner, now: now) }
        guard scanner.name(in: days) != nil else { return nil }
        return scanner.literal(",") ? preferred(&scanner) : asctime(&scanner)
    }

    /// Parses a date in the preferred format, with capital and small letters exactly as in that format. Returns nil for
    /// any other text. Such a text may still be a valid date.
    private static func plain(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard text.count == count else { return nil }
        func number(at offset: Int) -> Int? {
            let (tens, ones) = (text[offset] &- ASCII.zero, text[offset + 1] &- ASCII.zero)
            return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
        }
        func index(in names: StaticString, at offset: Int) -> Int? {
            (0..<names.utf8CodeUnitCount / 3).first { index in
                (0..<3).allSatisfy { text[offset + $0] == names.utf8Start[index * 3 + $0] }
            }
        }
        // Compares the bytes that are neither a digit nor part of a name.
        for offset in 3..<count {
            let mark = pattern.utf8Start[offset]
            guard mark == ASCII.zero || mark == UInt8(ascii: "m") || mark == text[offset] else { return nil }
        }
        guard index(in: dayNames, at: 0) != nil, let day = number(at: 5), let month = index(in: monthNames, at: 8),
            let century = number(at: 12), let year = number(at: 14), let hour = number(at: 17), hour < 24,
            let minute = number(at: 20), minute < 60, let second = number(at: 23), second <= 60
        else { return nil }
        return CivilTime.seconds(
            year: century * 100 + year, month: month + 1, day: day, clock: hour * 3600 + minute * 60 + second)
    }

    /// Parses ` 06 Nov 1994 08:49:37 GMT`, after the comma.
    private static func preferred(_ scanner: inout DateScanner) -> Int? {
        guard scanner.literal(" "), let day = scanner.number(2), scanner.literal(" "),
            let month = scanner.name(in: months), scanner.literal(" "), let year = scanner.number(4),
            scanner.literal(" "), let clock = scanner.clock(), scanner.literal(" GMT"), scanner.rest.isEmpty
        else { return nil }
        return CivilTime.seconds(year: year, month: month + 1, day: day, clock: clock)
    }

    /// Parses `, 06-Nov-94 08:49:37 GMT`.
    private static func rfc850(_ scanner: inout DateScanner, now: Int) -> Int? {
        guard scanner.literal(", "), let day = scanner.number(2), scanner.literal("-"),
            let month = scanner.name(in: months), scanner.literal("-"), let short = scanner.number(2),
            scanner.literal(" "), let clock = scanner.clock(), scanner.literal(" GMT"), scanner.rest.isEmpty
        else { return nil }
        let thisYear = CivilTime(secondsSince1970: min(max(now, CivilTime.first), CivilTime.last)).year
        var year = thisYear - thisYear % 100 + short
        if year > thisYear + 50 { year -= 100 }
        return CivilTime.seconds(year: year, month: month + 1, day: day, clock: clock)
    }

    /// Parses ` Nov  6 08:49:37 1994`. The day has two places, and the first may be a space.
    private static func asctime(_ scanner: inout DateScanner) -> Int? {
        guard scanner.literal(" "), let month = scanner.name(in: months), scanner.literal(" "),
            let day = scanner.literal(" ") ? scanner.number(1) : scanner.number(2),
            scanner.literal(" "), let clock = scanner.clock(), scanner.literal(" "),
            let year = scanner.number(4), scanner.rest.isEmpty
        else { return nil }
        return CivilTime.seconds(year: year, month: month + 1, day: day, clock: clock)
    }
}

/// Parses a date part by part from its front. Each method removes the part that it has parsed from `rest`. Letter case
/// is ignored.
struct DateScanner {
    var rest: ArraySlice<UInt8>

    mutating func literal(_ text: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard starts(with: wanted) else { return false }
        rest = rest.dropFirst(wanted.count)
        return true
    }

    /// Consumes one of `names` and returns its index.
    mutating func name(in names: [[UInt8]]) -> Int? {
        guard let index = names.firstIndex(where: starts) else { return nil }
        rest = rest.dropFirst(names[index].count)
        return index
    }

    private func starts(with text: some Sequence<UInt8>) -> Bool {
        rest.starts(with: text) { ASCII.lowercased($0) == ASCII.lowercased($1) }
    }

    /// Consumes a number of exactly `digits` digits.
    mutating func number(_ digits: Int) -> Int? {
        guard rest.count >= digits, let number = ASCII.decimal(rest.prefix(digits)) else { return nil }
        rest = rest.dropFirst(digits)
        return number
    }

    /// Consumes `08:49:37` and returns the second of the day. A leap second, `:60`, counts as the first second of the
    /// next minute.
    mutating func clock() -> Int? {
        guard let hour = number(2), literal(":"), let minute = number(2), literal(":"), let second = number(2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}

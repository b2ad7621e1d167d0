/// Dates as HTTP writes them (RFC 9110 5.6.7), without a calendar library and without locale.
public enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].map { Array($0.utf8) }
    private static let longDays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        .map { Array($0.utf8) }
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

    /// The preferred form, 29 bytes: `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// `seconds` counts from 1970-01-01 UTC; what lies outside the years 1 to 9999 is moved to the nearest of them.
    public static func format(_ seconds: Int) -> [UInt8] {
        let moment = CivilTime(secondsSince1970: min(max(seconds, CivilTime.first), CivilTime.last))
        var text = [UInt8]()
        text.reserveCapacity(29)
        text += days[moment.weekday]
        text += [UInt8(ascii: ","), ASCII.space]
        append(moment.day, digits: 2, to: &text)
        text.append(ASCII.space)
        text += months[moment.month - 1]
        text.append(ASCII.space)
        append(moment.year, digits: 4, to: &text)
        for (mark, number) in [(" ", moment.hour), (":", moment.minute), (":", moment.second)] {
            text += Array(mark.utf8)
            append(number, digits: 2, to: &text)
        }
        text += Array(" GMT".utf8)
        return text
    }

    /// Seconds since 1970-01-01 UTC of any of the three forms: the preferred one, RFC 850's and asctime's.
    ///
    /// Names and `GMT` may be in any case, and which day of the week is named makes no difference: the date says more than
    /// that (RFC 9110 5.6.7 asks to be lenient). Nil for every other spelling, and for a date that does not exist.
    /// `now`, in the same unit, decides the century of RFC 850's two-digit year: more than 50 years ahead means the past.
    public static func parse(_ text: some Collection<UInt8>, now: Int) -> Int? {
        // The longest form has 33 bytes.
        guard text.count <= 33 else { return nil }
        var scanner = DateScanner(rest: Array(text)[...])
        if scanner.name(in: longDays) != nil { return rfc850(&scanner, now: now) }
        guard scanner.name(in: days) != nil else { return nil }
        return scanner.literal(",") ? preferred(&scanner) : asctime(&scanner)
    }

    /// `, 06 Nov 1994 08:49:37 GMT`, the comma being read.
    private static func preferred(_ scanner: inout DateScanner) -> Int? {
        guard scanner.literal(" "), let day = scanner.number(2), scanner.literal(" "),
            let month = scanner.name(in: months), scanner.literal(" "), let year = scanner.number(4),
            scanner.literal(" "), let clock = scanner.clock(), scanner.literal(" GMT"), scanner.rest.isEmpty
        else { return nil }
        return CivilTime.seconds(year: year, month: month + 1, day: day, clock: clock)
    }

    /// `, 06-Nov-94 08:49:37 GMT`.
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

    /// ` Nov  6 08:49:37 1994`: the day has two places, the first may be a space.
    private static func asctime(_ scanner: inout DateScanner) -> Int? {
        guard scanner.literal(" "), let month = scanner.name(in: months), scanner.literal(" "),
            let day = scanner.literal(" ") ? scanner.number(1) : scanner.number(2),
            scanner.literal(" "), let clock = scanner.clock(), scanner.literal(" "),
            let year = scanner.number(4), scanner.rest.isEmpty
        else { return nil }
        return CivilTime.seconds(year: year, month: month + 1, day: day, clock: clock)
    }

    private static func append(_ number: Int, digits: Int, to text: inout [UInt8]) {
        var divisor = digits == 4 ? 1000 : 10
        while divisor > 0 {
            text.append(ASCII.zero + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }
}

/// Reads a date from its front, without regard to case; every step takes what it returns.
private struct DateScanner {
    var rest: ArraySlice<UInt8>

    mutating func literal(_ text: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard starts(with: wanted) else { return false }
        rest = rest.dropFirst(wanted.count)
        return true
    }

    /// The index of the name that stands here.
    mutating func name(in names: [[UInt8]]) -> Int? {
        guard let index = names.firstIndex(where: starts) else { return nil }
        rest = rest.dropFirst(names[index].count)
        return index
    }

    private func starts(with text: some Sequence<UInt8>) -> Bool {
        rest.starts(with: text) { ASCII.lowercased($0) == ASCII.lowercased($1) }
    }

    /// A number of exactly `digits` digits.
    mutating func number(_ digits: Int) -> Int? {
        guard rest.count >= digits, let number = ASCII.decimal(rest.prefix(digits)) else { return nil }
        rest = rest.dropFirst(digits)
        return number
    }

    /// `08:49:37` as seconds of the day. A leap second, `:60`, counts as the first second of the next minute.
    mutating func clock() -> Int? {
        guard let hour = number(2), literal(":"), let minute = number(2), literal(":"), let second = number(2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}

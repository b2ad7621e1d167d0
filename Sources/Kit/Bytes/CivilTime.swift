/// A date and a time of day in UTC, converted from or to seconds since 1970. Today's calendar rules also apply to the
/// years before the Gregorian calendar was introduced.
///
/// The algorithms count days from 0000-03-01. A year then begins in March, and a leap day is the last day of its year.
/// The calendar repeats after an era of 400 years, or 146,097 days.
struct CivilTime {
    let year, month, day: Int
    let hour, minute, second: Int
    /// 0 is Sunday.
    let weekday: Int

    /// 0001-01-01 00:00:00 and 9999-12-31 23:59:59.
    static let first = -62_135_596_800
    static let last = 253_402_300_799

    private static let daysPerEra = 146_097
    /// Days from 0000-03-01 to 1970-01-01.
    private static let epochDay = 719_468

    /// Creates the date and time that is `seconds` after 1970-01-01 00:00:00. `seconds` must be in `first...last`.
    init(secondsSince1970 seconds: Int) {
        precondition((Self.first...Self.last).contains(seconds), "a civil time lies in the years 1 to 9999")
        let days = Self.floorDivide(seconds, 86_400)
        let clock = seconds - days * 86_400
        (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60)
        // 1970-01-01 was a Thursday.
        weekday = Self.weekday(days)

        let shifted = days + Self.epochDay
        let dayOfEra = shifted % Self.daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + shifted / Self.daysPerEra * 400 + (month <= 2 ? 1 : 0)
    }

    /// Returns seconds since 1970 for a date and a second of its day. Returns nil if the date does not exist, or lies
    /// outside the years 1 to 9999.
    static func seconds(year: Int, month: Int, day: Int, clock: Int) -> Int? {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= length(of: month, in: year) else {
            return nil
        }
        let shiftedYear = month <= 2 ? year - 1 : year
        let yearOfEra = shiftedYear % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = shiftedYear / 400 * daysPerEra + dayOfEra - epochDay
        return days * 86_400 + clock
    }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the day of the week. `days` counts from 1970-01-01.
    private static func weekday(_ days: Int) -> Int {
        ((days + 4) % 7 + 7) % 7
    }

    private static func floorDivide(_ number: Int, _ divisor: Int) -> Int {
        number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
    }
}

import Settings

extension ValueRule where Value == DaylightSource.Time {
    /// `now`, or a date and time (RFC 3339 5.6).
    static var moment: ValueRule {
        ValueRule(expected: "now or a time such as 2026-06-21T12:00:00Z") { scalar in
            if scalar.text == "now" { return .now }
            return secondsSince1970(scalar.text).map(DaylightSource.Time.fixed)
        }
    }
}

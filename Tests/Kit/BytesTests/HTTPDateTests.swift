import Testing

@testable import Bytes

@Suite struct HTTPDateTests {
    private let now = 1_767_225_600  // 2026-01-01

    private func parse(_ text: String) -> Int? {
        HTTPDate.parse(Array(text.utf8), now: now)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Wed Nov 16 08:49:37 1994", 784_975_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        // A wrong weekday and other letter cases.
        ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
        ("SUN, 06 NOV 1994 08:49:37 gMT", 784_111_777), ("SATURDAY, 06-nov-94 08:49:37 Gmt", 784_111_777),
        ("fri noV  6 08:49:37 1994", 784_111_777),
        // The year is 2026. Of two-digit years, 76 is at most 50 years ahead and 77 is not.
        ("Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400),
        ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
    ])
    func readsAllThreeForms(text: String, seconds: Int) {
        #expect(parse(text) == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 N\u{6F}\u{301}v 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Thu, 29 Feb 2001 12:00:00 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
        "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT and a long tail of other things",
    ])
    func rejectsMalformedDates(text: String) {
        #expect(parse(text) == nil)
    }

    @Test func formatsThePreferredForm() {
        #expect(HTTPDate.format(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
    }

    @Test(arguments: [(Int.min, "Mon, 01 Jan 0001 00:00:00 GMT"), (Int.max, "Fri, 31 Dec 9999 23:59:59 GMT")])
    func clampsYearsToFourDigits(seconds: Int, text: String) {
        #expect(HTTPDate.format(seconds) == text)
    }

    /// The step is a prime number, so the loop visits every weekday, month and leap-year rule.
    @Test func parsesEveryDateThatItFormats() {
        var seconds = CivilTime.first
        while seconds <= CivilTime.last {
            #expect(HTTPDate.parse(HTTPDate.format(seconds).utf8, now: now) == seconds)
            seconds += 70_000_027
        }
    }
}

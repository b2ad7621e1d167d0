@testable import Tiles
import Testing

@testable import HTTPClient
@testable import TileSources

/// Tests for the terms in a response's header fields by RFC 9111 and RFC 5861.
@Suite struct URLTermsTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let now = 784_111_777
    private static let nowText = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let full = 1 << 31

    /// A set of header lines in the form `Name: value`, with the expected terms.
    struct Row: CustomTestStringConvertible {
        let fields: [String]
        let lifetime: SourceTerms.Lifetime
        var age = 0
        var mustRevalidate = false

        init(_ fields: String..., is lifetime: SourceTerms.Lifetime, age: Int = 0, must: Bool = false) {
            self.fields = fields
            self.lifetime = lifetime
            self.age = age
            mustRevalidate = must
        }

        var testDescription: String { fields.joined(separator: " | ") }
    }

    private func headers(_ fields: [String]) throws -> UpstreamHeaders {
        let head = ResponseHead()
        for line in ["HTTP/1.1 200 OK"] + fields + [""] {
            let failure = Array((line + "\r\n").utf8).withUnsafeBytes { head.take($0, limit: 100_000) }
            #expect(failure == nil)
        }
        try #require(head.isComplete)
        return head.headers
    }

    private static let lifetimes: [Row] = [
        Row(is: .unsaid),
        Row("Cache-Control: public", is: .unsaid),
        Row("Cache-Control: max-age=60", is: .seconds(60)),
        Row("Cache-Control: max-age=60", "Cache-Control: public", is: .seconds(60)),
        Row("Cache-Control: max-age=60", "Cache-Control: max-age=70", is: .seconds(0)),
        Row("Cache-Control: max-age=60", "Cache-Control: no-store", is: .notStored),
        Row("Cache-Control: max-age=60, s-maxage=5", is: .seconds(5), must: true),
        Row("Cache-Control: s-maxage=50, max-age=6", is: .seconds(50), must: true),
        Row("Cache-Control: s-maxage=x, max-age=6", is: .seconds(0), must: true),
        Row("Cache-Control: max-age=0", is: .seconds(0)),
        Row("Cache-Control: max-age=99999999999999999999", is: .seconds(full)),
        Row("Cache-Control: must-revalidate", is: .unsaid, must: true),
        Row("Cache-Control: max-age=9, proxy-revalidate", is: .seconds(9), must: true),
        Row("Cache-Control: no-cache", is: .seconds(0), must: true),
        Row("Cache-Control: no-cache, max-age=60", is: .seconds(0), must: true),
        Row("Cache-Control: no-cache=\"set-cookie\", max-age=60", is: .seconds(60)),
        Row("Cache-Control: private=\"set-cookie\", max-age=60", is: .seconds(60)),
        Row("Cache-Control: no-store", is: .notStored),
        Row("Cache-Control: private, max-age=60", is: .notStored),
        Row("Cache-Control: no-store, must-understand, max-age=60", is: .seconds(60)),
        Row("Cache-Control: must-understand, private", is: .notStored),
        Row("Cache-Control: no-cache, no-store, must-revalidate", is: .notStored, must: true),
        Row("Pragma: no-cache", is: .unsaid),
        Row("Set-Cookie: a=b", "Cache-Control: max-age=60", is: .notStored),
        Row("Vary: *", "Cache-Control: max-age=60", is: .notStored),
        Row("Vary: Accept-Encoding, *", is: .notStored),
        Row("Vary: Accept-Encoding", "Vary:  * ", is: .notStored),
        Row("Vary: Accept-Encoding, Origin", "Cache-Control: max-age=60", is: .seconds(60)),
        Row("Vary: x*", is: .unsaid),
    ]

    private static let dates: [Row] = [
        Row("Expires: Sun, 06 Nov 1994 08:50:37 GMT", "Date: \(nowText)", is: .seconds(60)),
        Row("Expires: Sunday, 06-Nov-94 08:50:37 GMT", "Date: \(nowText)", is: .seconds(60)),
        Row("Expires: Sun Nov  6 08:50:37 1994", "Date: \(nowText)", is: .seconds(60)),
        // `Date` is the time of the upstream's clock, which may differ from ours.
        Row("Expires: Sun, 06 Nov 1994 08:50:37 GMT", "Date: Sun, 06 Nov 1994 08:49:27 GMT", is: .seconds(70), age: 10),
        Row("Expires: Sun, 06 Nov 1994 08:50:37 GMT", "Date: Sun, 06 Nov 1994 08:50:07 GMT", is: .seconds(30)),
        // If `Date` is missing or invalid, the time of arrival counts.
        Row("Expires: Sun, 06 Nov 1994 08:50:37 GMT", is: .seconds(60)),
        Row("Expires: Sun, 06 Nov 1994 08:50:37 GMT", "Date: yesterday", is: .seconds(60)),
        Row("Expires: Sun, 06 Nov 1994 08:49:37 GMT", "Date: \(nowText)", is: .seconds(0)),
        Row("Expires: Sun, 06 Nov 1994 08:49:36 GMT", "Date: \(nowText)", is: .seconds(0)),
        Row("Expires: Thu, 01 Jan 1970 00:00:00 GMT", "Date: \(nowText)", is: .seconds(0)),
        Row("Expires: Fri, 31 Dec 9999 23:59:59 GMT", "Date: \(nowText)", is: .seconds(full)),
        Row("Expires: 0", is: .seconds(0)),
        Row("Expires: -1", is: .seconds(0)),
        Row("Expires:", is: .seconds(0)),
        Row("Expires: never", is: .seconds(0)),
        Row("Expires: mon, 06 NOV 1994 08:50:37 gmt", is: .seconds(60)),
        Row("Expires: Sun, 06 Nov 1994 08:50:37 GMT", "Expires: Sun, 06 Nov 1994 08:51:37 GMT", is: .seconds(0)),
        Row("Expires: 0", "Cache-Control: max-age=60", is: .seconds(60)),
        Row("Expires: Fri, 31 Dec 9999 23:59:59 GMT", "Cache-Control: max-age=x", is: .seconds(0)),
        Row("Expires: 0", "Cache-Control: s-maxage=60", is: .seconds(60), must: true),
        Row("Expires: Fri, 31 Dec 9999 23:59:59 GMT", "Cache-Control: no-cache", is: .seconds(0), must: true),
    ]

    private static let ages: [Row] = [
        Row("Age: 7", is: .unsaid, age: 7),
        Row("Age: 0", is: .unsaid),
        Row("Age: -1", is: .unsaid),
        Row("Age: +1", is: .unsaid),
        Row("Age: 1.5", is: .unsaid),
        Row("Age: old", is: .unsaid),
        Row("Age:", is: .unsaid),
        Row("Age: 7, 9", is: .unsaid, age: 7),
        Row("Age: 7 , 9", is: .unsaid, age: 7),
        Row("Age: 7 9", is: .unsaid),
        Row("Age: x, 9", is: .unsaid),
        Row("Age: 9", "Age: 7", is: .unsaid, age: 9),
        Row("Age: 99999999999999999999", is: .unsaid, age: full),
        Row("Date: Sun, 06 Nov 1994 08:49:27 GMT", is: .unsaid, age: 10),
        Row("Date: Sun, 06 Nov 1994 08:49:27 GMT", "Age: 7", is: .unsaid, age: 10),
        Row("Date: Sun, 06 Nov 1994 08:49:27 GMT", "Age: 70", is: .unsaid, age: 70),
        Row("Date: Sun, 06 Nov 1994 08:59:37 GMT", "Age: 7", is: .unsaid, age: 7),
        Row("Date: Mon, 01 Jan 0001 00:00:00 GMT", is: .unsaid, age: full),
        Row("Date: Fri, 31 Dec 9999 23:59:59 GMT", is: .unsaid),
        Row("Date: 0", "Age: 3", "Cache-Control: max-age=60", is: .seconds(60), age: 3),
    ]

    @Test(arguments: lifetimes + dates + ages)
    func parsesTerms(row: Row) throws {
        let terms = SourceTerms(try headers(row.fields), now: Self.now, delay: 0)
        #expect(terms.lifetime == row.lifetime)
        #expect(terms.age == row.age)
        #expect(terms.mustRevalidate == row.mustRevalidate)
        #expect(terms.staleWhileRevalidate == nil)
        #expect(terms.staleIfError == nil)
    }

    /// `s-maxage` applies only to this cache (RFC 9111 5.2.2.10).
    @Test(arguments: [
        (["Cache-Control: s-maxage=50, max-age=6"], 6), (["Cache-Control: s-maxage=5, max-age=60"], 60),
        (["Cache-Control: s-maxage=50", "Expires: Sun, 06 Nov 1994 08:50:37 GMT"], 60),
        (["Cache-Control: s-maxage=50", "Expires: 0"], 0), (["Cache-Control: s-maxage=50"], nil),
        (["Cache-Control: max-age=6"], nil), (["Cache-Control: s-maxage=50, max-age=6, no-cache"], nil),
    ])
    func separatesLifetimeForClients(fields: [String], seconds: Int?) throws {
        #expect(SourceTerms(try headers(fields), now: Self.now, delay: 0).clientLifetime == seconds)
    }

    @Test func keepsDateOfSource() throws {
        let terms = SourceTerms(try headers(["Date: Sun, 06 Nov 1994 08:49:27 GMT"]), now: Self.now, delay: 0)
        #expect(terms.date == Self.now - 10)
        #expect(SourceTerms(try headers(["Date: today"]), now: Self.now, delay: 0).date == nil)
    }

    /// RFC 9111 4.2.3: the transfer time is added to `Age`, but not to the age that follows from `Date`.
    @Test(arguments: [
        (["Age: 7"], 3, 10), ([], 3, 3), (["Date: Sun, 06 Nov 1994 08:49:27 GMT"], 3, 10),
        (["Age: 8", "Date: Sun, 06 Nov 1994 08:49:27 GMT"], 3, 11), (["Age: 7"], -3, 7), (["Age: 2147483648"], 9, full),
        ([], Int.max, full),
    ])
    func addsTransferTimeToAge(fields: [String], delay: Int, age: Int) throws {
        #expect(SourceTerms(try headers(fields), now: Self.now, delay: delay).age == age)
    }

    @Test func parsesStaleTimes() throws {
        let fields = ["Cache-Control: max-age=60, stale-while-revalidate=30", "Cache-Control: stale-if-error=86400"]
        let terms = SourceTerms(try headers(fields), now: Self.now, delay: 0)
        #expect((terms.staleWhileRevalidate, terms.staleIfError) == (30, 86_400))
    }

    /// Any time of our own clock must be accepted without a trap.
    @Test(arguments: [Int.min, 0, Int.max])
    func acceptsAnyTimeOfOwnClock(now: Int) throws {
        let fields = ["Date: \(Self.nowText)", "Expires: Fri, 31 Dec 9999 23:59:59 GMT", "Age: 1"]
        let terms = SourceTerms(try headers(fields), now: now, delay: 0)
        #expect((0...Self.full).contains(terms.age))
    }
}

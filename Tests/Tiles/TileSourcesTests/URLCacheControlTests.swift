import Testing

@testable import TileSources

/// Tests for parsing `Cache-Control` by RFC 9111 5.2.2 and RFC 5861.
@Suite struct URLCacheControlTests {
    private static let full = 1 << 31

    @Test(arguments: [
        ("max-age=60", 60), ("max-age=0", 0), ("max-age=007", 7), ("MAX-AGE=60", 60), ("Max-Age=60, public", 60),
        ("public,max-age=60", 60), ("public ,\tmax-age=60\t", 60), (",, ,max-age=60,,", 60), ("max-age=\"60\"", 60),
        ("max-age=\"6\\0\"", 60), ("max-age=2147483647", 2_147_483_647), ("max-age=2147483648", full),
        ("max-age=2147483649", full), ("max-age=99999999999999999999", full),
        ("max-age=" + String(repeating: "9", count: 5000), full),
        // Repeated directives.
        ("max-age=60, max-age=60", 60), ("max-age=60, max-age=\"60\"", 60), ("max-age=60, max-age=61", 0),
        ("max-age=60, max-age=x", 0), ("max-age=61, max-age=60, max-age=61", 0),
        // A value that is not a number of seconds makes the response stale.
        ("max-age", 0), ("max-age=", 0), ("max-age=\"\"", 0), ("max-age=-1", 0), ("max-age=+60", 0),
        ("max-age=1.5", 0), ("max-age=1e3", 0), ("max-age=0x60", 0), ("max-age=60s", 0), ("max-age=60 s", 0),
        ("max-age=60;public", 0), ("max-age =60", 0), ("max-age= 60", 0), ("max-age=\" 60\"", 0), ("max-age=\"60", 0),
        ("max-age=60\"\"", 0), ("max-age=\u{0666}\u{0660}", 0), ("max-age='60'", 0), ("max-age=6_0", 0),
        // Values without a `max-age` directive.
        ("", nil), (",", nil), ("public", nil), ("x-max-age=60", nil), ("max-age2=60", nil), ("maxage=60", nil),
        ("max_age=60", nil), ("foo=\"max-age=60\"", nil), ("foo=\"a, max-age=60\"", nil), ("\"max-age=60\"", nil),
        ("=60", nil), ("max\u{2010}age=60", nil), ("immutable, must-understand, foo=bar", nil),
        ("\u{212A}max-age=60", nil),
        // An unmatched quotation mark does not hide later directives.
        ("foo=\"bar, max-age=60", 60), ("foo=\"a\\\", max-age=60", 60), ("foo=\"a\\\"\", max-age=60", 60),
        ("foo=@, max-age=60", 60), ("(), max-age=60", 60), ("\u{E9}, max-age=60", 60), ("foo=\"\", max-age=60", 60),
    ])
    func parsesMaxAge(text: String, seconds: Int?) {
        let control = CacheControl(text)
        #expect(control.maxAge == seconds)
        #expect(control.sharedMaxAge == nil)
        #expect(!control.noStore && !control.isPrivate && !control.noCache && !control.mustRevalidate)
    }

    @Test(arguments: [
        ("s-maxage=5", 5), ("S-MAXAGE=\"5\"", 5), ("s-maxage", 0), ("s-maxage=x", 0), ("s-maxage=5, s-maxage=6", 0),
        ("s-maxage=99999999999", full),
    ])
    func parsesSharedMaxAge(text: String, seconds: Int) {
        let control = CacheControl(text)
        #expect(control.sharedMaxAge == seconds)
        #expect(control.maxAge == nil)
        // RFC 9111 5.2.2.10.
        #expect(control.mustRevalidate)
    }

    @Test(arguments: [
        ("no-store", true, false, false), ("No-Store", true, false, false), ("no-store=1", true, false, false),
        ("no-store;x", true, false, false), ("foo=\"no-store\"", false, false, false),
        ("foo=\"x, no-store", true, false, false),
        // RFC 9111 5.2.2.3.
        ("must-understand, no-store", false, false, false), ("no-store, Must-Understand", false, false, false),
        ("must-understand", false, false, false), ("must-understand, private", false, true, false),
        ("foo=\"must-understand\", no-store", true, false, false),
        ("private", false, true, false), ("PRIVATE, max-age=5", false, true, false),
        ("private=\"set-cookie\"", false, false, false), ("private=set-cookie", false, false, false),
        ("private=\"\"", false, true, false), ("private=", false, true, false), ("private=\"x", false, true, false),
        ("private=\"x\", private", false, true, false),
        ("no-cache", false, false, true), ("no-cache=\"Set-Cookie, X\"", false, false, false),
        ("no-cache=\"\"", false, false, true), ("no-cache=set-cookie", false, false, false),
        ("no-cache x", false, false, true), ("max-age=5,no-cache,no-store,private", true, true, true),
        ("nostore, no_cache, privat, no-stores", false, false, false),
    ])
    func parsesForbiddingDirectives(text: String, noStore: Bool, isPrivate: Bool, noCache: Bool) {
        let control = CacheControl(text)
        #expect(control.noStore == noStore)
        #expect(control.isPrivate == isPrivate)
        #expect(control.noCache == noCache)
        #expect(control.mustRevalidate == noCache)
    }

    @Test(arguments: ["must-revalidate", "proxy-revalidate", "Must-Revalidate", "max-age=5, proxy-revalidate=1"])
    func parsesRevalidationDirectives(text: String) {
        #expect(CacheControl(text).mustRevalidate)
    }

    @Test(arguments: [
        ("stale-while-revalidate=30, stale-if-error=86400", 30, 86_400), ("Stale-If-Error=\"7\"", nil, 7),
        ("stale-while-revalidate=0", 0, nil), ("stale-while-revalidate", nil, nil), ("stale-if-error=-1", nil, nil),
        ("stale-if-error=99999999999", nil, full), ("stale-while-revalidate=9, stale-while-revalidate=3", 3, nil),
        ("stale-while-revalidate=9, stale-while-revalidate=x", 9, nil), ("stale-while-revalidated=9", nil, nil),
    ])
    func parsesStaleTimes(text: String, revalidating: Int?, failing: Int?) {
        let control = CacheControl(text)
        #expect(control.staleWhileRevalidate == revalidating)
        #expect(control.staleIfError == failing)
        #expect(control.maxAge == nil)
    }

    /// The parser must end for any input and find a directive after the last comma.
    @Test func acceptsAnyBytes() {
        let alphabet = Array("max-age=60\"\\, \t;=,no-store\u{E9}")
        for _ in 0..<5_000 {
            let text = String((0..<Int.random(in: 0...24)).compactMap { _ in alphabet.randomElement() })
            // An open quotation mark in the text may hide the last directive.
            #expect(CacheControl(text + ",no-store").noStore || text.contains("\""), "\(text)")
        }
    }
}

import Bytes
import HTTPClient
import Tiles

extension SourceTerms {
    /// Entity tags longer than this, in bytes, are not kept: they would cost more than asking anew.
    static let longestTag = 1_024

    /// Seconds from 1970 to beyond the year 9999.
    private static let furthest = 1 << 40

    /// What the fields of a response say to a shared cache (RFC 9111 3, 4.2, 5.2.2 and 5.3; RFC 5861). Pure.
    ///
    /// `now`, in seconds since 1970, is when the response came, `delay` the seconds between the request and then. Neither
    /// an `Authorization` that the layer sends (the operator's own, the same for all clients) nor a `Vary` by name
    /// (every request of a layer is alike) keeps an answer from being stored. `validators` is left to the caller.
    init(_ headers: UpstreamHeaders, now: Int, delay: Int) {
        self.init()
        // No date is further away, and so no difference overflows.
        let now = min(max(now, -Self.furthest), Self.furthest)
        let control = headers.cacheControl.map { CacheControl($0) } ?? CacheControl()
        let date = headers.date.flatMap { HTTPDate.parse($0.utf8, now: now) }
        mustRevalidate = control.mustRevalidate
        staleWhileRevalidate = control.staleWhileRevalidate
        staleIfError = control.staleIfError
        lifetime = Self.lifetime(headers, control, date: date, now: now)
        if control.sharedMaxAge != nil, !control.noCache {
            clientLifetime = control.maxAge ?? Self.untilExpires(headers, date: date, now: now)
        }
        self.date = date
        age = Self.age(headers.age, date: date, now: now, delay: delay)
    }

    private static func lifetime(
        _ headers: UpstreamHeaders, _ control: CacheControl, date: Int?, now: Int
    ) -> Lifetime {
        if control.noStore || control.isPrivate || headers.setsCookie || headers.vary.map(variesByAnything) == true {
            return .notStored
        }
        if control.noCache { return .seconds(0) }
        if let seconds = control.sharedMaxAge ?? control.maxAge { return .seconds(seconds) }
        return untilExpires(headers, date: date, now: now).map(Lifetime.seconds) ?? .unsaid
    }

    /// Nil where there is no `Expires`.
    private static func untilExpires(_ headers: UpstreamHeaders, date: Int?, now: Int) -> Int? {
        guard let expires = headers.expires else { return nil }
        // What is no date, such as `0`, means a time in the past (RFC 9111 5.3).
        guard let end = HTTPDate.parse(expires.utf8, now: now) else { return 0 }
        return min(max(end - (date ?? now), 0), DeltaSeconds.largest)
    }

    /// The corrected initial age (RFC 9111 4.2.3).
    private static func age(_ field: String?, date: Int?, now: Int, delay: Int) -> Int {
        let corrected = (field.flatMap(told) ?? 0) + min(max(delay, 0), DeltaSeconds.largest)
        let apparent = max(now - (date ?? now), 0)
        return min(max(apparent, corrected), DeltaSeconds.largest)
    }

    /// The first of several values counts, and what is no number counts as nothing (RFC 9111 5.1).
    private static func told(_ age: String) -> Int? {
        var first = age.utf8.prefix { $0 != UInt8(ascii: ",") }
        while let last = first.last, last == ASCII.space || last == ASCII.tab { first.removeLast() }
        return DeltaSeconds.parse(first)
    }

    /// Whether `*` is among the members of a `Vary` (RFC 9110 12.5.5).
    private static func variesByAnything(_ vary: String) -> Bool {
        // Most have none: nothing is cut up for them.
        vary.utf8.contains(UInt8(ascii: "*"))
            && vary.utf8.split(separator: UInt8(ascii: ",")).contains { member in
                member.filter { $0 != ASCII.space && $0 != ASCII.tab }.elementsEqual("*".utf8)
            }
    }
}

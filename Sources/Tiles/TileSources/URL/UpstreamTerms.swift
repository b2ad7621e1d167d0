import Bytes
import HTTPClient
import Tiles

extension SourceTerms {
    /// Maximum length of an entity tag in bytes. Longer tags are not kept, because they take memory for each tile.
    static let longestTag = 1_024

    /// Seconds from 1970 to after the year 9999.
    private static let furthest = 1 << 40

    /// Reads from the header fields of a response how long a shared cache may keep it. Follows RFC 9111 3, 4.2, 5.2.2
    /// and 5.3, and RFC 5861. `now` is the time of the response in seconds since 1970. `delay` is the number of seconds
    /// between the request and the response. The caller sets `validators`.
    ///
    /// An `Authorization` field in the request does not prevent storing, because it is the operator's own and the same
    /// for all clients. A `Vary` field with names does not prevent storing either, because all requests of a layer have
    /// the same fields, except for traces and conditions.
    init(_ headers: UpstreamHeaders, now: Int, delay: Int) {
        self.init()
        // Limit the date, so that no difference overflows.
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

    /// Seconds until `Expires`. Nil if there is no such field.
    private static func untilExpires(_ headers: UpstreamHeaders, date: Int?, now: Int) -> Int? {
        guard let expires = headers.expires else { return nil }
        // A value that is not a date, such as `0`, means a time in the past (RFC 9111 5.3).
        guard let end = HTTPDate.parse(expires.utf8, now: now) else { return 0 }
        return min(max(end - (date ?? now), 0), DeltaSeconds.largest)
    }

    /// The corrected initial age (RFC 9111 4.2.3).
    private static func age(_ field: String?, date: Int?, now: Int, delay: Int) -> Int {
        let corrected = (field.flatMap(told) ?? 0) + min(max(delay, 0), DeltaSeconds.largest)
        let apparent = max(now - (date ?? now), 0)
        return min(max(apparent, corrected), DeltaSeconds.largest)
    }

    /// Returns the first of several values. Returns nil if it is not a number (RFC 9111 5.1).
    private static func told(_ age: String) -> Int? {
        var first = age.utf8.prefix { $0 != UInt8(ascii: ",") }
        while let last = first.last, last == ASCII.space || last == ASCII.tab { first.removeLast() }
        return DeltaSeconds.parse(first)
    }

    /// Reports whether `*` is a member of a `Vary` field (RFC 9110 12.5.5).
    private static func variesByAnything(_ vary: String) -> Bool {
        // Most fields have no `*`, and need not be split.
        vary.utf8.contains(UInt8(ascii: "*"))
            && vary.utf8.split(separator: UInt8(ascii: ",")).contains { member in
                member.filter { $0 != ASCII.space && $0 != ASCII.tab }.elementsEqual("*".utf8)
            }
    }
}

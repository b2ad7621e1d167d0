/// What an answer says to caches: `Cache-Control` (RFC 9111 5.2), `Age` (RFC 9111 5.1), `Cache-Status` (RFC 9211).
///
/// Plain numbers, so that a cached answer is described without an allocation. Times in whole seconds.
public struct Caching: Sendable {
    public enum Control: Sendable, Equatable {
        /// No `Cache-Control` at all.
        case unsaid
        case noStore
        /// May be kept, must be asked about before each use.
        case noCache
        /// Fresh until its age is `maxAge`; after that of use for so many seconds (RFC 5861), or not at all without
        /// being asked about (RFC 9111 5.2.2.2).
        case lifetime(
            maxAge: Int, staleWhileRevalidate: UInt32 = 0, staleIfError: UInt32 = 0, mustRevalidate: Bool = false)
        /// The answer never changes under its URL: a year and `immutable` (RFC 8246).
        case immutable
    }

    public enum Source: Sendable {
        /// No `Cache-Status`: the answer has nothing to do with a cache.
        case unsaid
        /// From the cache; `ttl` seconds of freshness are left, or it has been stale for so long where that is negative.
        /// `tier` is where it lay, as a token.
        case hit(ttl: Int, tier: StaticString)
        /// From the cache, stale, because nothing newer could be had; `why` in a word.
        case stale(why: Staleness)
        /// Made for this request, or for another one that this request waited for.
        case miss(Miss)
        /// Known without a look into the cache: the place lies outside what the resource covers.
        case outside
        /// Not in the cache, and not asked for.
        case unasked(Reason)
    }

    /// Why a stale answer had to do.
    public enum Staleness: Sendable, Equatable {
        case error, backOff, offline
    }

    /// Why nobody was asked.
    public enum Reason: Sendable, Equatable {
        /// It failed a moment ago.
        case backOff
        /// The source is left alone for now.
        case down
        case offline
        /// Too much is going on.
        case overloaded
    }

    /// How an answer was made.
    public struct Miss: Sendable, Equatable {
        /// Made for another request, which this one waited for.
        public var collapsed = false
        public var stored = false
        /// A stale answer was there.
        public var wasStale = false
        /// The source said that it is still good.
        public var isRevalidated = false
        /// A tier that should have stored it could not.
        public var skippedStore = false

        public init() {}
    }

    public var control: Control
    /// What `CDN-Cache-Control` says (RFC 9213): `max-age` of so many seconds; 0: there is none.
    public var sharedMaxAge = 0
    public var source: Source
    /// Seconds since the answer was made; nil: no `Age`.
    public var age: Int?
    /// Microseconds that making the answer took, for `Server-Timing`; nil where nothing was made.
    public var fillMicroseconds: Int?

    public init(_ control: Control, source: Source = .unsaid, age: Int? = nil, fillMicroseconds: Int? = nil) {
        self.control = control
        self.source = source
        self.age = age
        self.fillMicroseconds = fillMicroseconds
    }
}

extension ByteWriter {
    /// `cache`: how `Cache-Status` calls the cache.
    mutating func write(_ caching: Caching, _ cache: StaticString) {
        write(caching.control)
        if caching.sharedMaxAge > 0 {
            write("CDN-Cache-Control: max-age=")
            write(decimal: caching.sharedMaxAge)
            write("\r\n")
        }
        if let age = caching.age {
            write("Age: ")
            write(decimal: age)
            write("\r\n")
        }
        write(caching.source, cache)
        if let microseconds = caching.fillMicroseconds {
            write("Server-Timing: fill;dur=")
            write(decimal: microseconds / 1000)
            write(".")
            write(decimal: microseconds % 1000 / 100)
            write("\r\n")
        }
    }

    private mutating func write(_ control: Caching.Control) {
        switch control {
        case .unsaid: break
        case .noStore: write("Cache-Control: no-store\r\n")
        case .noCache: write("Cache-Control: no-cache\r\n")
        case .immutable: write("Cache-Control: public, max-age=31536000, immutable\r\n")
        case .lifetime(let maxAge, let staleWhileRevalidate, let staleIfError, let mustRevalidate):
            write("Cache-Control: public, max-age=")
            write(decimal: maxAge)
            if mustRevalidate { write(", must-revalidate") }
            if staleWhileRevalidate > 0 {
                write(", stale-while-revalidate=")
                write(decimal: Int(staleWhileRevalidate))
            }
            if staleIfError > 0 {
                write(", stale-if-error=")
                write(decimal: Int(staleIfError))
            }
            write("\r\n")
        }
    }

    private mutating func write(_ source: Caching.Source, _ cache: StaticString) {
        if case .unsaid = source { return }
        write("Cache-Status: ")
        write(cache)
        switch source {
        case .unsaid: break
        case .hit(let ttl, let tier):
            write("; hit; ttl=")
            if ttl < 0 { write("-") }
            write(decimal: abs(ttl))
            write("; detail=")
            write(tier)
        case .stale(.error): write("; fwd=stale; detail=error")
        case .stale(.backOff): write("; fwd=stale; detail=back-off")
        case .stale(.offline): write("; fwd=stale; detail=offline")
        case .outside: write("; detail=outside")
        case .unasked(.backOff): write("; detail=back-off")
        case .unasked(.down): write("; detail=down")
        case .unasked(.offline): write("; detail=offline")
        case .unasked(.overloaded): write("; detail=overloaded")
        case .miss(let miss):
            write(miss.wasStale ? "; fwd=stale" : "; fwd=miss")
            if miss.isRevalidated { write("; fwd-status=304") }
            if miss.collapsed { write("; collapsed") }
            if miss.stored { write("; stored") }
            if miss.skippedStore { write("; detail=store-skipped") }
        }
        write("\r\n")
    }
}

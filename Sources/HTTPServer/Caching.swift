/// What an answer says to caches: `Cache-Control` (RFC 9111 5.2), `Age` (RFC 9111 5.1), `Cache-Status` (RFC 9211).
///
/// Plain numbers, so that a cached answer is described without an allocation. Times in whole seconds.
public struct Caching: Sendable, Equatable {
    public enum Control: Sendable, Equatable {
        /// No `Cache-Control` at all.
        case unsaid
        case noStore
        /// May be kept, must be asked about before each use.
        case noCache
        case lifetime(maxAge: Int)
        /// The answer never changes under its URL: a year and `immutable` (RFC 8246).
        case immutable
    }

    public enum Source: Sendable, Equatable {
        /// No `Cache-Status`: the answer has nothing to do with a cache.
        case unsaid
        /// From memory; `ttl` seconds of freshness are left.
        case hit(ttl: Int)
        /// Made for this request, or for another one that this request waited for (`collapsed`).
        case miss(collapsed: Bool, stored: Bool)
        /// Known without a look into the cache: the place lies outside what the resource covers.
        case outside
        /// Not asked for, because it failed a moment ago.
        case backingOff
    }

    public var control: Control
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
    mutating func write(_ caching: Caching) {
        write(caching.control)
        if let age = caching.age {
            write("Age: ")
            write(decimal: age)
            write("\r\n")
        }
        write(caching.source)
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
        case .lifetime(let maxAge):
            write("Cache-Control: public, max-age=")
            write(decimal: maxAge)
            write("\r\n")
        }
    }

    private mutating func write(_ source: Caching.Source) {
        switch source {
        case .unsaid: break
        case .hit(let ttl):
            write("Cache-Status: tileserver; hit; ttl=")
            write(decimal: ttl)
            write("; detail=memory\r\n")
        case .outside: write("Cache-Status: tileserver; detail=outside\r\n")
        case .backingOff: write("Cache-Status: tileserver; detail=back-off\r\n")
        case .miss(let collapsed, let stored):
            write("Cache-Status: tileserver; fwd=miss")
            if collapsed { write("; collapsed") }
            if stored { write("; stored") }
            write("\r\n")
        }
    }
}

import Bytes

/// The values of a response's header fields for caches, such as `Cache-Control` (RFC 9111 5.2) and `Age` (RFC 9111
/// 5.1).
///
/// The values are plain numbers and fixed texts, so that a response from the cache needs no allocation. Times are in
/// whole seconds, except `timing`.
public struct Caching: Sendable {
    public enum Control: Sendable, Equatable {
        /// No `Cache-Control` field.
        case unsaid
        case noStore
        /// Caches may keep the response, but must revalidate it before each use.
        case noCache
        /// Fresh until its age is `maxAge`. After that, caches may use the stale response for the given seconds (RFC
        /// 5861). With `mustRevalidate`, caches must revalidate it first (RFC 9111 5.2.2.2).
        case lifetime(
            maxAge: Int, staleWhileRevalidate: UInt32 = 0, staleIfError: UInt32 = 0, mustRevalidate: Bool = false)
        /// The response never changes under its URL: one year and `immutable` (RFC 8246).
        case immutable
    }

    public var control: Control
    /// `max-age` of `CDN-Cache-Control` (RFC 9213), in seconds. 0 means no such field.
    public var sharedMaxAge = 0
    /// Seconds since the response was created, or since its source last confirmed it (RFC 9111 5.1). Nil means no `Age`
    /// field.
    public var age: Int?
    /// A line after these fields, such as `Cache-Status` (RFC 9211).
    public var status: FieldLine
    /// Name of the `Server-Timing` metric, and its value in microseconds.
    public var timing: (name: StaticString, microseconds: Int)?

    public init(
        _ control: Control, age: Int? = nil, status: FieldLine = .none,
        timing: (name: StaticString, microseconds: Int)? = nil
    ) {
        self.control = control
        self.age = age
        self.status = status
        self.timing = timing
    }
}

/// A field line that is written when its response is sent. Plain values, so that a copy counts no references.
///
/// `@unchecked Sendable`, because the bytes of `kept` are never changed or freed.
public enum FieldLine: @unchecked Sendable {
    case none
    /// A complete line with its CRLF, which exists until the process ends.
    case kept(UnsafeRawBufferPointer)
    /// A text, a number and two more texts, without the CRLF. Written without an allocation.
    case numbered(StaticString, Int, StaticString, StaticString)
}

extension ByteWriter {
    mutating func write(_ caching: Caching) {
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
        switch caching.status {
        case .none: break
        case .kept(let line): write(line)
        case .numbered(let start, let number, let middle, let end):
            write(start)
            if number < 0 { write("-") }
            write(decimal: abs(number))
            write(middle)
            write(end)
            write("\r\n")
        }
        if let timing = caching.timing {
            write("Server-Timing: ")
            write(timing.name)
            write(";dur=")
            write(decimal: timing.microseconds / 1000)
            write(".")
            write(decimal: timing.microseconds % 1000 / 100)
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
}

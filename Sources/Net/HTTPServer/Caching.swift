import Bytes

/// The fields of an answer for caches: `Cache-Control` (RFC 9111 5.2), `Age` (RFC 9111 5.1).
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

    public var control: Control
    /// The `max-age` of `CDN-Cache-Control` (RFC 9213), in seconds; 0: no such field.
    public var sharedMaxAge = 0
    /// Seconds since the answer was made; nil: no `Age`.
    public var age: Int?
    /// The line that stands behind these, such as `Cache-Status` (RFC 9211).
    public var status: FieldLine
    /// The metric of `Server-Timing`, and its microseconds.
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

/// A field line that is written when its answer is sent. Plain values: a copy of an answer counts no references.
///
/// The bytes of `kept` are never written again, nor freed.
public enum FieldLine: @unchecked Sendable {
    case none
    /// A complete line with its CRLF, which lives as long as the process.
    case kept(UnsafeRawBufferPointer)
    /// A text, a number and two texts more, without the CRLF: written without an allocation.
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

/// The answer of a source to a request for a tile. If the caller already has an earlier answer, the source may confirm
/// it instead of sending the tile again.
public enum SourceAnswer: Sendable {
    /// The present answer of the source, and how long it is valid.
    case result(TileResult, SourceTerms)
    /// The answer that the caller holds is still valid under these terms (304, RFC 9110 15.4.5).
    case notModified(SourceTerms)

    /// The tile of an answer to a request without validators.
    public var result: TileResult {
        switch self {
        case .result(let result, _): result
        // The caller held no answer, so "not modified" has no meaning.
        case .notModified: .unavailable(.failed)
        }
    }
}

/// Tells how long the answer of a source may be kept, and under which conditions (RFC 9111, RFC 5861). All durations
/// are whole seconds, 0…2^31.
public struct SourceTerms: Sendable, Hashable {
    /// The time for which an answer is fresh.
    public enum Lifetime: Sendable, Hashable {
        /// The source gives no lifetime.
        case unsaid
        /// Fresh for this long after the source made the answer. 0 means that the answer must be revalidated before
        /// each use.
        case seconds(Int)
        /// The answer must not be kept at all, or not by a shared cache.
        case notStored
    }

    /// Lifetime of the answer in a shared cache.
    public var lifetime = Lifetime.unsaid
    /// Lifetime in a private cache. If `s-maxage` is present, this is `max-age`, or else the time until `Expires`. Nil:
    /// like `lifetime`.
    public var clientLifetime: Int?
    /// The lifetime of an answer that is made from other tiles. Nil if it must not be kept.
    package var inherited: TileLife?
    /// Age of the answer on arrival (RFC 9111 4.2.3).
    public var age = 0
    /// Time when the source sent the answer, by its own clock, in seconds since 1970 (RFC 9110 6.6.1). Nil if unknown.
    public var date: Int?
    /// True if the source forbids to use the answer after it is stale (RFC 9111 4.2.4).
    public var mustRevalidate = false
    /// Time after the lifetime during which the answer may be used while a new one is fetched. Nil if the source does
    /// not say.
    public var staleWhileRevalidate: Int?
    /// Time after the lifetime during which the answer may be used if no new one can be fetched. Nil if the source does
    /// not say.
    public var staleIfError: Int?
    /// The validators for asking the source later whether the answer has changed. Nil if there are none.
    public var validators: Validators?
    /// Description of the problem for the operator, if the answer is `.unavailable`. Nil if the reason is enough.
    public var trouble: String?
    /// Seconds after which to ask again, if the answer is `.unavailable(.overloaded)`. Nil if unknown.
    public var retryAfter: Int?

    /// The value of `age`, clamped to its range: a custom layer may return any number.
    package var clampedAge: Int { min(max(age, 0), 1 << 31) }

    /// Makes the terms of a source that says nothing.
    public init() {}

    /// Makes the terms of an answer that is `.unavailable`.
    package init(trouble: String?) {
        self.trouble = trouble
    }
}

/// Two values that identify the version of a tile, as the source wrote them (RFC 9110 8.8). The server sends them back
/// to ask whether the tile has changed.
public struct Validators: Sendable, Hashable {
    /// The entity tag with its quotation marks, and with `W/` if it is weak.
    public let etag: String?
    /// The value of the `Last-Modified` field.
    public let lastModified: String?

    /// Returns nil if both values are nil.
    public init?(etag: String?, lastModified: String?) {
        guard etag != nil || lastModified != nil else { return nil }
        self.etag = etag
        self.lastModified = lastModified
    }
}

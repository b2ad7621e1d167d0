/// What a source answers to a caller that may hold an earlier answer.
public enum SourceAnswer: Sendable {
    /// What the source says now, and how long it is good.
    case result(TileResult, SourceTerms)
    /// What the caller holds is still good, on these terms (304, RFC 9110 15.4.5).
    case notModified(SourceTerms)

    /// The tile of an answer to a question without validators.
    public var result: TileResult {
        switch self {
        case .result(let result, _): result
        // Nothing was held, so there is nothing that this could mean.
        case .notModified: .unavailable(.failed)
        }
    }
}

/// What a source says about keeping its answer (RFC 9111, RFC 5861). All times in whole seconds, 0…2^31.
public struct SourceTerms: Sendable, Hashable {
    /// How long an answer is fresh.
    public enum Lifetime: Sendable, Hashable {
        /// The source says nothing.
        case unsaid
        /// Fresh for this long, counted from when the source made the answer. 0: to be asked about before each use.
        case seconds(Int)
        /// Not to be kept at all, or not by a cache that many share.
        case notStored
    }

    /// How long a cache that many share may keep the answer without asking.
    public var lifetime = Lifetime.unsaid
    /// The same for a cache of one client's own: `max-age` where `s-maxage` stands beside it; nil: as `lifetime`.
    public var clientLifetime: Int?
    /// For what is made of other tiles, as long as those live; nil: it is not to be kept.
    package var inherited: TileLife?
    /// How old the answer was when it came (RFC 9111 4.2.3).
    public var age = 0
    /// When the source sent the answer, by its own clock, in seconds since 1970 (RFC 9110 6.6.1); nil: unsaid.
    public var date: Int?
    /// The source forbids to use the answer once it is stale (RFC 9111 4.2.4).
    public var mustRevalidate = false
    /// How long after its lifetime the answer may be used while a new one is fetched; nil: unsaid.
    public var staleWhileRevalidate: Int?
    /// How long after its lifetime the answer may be used where no new one can be had; nil: unsaid.
    public var staleIfError: Int?
    /// What the source can tell this answer by later; nil: nothing.
    public var validators: Validators?
    /// Of an answer that is `.unavailable`: what went wrong, in words for the operator; nil where that says it all.
    public var trouble: String?
    /// Of an answer that is `.unavailable(.overloaded)`: seconds after which to ask again; nil: unknown.
    public var retryAfter: Int?

    /// `age`, within its range: a layer of somebody's own may say what it likes.
    package var clampedAge: Int { min(max(age, 0), 1 << 31) }

    /// Of a source that says nothing.
    public init() {}

    /// Of an answer that is `.unavailable`.
    package init(trouble: String?) {
        self.trouble = trouble
    }
}

/// What tells one version of an answer from another, as the source wrote it (RFC 9110 8.8).
public struct Validators: Sendable, Hashable {
    /// The entity tag with its quotation marks, and `W/` where it is weak.
    public let etag: String?
    /// The `Last-Modified` field's value.
    public let lastModified: String?

    /// Nil where both are.
    public init?(etag: String?, lastModified: String?) {
        guard etag != nil || lastModified != nil else { return nil }
        self.etag = etag
        self.lastModified = lastModified
    }
}

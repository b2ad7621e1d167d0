import Bytes

/// What a `Cache-Control` field says to a shared cache (RFC 9111 5.2.2, RFC 5861), judged as bytes. Pure.
///
/// Unknown directives are ignored, and so are empty list members. Where a text can be read in two ways, the stricter
/// one counts: a lifetime that is not a number, or that is said twice and differently, is 0 (RFC 9111 4.2.1).
struct CacheControl: Equatable {
    /// Seconds, 0…2^31; nil: unsaid.
    private(set) var maxAge: Int?
    /// Seconds, 0…2^31; nil: unsaid.
    private(set) var sharedMaxAge: Int?
    /// Not with `must-understand`, which says that a cache that knows the meaning of the status may store the answer all the
    /// same (5.2.2.3). This one stores none of a status that it does not know.
    var noStore: Bool { saysNoStore && !mustUnderstand }
    private var saysNoStore = false
    private var mustUnderstand = false
    /// The unqualified directive. `private="field"` forbids to keep that field only, and no field is kept.
    private(set) var isPrivate = false
    /// The unqualified directive, under the same rule.
    private(set) var noCache = false
    /// `must-revalidate`, `proxy-revalidate`, and what implies them: `s-maxage` and `no-cache`.
    private(set) var mustRevalidate = false
    /// Seconds, 0…2^31; nil: unsaid, or no number.
    private(set) var staleWhileRevalidate: Int?
    /// Seconds, 0…2^31; nil: unsaid, or no number.
    private(set) var staleIfError: Int?

    /// `text` is the field's value, or several joined by commas.
    init(_ text: String) {
        let bytes = text.utf8.span
        var reader = DirectiveReader()
        while let (name, argument) = reader.next(bytes) {
            guard let directive = Directive(bytes, name) else { continue }
            take(directive, argument)
        }
    }

    /// Says nothing.
    init() {}

    private mutating func take(_ directive: Directive, _ argument: DirectiveReader.Argument) {
        switch directive {
        case .maxAge: maxAge = Self.lifetime(maxAge, argument)
        case .sharedMaxAge:
            sharedMaxAge = Self.lifetime(sharedMaxAge, argument)
            mustRevalidate = true
        case .noStore: saysNoStore = true
        case .mustUnderstand: mustUnderstand = true
        case .isPrivate: if !argument.isQualifying { isPrivate = true }
        case .noCache:
            if !argument.isQualifying {
                noCache = true
                mustRevalidate = true
            }
        case .mustRevalidate, .proxyRevalidate: mustRevalidate = true
        case .staleWhileRevalidate: staleWhileRevalidate = Self.grace(staleWhileRevalidate, argument)
        case .staleIfError: staleIfError = Self.grace(staleIfError, argument)
        }
    }

    private static func lifetime(_ known: Int?, _ argument: DirectiveReader.Argument) -> Int {
        let seconds = argument.seconds ?? 0
        return known == nil || known == seconds ? seconds : 0
    }

    /// RFC 5861 gives no meaning to what is no number: as if it were not there.
    private static func grace(_ known: Int?, _ argument: DirectiveReader.Argument) -> Int? {
        guard let seconds = argument.seconds else { return known }
        return min(known ?? seconds, seconds)
    }
}

/// The directives that are read.
private enum Directive: String, CaseIterable {
    case maxAge = "max-age"
    case sharedMaxAge = "s-maxage"
    case noStore = "no-store"
    case mustUnderstand = "must-understand"
    case isPrivate = "private"
    case noCache = "no-cache"
    case mustRevalidate = "must-revalidate"
    case proxyRevalidate = "proxy-revalidate"
    case staleWhileRevalidate = "stale-while-revalidate"
    case staleIfError = "stale-if-error"

    private static let names: [(name: [UInt8], directive: Directive)] = allCases.map { (Array($0.rawValue.utf8), $0) }

    /// Compares ASCII bytes without regard to case; nil for a name that is not read.
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let match = Self.names.first { known in
            known.name.count == range.count
                && zip(known.name, range).allSatisfy { $0 == ASCII.lowercased(bytes[$1]) }
        }
        guard let match else { return nil }
        self = match.directive
    }
}

import Bytes

/// Parses a `Cache-Control` field, and tells what it allows a shared cache to do (RFC 9111 5.2.2, RFC 5861).
///
/// Unknown directives and empty list members are ignored. If a text is ambiguous, the stricter meaning counts. For
/// example, a lifetime is 0 if it is not a number, or if it appears twice with different values (RFC 9111 4.2.1).
struct CacheControl: Equatable {
    /// Seconds, 0…2^31. Nil if absent.
    private(set) var maxAge: Int?
    /// Seconds, 0…2^31. Nil if absent.
    private(set) var sharedMaxAge: Int?
    /// True for `no-store` without `must-understand`. With `must-understand`, a cache may store the answer if it knows
    /// the meaning of the status (5.2.2.3). This cache stores no answers with an unknown status.
    var noStore: Bool { saysNoStore && !mustUnderstand }
    private var saysNoStore = false
    private var mustUnderstand = false
    /// True for `private` without fields. `private="field"` only forbids to keep that field, and this cache keeps no
    /// fields.
    private(set) var isPrivate = false
    /// True for `no-cache` without fields, under the same rule as `isPrivate`.
    private(set) var noCache = false
    /// True for `must-revalidate`, `proxy-revalidate`, `s-maxage`, and `no-cache` without fields.
    private(set) var mustRevalidate = false
    /// Seconds, 0…2^31. Nil if absent or not a number.
    private(set) var staleWhileRevalidate: Int?
    /// Seconds, 0…2^31. Nil if absent or not a number.
    private(set) var staleIfError: Int?

    /// `text` is the value of the field, or several values joined by commas.
    init(_ text: String) {
        let bytes = text.utf8.span
        var reader = DirectiveReader()
        while let (name, argument) = reader.next(bytes) {
            guard let directive = Directive(bytes, name) else { continue }
            take(directive, argument)
        }
    }

    /// Makes the value for a response without a `Cache-Control` field.
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

    /// RFC 5861 gives no meaning to a value that is not a number, so such a directive is ignored.
    private static func grace(_ known: Int?, _ argument: DirectiveReader.Argument) -> Int? {
        guard let seconds = argument.seconds else { return known }
        return min(known ?? seconds, seconds)
    }
}

/// The directives that have a meaning for this cache. All others are ignored.
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

    /// Finds a directive by its ASCII name without regard to case. Nil for a name that is not read.
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let match = Self.names.first { known in
            known.name.count == range.count
                && zip(known.name, range).allSatisfy { $0 == ASCII.lowercased(bytes[$1]) }
        }
        guard let match else { return nil }
        self = match.directive
    }
}

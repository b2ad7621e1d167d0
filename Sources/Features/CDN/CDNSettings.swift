import Keys

/// The `cdn` section of the settings. It describes the caches in front of the server, such as a CDN or Varnish.
public struct CDNSettings: Sendable, Equatable {
    /// A form of sending tags, named after a header field.
    public enum TagForm: String, Sendable, CaseIterable {
        /// `Surrogate-Key`, separated by spaces: Fastly.
        case surrogateKey = "surrogate-key"
        /// `Cache-Tag`, separated by commas: Cloudflare and Google. Akamai reads `Edge-Cache-Tag` instead.
        case cacheTag = "cache-tag"
        /// `Cache-Groups`, a list of strings (RFC 9875).
        case cacheGroups = "cache-groups"
        /// `xkey`, separated by spaces: Varnish.
        case xkey
    }

    /// The settings of the request that purges tiles. After a clear, the server sends this request to the cache in
    /// front.
    public struct Purge: Sendable, Equatable {
        /// An http or https URL. `{tags}` in the URL stands for the tags, percent-encoded.
        public var url = ""
        /// The method, such as `POST` or `PURGE`.
        public var method = "POST"
        /// Header fields. `{tags}` in a value stands for the tags, separated by spaces.
        public var headers: [String: String] = [:]
        /// The body. `{tags}` stands for the tags, separated by spaces. In a JSON body, `{tags}` outside quotation
        /// marks stands for an array of tags.
        public var body: String?

        /// Creates settings without a URL. The caller must set the URL before a request can be sent.
        public init() {}
    }

    /// The forms in which responses carry tags. Empty: responses have no tags.
    public var tags: [TagForm] = []
    /// Zooms whose tiles are groups for the tiles below them, ascending, each in 1…22.
    public var zooms: [Int] = []
    /// The value of `CDN-Cache-Control: max-age`, in whole seconds. Nil: responses have no such field.
    public var maxAge: Duration?
    /// The request after a clear. Nil: caches in front are not told of clears.
    public var purge: Purge?

    /// Creates the default settings: responses carry no tags, and no cache is purged.
    public init() {}
}

extension CDNSettings: KeyedSettings {
    package static let keys: [Key<CDNSettings>] = [
        Key(
            "tags", list: \.tags, count: 0...TagForm.allCases.count, of: .choice,
            "headers with [tags](../guides/cdn.md) on tiles and images: `Surrogate-Key`, "
                + "`Cache-Tag`, `Cache-Groups` (RFC 9875) and `xkey`"),
        Key(
            "zooms", list: \.zooms, count: 0...4, of: .integer(1...22),
            "zooms in ascending order; each tile is tagged with the tiles that contain it at these zooms"),
        Key(
            "maxAge", optional: \.maxAge, .duration(.seconds(1)...Duration.seconds(31_536_000)), takesNull: true,
            "`max-age` in `CDN-Cache-Control` (RFC 9213) of fresh tiles and images, not of \"no tile\". "
                + "Unset: caches in front use `Cache-Control`"),
        Key("purge", optionalSection: \.purge, "request that purges caches in front after a clear; needs `tags`"),
    ]

    package func check(_ section: inout MappingReader) {
        if zooms != Array(Set(zooms)).sorted() { section.complain("zooms", "expected zooms in ascending order") }
        if purge != nil, tags.isEmpty {
            section.warn("purge", "purges tags that no response has; set cdn.tags")
        }
        if !zooms.isEmpty, tags.isEmpty { section.warn("zooms", "has no effect without tags") }
    }
}

extension CDNSettings.Purge: KeyedSettings {
    package static let keys: [Key<CDNSettings.Purge>] = [
        Key(
            "url", schema: ValueRule<String>.purgeURL.schema,
            "http or https URL of the request; `{tags}` becomes the tags, percent-encoded and separated by spaces",
            refusal: { ValueRule<String>.purgeURL.refusal($0.url) }, changes: { $0.url == $1.url ? [] : ["url"] }
        ) { section, purge in
            if section.has("url") {
                section.value("url", .purgeURL, into: &purge.url)
            } else {
                section.complain("url is missing")
            }
        },
        Key("method", \.method, .method, "method of the request: `POST`, `PURGE`, `BAN` …"),
        Key(
            "headers", schema: .headers(atMost: 16),
            "headers of the request; `{tags}` becomes the tags, separated by spaces",
            changes: { $0.headers == $1.headers ? [] : ["headers"] }
        ) { section, purge in
            purge.headers = Dictionary(section.headers("headers").map { ($0.name, $0.value) }) { $1 }
        },
        Key(
            "body", optional: \.body, .anything,
            "content of the request; `{tags}` becomes the tags, separated by spaces, or an array "
                + "outside of quotation marks in JSON"
        ),
    ]
}

extension ValueRule where Value == String {
    fileprivate static var purgeURL: ValueRule {
        ValueRule(
            expected: "a URL such as https://api.example.org/purge", isSecret: true,
            pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^?#@ /]+([/?][^# ]*)?$"
        ) { scalar throws(ValueError) in
            guard let text = scalar.string, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
            let scheme = ["http://", "https://"].first { text.lowercased().hasPrefix($0) }
            guard let scheme, !text.contains("#") else { return nil }
            let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
            if authority.contains("@") {
                throw ValueError("the URL must not have a user: send Authorization in headers")
            }
            return authority.isEmpty || authority.contains("{") ? nil : text
        }
    }

    fileprivate static var method: ValueRule {
        ValueRule(expected: "a method such as POST or PURGE", pattern: "^[A-Z]{1,16}$") { scalar in
            guard let text = scalar.string, 1...16 ~= text.utf8.count,
                text.utf8.allSatisfy({ UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }), text != "CONNECT"
            else { return nil }
            return text
        }
    }
}

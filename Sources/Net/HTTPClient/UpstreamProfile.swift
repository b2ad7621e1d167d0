import Bytes
import CLibcurl

/// Settings that several requests share, for example all requests of a layer. Create one profile for all of them. If a
/// `Transfer` sends two requests in a row with the same profile, it need not set libcurl's options again.
///
/// A class because it owns the list of header lines for libcurl. Thread rule: any thread.
package final class UpstreamProfile: @unchecked Sendable {
    // Invariant behind @unchecked: the list is written in `init` and freed in `deinit`. libcurl only reads it.
    let headerList: UnsafeMutablePointer<curl_slist>?
    private let headerLines: [String]
    /// Names of the profile's own fields, in lower case.
    private let ownNames: Set<String>

    /// Value of `Accept-Encoding`: no compression.
    static let coding = "identity"

    /// Value of `User-Agent`. Nil or an empty text sends none. A field `User-Agent` in the profile's headers replaces
    /// the value, except after a redirect to another origin.
    package let userAgent: String?
    package let timeouts: UpstreamTimeouts
    package let limits: UpstreamLimits
    /// True if connections may lead to any address. Overrides `scope` and the rule for redirects.
    package let allowPrivate: Bool
    /// The addresses that the configured host may have. Nil means any address.
    package let scope: HostScope?
    package let tls: UpstreamTLS

    /// The reason why a configured header field cannot be sent.
    package enum InvalidHeaderError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The name is not a token (RFC 9110 5.6.2).
        case name(String)
        /// The value of the field `name` has a control byte other than a tab.
        case value(name: String)
        /// The field is reserved for the client.
        case reserved(String)

        package var description: String {
            switch self {
            case .name(let name): "\"\(name)\" is no valid header name"
            case .value(let name): "the value of the header \(name) has a control character"
            case .reserved(let name): "the HTTP connection sets the header \(name); remove it"
            }
        }
    }

    /// Creates a profile. Every request sends `headers` in this order, and presents the client certificate of `tls`.
    /// After a redirect to another origin, neither the headers nor the certificate is sent.
    package init(
        headers: [(name: String, value: String)] = [], userAgent: String? = nil,
        timeouts: UpstreamTimeouts = UpstreamTimeouts(), limits: UpstreamLimits = UpstreamLimits(),
        allowPrivate: Bool = false, scope: HostScope? = nil, tls: UpstreamTLS = UpstreamTLS()
    ) throws(InvalidHeaderError) {
        if let userAgent, !Self.isFieldValue(userAgent) { throw .value(name: "User-Agent") }
        for (name, value) in headers { try Self.validate(name, value) }
        // Initialises libcurl first, because the list's memory comes from libcurl, and a profile may exist before the
        // first client.
        _ = Libcurl.isReady
        // `User-Agent` and `Accept-Encoding` are in the list, because libcurl copies its own fields twice and fields of
        // the list only once.
        var fields = [(name: "User-Agent", value: userAgent ?? ""), (name: "Accept-Encoding", value: Self.coding)]
        fields.removeAll { field in
            field.value.isEmpty || headers.contains { $0.name.lowercased() == field.name.lowercased() }
        }
        fields += headers
        // libcurl's notation for a field with an empty value is `Name;`. `Name:` would remove the field.
        headerLines = fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        headerList = Self.list(of: headerLines)
        precondition(headerList != nil || headerLines.isEmpty, "no memory for a header line")
        ownNames = Set(headers.map { $0.name.lowercased() })
        self.userAgent = userAgent
        self.timeouts = timeouts
        self.limits = limits
        self.allowPrivate = allowPrivate
        self.scope = scope
        self.tls = tls
    }

    deinit {
        curl_slist_free_all(headerList)
    }

    /// Reports whether the profile sets the field `name` itself.
    func hasField(_ name: String) -> Bool { ownNames.contains(name.lowercased()) }

    /// Returns a copy of the header lines with `lines` after them. The caller frees it. Returns nil if there is no
    /// memory.
    func headerList(with lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
        Self.list(of: headerLines + lines)
    }

    private static func list(of lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                return nil
            }
            list = longer
        }
        return list
    }

    /// Fields that a profile cannot set. Most of them frame the message or belong to one connection (RFC 9110 7.6.1).
    private static let reserved = [
        "connection", "content-length", "expect", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    private static func validate(_ name: String, _ value: String) throws(InvalidHeaderError) {
        guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken) else { throw .name(name) }
        guard isFieldValue(value) else { throw .value(name: name) }
        let lowered = name.utf8.map(ASCII.lowercased)
        if reserved.contains(where: { $0.utf8.elementsEqual(lowered) }) { throw .reserved(name) }
    }

    /// Reports whether `value` is valid in a header line: no control byte except the tab (RFC 9110 5.5).
    static func isFieldValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == ASCII.tab }
    }
}

import Bytes
import CLibcurl

/// What all requests of one layer share. Make it once: a client that meets the same profile again sets nothing anew.
///
/// A class to own libcurl's list of header lines. Thread rule: any thread.
package final class UpstreamProfile: @unchecked Sendable {
    // Invariant behind @unchecked: the list is written in `init` and freed in `deinit`; libcurl only reads it.
    let headerList: UnsafeMutablePointer<curl_slist>?
    private let headerLines: [String]
    /// Of the layer's own fields, in lower case.
    private let ownNames: Set<String>

    /// What is accepted beside images as they are.
    static let coding = "identity"

    /// Sent as `User-Agent`; nil sends none.
    package let userAgent: String?
    package let timeouts: UpstreamTimeouts
    package let limits: UpstreamLimits
    /// Whether connections may lead to any address, whatever `scope` and redirects say.
    package let allowPrivate: Bool
    /// Where the configured host may be; nil: anywhere.
    package let scope: HostScope?
    package let tls: UpstreamTLS

    /// A header field that cannot be sent.
    package enum InvalidHeaderError: Error, Hashable, Sendable, CustomStringConvertible {
        /// Not a token (RFC 9110 5.6.2).
        case name(String)
        /// The value of the field `name` has a control byte.
        case value(name: String)
        /// The field belongs to the connection, not to the layer.
        case reserved(String)

        package var description: String {
            switch self {
            case .name(let name): "\"\(name)\" is no valid header name"
            case .value(let name): "the value of the header \(name) has a control character"
            case .reserved(let name): "the HTTP connection sets the header \(name); remove it"
            }
        }
    }

    /// `headers` are sent with every request, in order, and the certificate of `tls` is shown, but not to another origin that a
    /// redirect leads to.
    package init(
        headers: [(name: String, value: String)] = [], userAgent: String? = nil,
        timeouts: UpstreamTimeouts = UpstreamTimeouts(), limits: UpstreamLimits = UpstreamLimits(),
        allowPrivate: Bool = false, scope: HostScope? = nil, tls: UpstreamTLS = UpstreamTLS()
    ) throws(InvalidHeaderError) {
        if let userAgent, !Self.isFieldValue(userAgent) { throw .value(name: "User-Agent") }
        for (name, value) in headers { try Self.validate(name, value) }
        // It takes memory from elsewhere before, and the list may be made before the first client is.
        _ = Libcurl.isReady
        // libcurl writes each of its own fields twice, and those of the list once.
        var fields = [(name: "User-Agent", value: userAgent ?? ""), (name: "Accept-Encoding", value: Self.coding)]
        fields.removeAll { field in
            field.value.isEmpty || headers.contains { $0.name.lowercased() == field.name.lowercased() }
        }
        fields += headers
        // libcurl's notation for a field without a value; `Name:` would take the field away.
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

    /// Whether the layer has a field `name` of its own.
    func hasField(_ name: String) -> Bool { ownNames.contains(name.lowercased()) }

    /// A copy of the header lines with `lines` after them, for the caller to free; nil without memory.
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

    /// Fields that frame the message or belong to one connection (RFC 9110 7.6.1).
    private static let reserved = [
        "connection", "content-length", "expect", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    private static func validate(_ name: String, _ value: String) throws(InvalidHeaderError) {
        guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken) else { throw .name(name) }
        guard isFieldValue(value) else { throw .value(name: name) }
        let lowered = name.utf8.map(ASCII.lowercased)
        if reserved.contains(where: { $0.utf8.elementsEqual(lowered) }) { throw .reserved(name) }
    }

    /// Whether `value` can stand in a header line: no control byte but the tab (RFC 9110 5.5).
    static func isFieldValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == ASCII.tab }
    }
}

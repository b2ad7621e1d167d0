import Bytes
import Configuration
import EventLog
import HTTPServer
import Logging

/// The host names that admin and metrics requests may have in `Host`. The check protects against DNS rebinding, in
/// which the host name of a hostile page resolves to this server's address. The browser then believes that the page and
/// the server have the same origin. Only the name in `Host` shows the attack. An IP address is always allowed, because
/// it needs no DNS.
struct OwnHosts: Sendable {
    private let names: Set<String>

    /// Makes the set of names. `publicURL` is an absolute URL without userinfo, or nil.
    init(names: [String], publicURL: String?) {
        self.names = Set(names + ["localhost"] + [publicURL.flatMap(Self.host)].compactMap(\.self))
    }

    /// Makes the set of names from a configuration.
    init(_ configuration: Configuration) {
        self.init(names: configuration.admin.hosts, publicURL: configuration.server.publicURL)
    }

    /// Returns the refusal of a request with a foreign host name, and logs it. Nil if the name is allowed. With
    /// `takesPlainNames`, names without a dot are allowed too. Container networks use such names, and no public page
    /// has one.
    func denial(of request: Request, _ log: EventLog, takesPlainNames: Bool = false) -> Response? {
        guard !contains(hostOf: request), !(takesPlainNames && Self.hasPlainName(request)) else { return nil }
        log.record("admin_denied", request.logFields.merging(["why": "host"]) { $1 })
        return Self.foreignHost
    }

    private static let foreignHost = Problem(
        .misdirectedRequest, "foreign-host", "This Host is not allowed for this route. Add it to admin.hosts."
    ).adminResponse

    /// Reports whether the request uses a name of this server. A request without `Host` (HTTP/1.0) does not come from a
    /// browser and is allowed.
    func contains(hostOf request: Request) -> Bool {
        guard let field = request.field("host") else { return true }
        return contains(String(decoding: field, as: UTF8.self))
    }

    private static func hasPlainName(_ request: Request) -> Bool {
        request.field("host").flatMap { hostName(String(decoding: $0, as: UTF8.self)) }?.contains(".") == false
    }

    /// Reports whether `authority`, a host with an optional port, is a name of this server or an IP address.
    func contains(_ authority: String) -> Bool {
        guard let host = Self.hostName(authority) else { return false }
        return names.contains(host) || AddressBlock(host) != nil
    }

    private static func host(of url: String) -> String? {
        guard let slashes = url.firstRange(of: "//") else { return nil }
        return hostName(String(url[slashes.upperBound...].prefix { $0 != "/" }))
    }

    /// Returns the host name in `authority`, in lower case. The port, the brackets of an IPv6 address, and a dot at the
    /// end are removed. Returns nil if there is no host, or if the brackets are malformed.
    private static func hostName(_ authority: String) -> String? {
        let bytes = authority.utf8.map(ASCII.lowercased)
        var host: ArraySlice<UInt8>
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = bytes[1..<end]
            guard bytes.count == end + 1 || bytes[end + 1] == UInt8(ascii: ":") else { return nil }
        } else {
            host = bytes.prefix { $0 != UInt8(ascii: ":") }
            if host.last == ASCII.dot { host = host.dropLast() }
        }
        return host.isEmpty ? nil : String(decoding: host, as: UTF8.self)
    }
}

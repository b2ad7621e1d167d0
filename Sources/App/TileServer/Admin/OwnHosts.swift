import Bytes
import Configuration
import EventLog
import HTTPServer
import Logging

/// The names by which requests for what is not for every page may call this server: those for the admin routes and for metrics.
///
/// A page of another site whose name leads to this server's address (DNS rebinding) is of the same origin for its browser, and
/// only the name in `Host` gives it away. An address needs no resolving, so it cannot be rebound.
struct OwnHosts: Sendable {
    private let names: Set<String>

    /// `publicURL` is an absolute URL without userinfo, or nil.
    init(names: [String], publicURL: String?) {
        self.names = Set(names + ["localhost"] + [publicURL.flatMap(Self.host)].compactMap(\.self))
    }

    /// Those of `configuration`.
    init(_ configuration: Configuration) {
        self.init(names: configuration.admin.hosts, publicURL: configuration.server.publicURL)
    }

    /// The answer to a request that calls the server by a foreign name, which `log` hears of; nil where it may go on.
    /// `takesPlainNames`: names without a dot are none of these, as a network of containers has: no page of the web has one.
    func denial(of request: Request, _ log: EventLog, takesPlainNames: Bool = false) -> Response? {
        guard !contains(hostOf: request), !(takesPlainNames && Self.hasPlainName(request)) else { return nil }
        log.record("admin_denied", request.logFields.merging(["why": "host"]) { $1 })
        return Self.foreignHost
    }

    private static let foreignHost = Problem(
        .misdirectedRequest, "foreign-host", "This route does not go by this Host; admin.hosts names those it does."
    ).adminResponse

    /// Whether `request` calls the server by a name of its own. One without `Host` (HTTP/1.0) comes from no browser.
    func contains(hostOf request: Request) -> Bool {
        guard let field = request.field("host") else { return true }
        return contains(String(decoding: field, as: UTF8.self))
    }

    private static func hasPlainName(_ request: Request) -> Bool {
        request.field("host").flatMap { hostName(String(decoding: $0, as: UTF8.self)) }?.contains(".") == false
    }

    /// `authority`: a host and perhaps a port.
    func contains(_ authority: String) -> Bool {
        guard let host = Self.hostName(authority) else { return false }
        return names.contains(host) || AddressBlock(host) != nil
    }

    private static func host(of url: String) -> String? {
        guard let slashes = url.firstRange(of: "//") else { return nil }
        return hostName(String(url[slashes.upperBound...].prefix { $0 != "/" }))
    }

    /// In lower case, without the port, the brackets of an IPv6 address and the dot that may end a name; nil where there is
    /// none.
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

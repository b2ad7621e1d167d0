import Bytes
import Configuration
import EventLog
import HTTPServer
import Glibc

/// The beginning of this server's URLs, as clients see the server. Every absolute URL of this server in a document
/// begins with this base.
struct BaseURL: Sendable {
    let configured: String?
    let trustedProxies: [AddressBlock]
    let log: EventLog

    /// Returns the base URL without a slash at the end. The setting `publicURL` is used if there is one. Otherwise the
    /// base URL comes from the `X-Forwarded-*` headers of a trusted proxy, or from `Host`. A value from the request is
    /// used only if it is a valid host, scheme or path.
    func text(for request: Request) -> String {
        UntrustedProxy.note(request, trusting: trustedProxies, in: log)
        if let configured { return configured }
        let host = request.host.map { String(decoding: $0, as: UTF8.self) } ?? "localhost"
        let ownScheme = request.isSecure ? "https" : "http"
        guard trustedProxies.trust(request.peer) else { return "\(ownScheme)://\(host)" }
        let scheme = last("x-forwarded-proto", of: request) { $0 == "http" || $0 == "https" }
        let forwarded = last("x-forwarded-host", of: request) { Self.isAuthority($0) }
        let prefix = last("x-forwarded-prefix", of: request) {
            $0.utf8.count <= Self.longestPrefix
                && $0.hasPrefix("/") && !$0.hasPrefix("//") && $0.utf8.allSatisfy(Self.isPathByte)
        }
        let path = prefix.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
        return "\(scheme ?? ownScheme)://\(forwarded ?? host)\(path)"
    }

    /// Returns the last member of a list field, if `isValid` accepts it. The trusted proxy has added the last member.
    /// Earlier members may come from any client.
    private func last(_ name: StaticString, of request: Request, where isValid: (String) -> Bool) -> String? {
        var text: String?
        request.forEachField(name) { value in
            value.forEachListMember { text = String(decoding: $0, as: UTF8.self) }
        }
        guard let text, !text.isEmpty, isValid(text) else { return nil }
        return text
    }

    /// Maximum bytes of a path prefix, because each absolute URL of a document repeats the prefix.
    private static let longestPrefix = 1_024

    private static func isAuthority(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { Authority.isValid(UnsafeRawBufferPointer($0)) }
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || "/.-_~".utf8.contains(byte)
    }
}

import Bytes
import Configuration
import HTTPServer
import Glibc

/// Where clients see this server: what stands in front of every absolute URL it writes.
struct BaseURL: Sendable {
    let configured: String?
    let trustedProxies: [AddressBlock]

    /// `publicURL`, else what a trusted proxy says in `X-Forwarded-*`, else `Host`; without a slash at its end. What
    /// comes from a request is used only where it has the shape of a host, a scheme or a path.
    func text(for request: Request) -> String {
        if let configured { return configured }
        let host = request.host.map { String(decoding: $0, as: UTF8.self) } ?? "localhost"
        guard trustedProxies.trust(request.peer) else { return "http://\(host)" }
        let scheme = last("x-forwarded-proto", of: request) { $0 == "http" || $0 == "https" }
        let forwarded = last("x-forwarded-host", of: request) { Self.isAuthority($0) }
        let prefix = last("x-forwarded-prefix", of: request) {
            $0.utf8.count <= Self.longestPrefix
                && $0.hasPrefix("/") && !$0.hasPrefix("//") && $0.utf8.allSatisfy(Self.isPathByte)
        }
        let path = prefix.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
        return "\(scheme ?? "http")://\(forwarded ?? host)\(path)"
    }

    /// The last member of a list field, if it passes `isValid`: the one that the trusted proxy itself added. What
    /// stands before it may come from any client.
    private func last(_ name: StaticString, of request: Request, where isValid: (String) -> Bool) -> String? {
        var text: String?
        request.forEachField(name) { value in
            value.forEachListMember { text = String(decoding: $0, as: UTF8.self) }
        }
        guard let text, !text.isEmpty, isValid(text) else { return nil }
        return text
    }

    /// Bytes of a path in front of this server: each absolute URL of a document repeats it.
    private static let longestPrefix = 1_024

    private static func isAuthority(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { Authority.isValid(UnsafeRawBufferPointer($0)) }
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || "/.-_~".utf8.contains(byte)
    }
}

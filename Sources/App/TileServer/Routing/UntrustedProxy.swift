import Configuration
import EventLog
import HTTPServer

/// Logs the addresses of proxies that `server.trustedProxies` lacks. The server ignores the forwarding headers of such
/// a proxy, so all its clients count as one client.
enum UntrustedProxy {
    /// Private, link-local and loopback addresses (RFC 1918, 3927, 4193, 4291). A forwarding header from any other
    /// address says nothing about the operator's proxies: any client on the Internet can write one.
    private static let near = [
        "10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7",
        "fe80::/10",
    ].compactMap { AddressBlock($0) }

    private static let fields: [StaticString] = [
        "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded",
    ]

    /// Logs `untrusted_proxy` at most once per minute, if the peer of `request` is not one of the trusted `proxies`, is
    /// near, and sends a forwarding header.
    static func note(_ request: Request, trusting proxies: [AddressBlock], in log: EventLog) {
        guard !proxies.trust(request.peer), fields.contains(where: { request.fields.count(of: $0) > 0 }),
            near.trust(request.peer)
        else { return }
        log.record("untrusted_proxy", pace: .oncePerMinute, ["proxy": "\(request.peer)"])
    }
}

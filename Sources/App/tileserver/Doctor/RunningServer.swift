import Configuration
import Foundation
import MapService
import TileServer

/// Checks whether the server's address and port are free, or a tileserver answers there. Also checks the address of the
/// metrics listener, and the admin token.
struct RunningServer {
    /// The process that listens at the server's port. Nil if there is none, this user may not inspect it, or the port
    /// is 0.
    let process: ListeningProcess?
    private let configuration: Configuration

    init(_ configuration: Configuration) {
        self.configuration = configuration
        process = configuration.server.ownPort == 0 ? nil : ListeningProcess(port: configuration.server.ownPort)
    }

    /// Runs all checks of this type and returns their findings. Blocks until the servers answer or their timeouts end.
    func findings() -> [Finding] { listening() + metrics() }

    /// Checks the address of the metrics listener. The address must be free, or a running server must answer there.
    private func metrics() -> [Finding] {
        guard let listen = configuration.metrics.listen, listen.port != 0 else { return [] }
        let key = "metrics.listen"
        switch PortTrial(host: listen.host, port: listen.port).outcome {
        case .free: return [.ok(key, "\(listen.text) is free")]
        case .refused(let reason): return [.fault(key, "\(listen.text) cannot be listened on: \(reason)", key)]
        case .taken:
            // An error counts as no answer: the listener does not serve our metrics.
            let answer = try? LocalServer(host: listen.host, port: listen.port).request("GET", "/health", [])
            return answer?.status == 200
                ? [.ok(key, "a server answers on \(listen.text)")]
                : [
                    .fault(
                        key, "\(listen.text) is used by another program",
                        "\(key): another port, or end the program that listens there")
                ]
        }
    }

    private func listening() -> [Finding] {
        let (host, port) = (configuration.server.host, configuration.server.ownPort)
        if port == 0 { return [.ok("server.port", "any free port is used"), token(isRunning: false)] }
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        switch PortTrial(host: host, port: port).outcome {
        case .free: return [.ok("server.port", "\(place) is free; no server runs there"), token(isRunning: false)]
        case .refused(let reason):
            return [
                .fault(
                    "server.port", "\(place) cannot be listened on: \(reason)", "correct server.host and server.port")
            ]
        case .taken: return taken(place)
        }
    }

    private func taken(_ place: String) -> [Finding] {
        let server = LocalServer(configuration)
        do {
            let health = try server.request("GET", "/health", [])
            let version = try server.request("GET", "/version", [])
            guard health.status == 200, let theirs = Self.version(in: version.body) else {
                return [other(place, "it is not a tileserver (\(health.status) from /health)")]
            }
            let ready = try server.request("GET", "/ready", [])
            let text = "tileserver \(theirs) runs on \(place)"
            let finding: Finding =
                if ready.status != 200 {
                    .warning(
                        "server.port", "\(text), but is not ready (\(ready.status))",
                        "wait until the server has started or stopped")
                } else if theirs != TileServer.version {
                    .warning(
                        "server.port", "\(text); this is version \(TileServer.version)",
                        "restart the server to run this version")
                } else {
                    .ok("server.port", "\(text), and is ready")
                }
            return [finding, token(isRunning: true)] + proxies()
        } catch {
            return [other(place, "\(error)")]
        }
    }

    /// Warns if a proxy outside `server.trustedProxies` has sent requests to the running server. Does not warn if the
    /// token cannot be read: `token` warns then.
    private func proxies() -> [Finding] {
        guard let metrics = try? MetricsScraper(configuration).scrape(),
            metrics.sum("tileserver_events_total", ["event": "untrusted_proxy"]) > 0
        else { return [] }
        return [
            .warning(
                "server.trustedProxies",
                "a proxy outside this list has sent requests since the server's start. The server ignores the "
                    + "proxy's X-Forwarded-For, so all its clients count as one",
                "server.trustedProxies: the address in the event untrusted_proxy of the log")
        ]
    }

    private func other(_ place: String, _ what: String) -> Finding {
        let name = process?.name.map { " (\($0))" } ?? ""
        return .fault(
            "server.port", "\(place) is used by another program\(name): \(what)",
            "server.port: another port, or end the program that listens there")
    }

    /// Returns the version in a response to `/version`. Nil if no tileserver sent it.
    private static func version(in body: String) -> String? {
        guard body.contains("\"name\":\"tileserver\""),
            let found = body.firstMatch(of: /"version":"([0-9A-Za-z.+-]{1,64})"/)
        else { return nil }
        return String(found.1)
    }

    private func token(isRunning: Bool) -> Finding {
        guard configuration.admin.token.isEmpty else { return .ok("admin.token", "configured") }
        let directory = configuration.cache.directory
        do {
            guard isRunning else {
                _ = try PublishedToken.candidates(in: directory, port: configuration.server.ownPort)
                return .ok("admin.token", "the server creates a token in \(directory) when it starts")
            }
            let token = try FoundToken(configuration)
            let server = LocalServer(configuration)
            let answer = try token.answer { try server.request("GET", "/admin/cache", $0) }
            guard answer.status == 200 else {
                let reason = answer.status == 401 ? ": \(token.reason(at: server.url))" : ""
                return .warning(
                    "admin.token", "the server answers \(answer.status) to the token in \(directory)\(reason)",
                    "cache.directory: the directory of the running server")
            }
            return .ok("admin.token", "the server accepts the token in \(directory)")
        } catch {
            return .warning("admin.token", "\(error)", "run this command as the server's user, or set admin.token")
        }
    }
}

/// Checks whether a server could listen at an address and port. For this test, a socket is bound there for a moment,
/// but does not listen.
struct PortTrial {
    enum Outcome: Equatable {
        case free
        case taken
        /// For example, the address does not belong to this machine, or this user may not use the port.
        case refused(reason: String)
    }

    let outcome: Outcome

    init(host: String, port: Int) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0, let info = found?.pointee else {
            outcome = .refused(reason: String(cString: gai_strerror(code)))
            return
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(info.ai_family, info.ai_socktype, 0)
        guard descriptor >= 0 else {
            outcome = .refused(reason: String(cString: strerror(errno)))
            return
        }
        defer { close(descriptor) }
        // Servers set this option, too: old connections then do not keep the port in use.
        var isReused: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        if bind(descriptor, info.ai_addr, info.ai_addrlen) == 0 {
            outcome = .free
        } else {
            outcome = errno == EADDRINUSE ? .taken : .refused(reason: String(cString: strerror(errno)))
        }
    }
}

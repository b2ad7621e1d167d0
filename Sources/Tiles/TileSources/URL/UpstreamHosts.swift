import HTTPClient
import Runtime
import Synchronization

/// Holds the upstream hosts of all layers, so that layers with the same host share its limits. Two layers have the same
/// host if their templates have the same scheme, host name and port. A name with `{s}` counts as one host.
///
/// The object should exist as long as the process. A host then keeps its breaker, its pause and its allowed addresses
/// when layers change.
///
/// This is a class because it owns the hosts. Thread rule: any thread.
package final class UpstreamHosts: Sendable {
    /// The rules by which layers share each host.
    package let rules: UpstreamRules
    private let onChange: @Sendable (String, UpstreamStatus.Breaker) -> Void
    private let hosts = Mutex(Hosts())
    private struct Hosts {
        var shared: [String: UpstreamHost] = [:]
        /// Hosts that belong to one layer each, while that layer exists.
        var own: [OwnHost] = []
        /// Number of servers that share the width of each host.
        var servers = 1
    }

    private struct OwnHost {
        weak var host: UpstreamHost?
    }

    /// Maximum number of hosts before hosts without layers are removed.
    static let mostKept = 1_024

    /// Calls `onChange` after a breaker has opened, half opened or closed, on any thread. The host of a template is
    /// named like `https://{s}.example.org:443`. `onChange` must not block.
    package init(
        rules: UpstreamRules = UpstreamRules(),
        onChange: @escaping @Sendable (String, UpstreamStatus.Breaker) -> Void = { _, _ in }
    ) {
        self.rules = rules
        self.onChange = onChange
    }

    /// Returns the host of `template` for a layer with at most `width` concurrent requests.
    func membership(of template: URLTemplate, width: Int) -> Membership {
        membership(origin: template.origin, sample: template.sample, width: width)
    }

    /// Returns the host of an http or https URL for a layer with at most `width` concurrent requests.
    func membership(ofURL url: String, width: Int) -> Membership {
        let scheme: URLTemplate.Scheme = url.lowercased().hasPrefix("https:") ? .https : .http
        return membership(origin: URLText.origin(of: url, scheme: scheme), sample: url, width: width)
    }

    private func membership(origin: String, sample: String, width: Int) -> Membership {
        let host = hosts.withLock { hosts in
            if let known = hosts.shared[origin] { return known }
            if hosts.shared.count >= Self.mostKept { hosts.shared = hosts.shared.filter { $0.value.hasLayers } }
            let host = make(origin, scope: HostScope(of: sample), servers: hosts.servers)
            hosts.shared[origin] = host
            return host
        }
        return Membership(host: host, width: width)
    }

    /// Returns a separate host for a layer whose URLs may lead to any host.
    func membership(named name: String, width: Int) -> Membership {
        let host = hosts.withLock { hosts in
            let host = make(name, scope: nil, servers: hosts.servers)
            hosts.own.removeAll { $0.host == nil }
            hosts.own.append(OwnHost(host: host))
            return host
        }
        return Membership(host: host, width: width)
    }

    /// Returns the hosts of templates that layers use, sorted by name, with their status and request counts.
    package func all(now: MonotonicTime) -> [(name: String, status: UpstreamStatus, counts: UpstreamCounts)] {
        hosts.withLock { $0.shared }.filter { $0.value.hasLayers }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value.status(now: now), $0.value.counts) }
    }

    /// Divides the number of concurrent requests to each host evenly among `servers`. Each server may send at least
    /// one.
    package func share(among servers: Int) {
        let known = hosts.withLock { hosts in
            hosts.servers = servers
            return hosts.shared.values + hosts.own.compactMap(\.host)
        }
        for host in known { host.share(among: servers) }
    }

    private func make(_ name: String, scope: HostScope?, servers: Int) -> UpstreamHost {
        let host = UpstreamHost(rules: rules, scope: scope) { [onChange] in onChange(name, $0) }
        host.share(among: servers)
        return host
    }

    /// Connects a layer to a host for as long as the layer exists. This is a class so that its `deinit` removes the
    /// layer from the host.
    final class Membership: Sendable {
        let host: UpstreamHost
        private let width: Int

        fileprivate init(host: UpstreamHost, width: Int) {
            self.host = host
            self.width = width
            host.addLayer(width: width)
        }

        deinit {
            host.removeLayer(width: width)
        }
    }
}

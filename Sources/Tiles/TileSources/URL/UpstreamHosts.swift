import HTTPClient
import Runtime
import Synchronization

/// The upstream hosts that layers ask, by scheme, host as the template has it (`{s}` included), and port. Layers that are
/// given the same object share their hosts; it should live as long as the process, so that a host keeps its breaker, its
/// pause and the scope of its addresses while layers come and go.
///
/// A class to own the hosts. Thread rule: any thread.
package final class UpstreamHosts: Sendable {
    /// How layers share each of the hosts.
    package let rules: UpstreamRules
    private let onChange: @Sendable (String, UpstreamStatus.Breaker) -> Void
    private let hosts = Mutex(Hosts())
    private struct Hosts {
        var shared: [String: UpstreamHost] = [:]
        /// Of one layer each, as long as that has it.
        var own: [OwnHost] = []
        /// Among how many servers what each host takes is shared out.
        var servers = 1
    }

    private struct OwnHost {
        weak var host: UpstreamHost?
    }

    /// The most hosts that are kept after their layers are gone.
    static let mostKept = 1_024

    /// Calls `onChange` after each change of a breaker, with the host as `https://{s}.example.org:443`, on any thread;
    /// it must not block.
    package init(
        rules: UpstreamRules = UpstreamRules(),
        onChange: @escaping @Sendable (String, UpstreamStatus.Breaker) -> Void = { _, _ in }
    ) {
        self.rules = rules
        self.onChange = onChange
    }

    /// The host of `template`, for a layer that lets `width` requests out at once.
    func membership(of template: URLTemplate, width: Int) -> Membership {
        let host = hosts.withLock { hosts in
            if let known = hosts.shared[template.origin] { return known }
            if hosts.shared.count >= Self.mostKept { hosts.shared = hosts.shared.filter { $0.value.hasLayers } }
            let host = make(template.origin, scope: HostScope(of: template.sample), servers: hosts.servers)
            hosts.shared[template.origin] = host
            return host
        }
        return Membership(host: host, width: width)
    }

    /// A host of its own, for a layer whose URLs may lead anywhere.
    func membership(named name: String, width: Int) -> Membership {
        let host = hosts.withLock { hosts in
            let host = make(name, scope: nil, servers: hosts.servers)
            hosts.own.removeAll { $0.host == nil }
            hosts.own.append(OwnHost(host: host))
            return host
        }
        return Membership(host: host, width: width)
    }

    /// The hosts that layers ask, by name: how each is, and what became of the requests to it.
    package func all(now: MonotonicTime) -> [(name: String, status: UpstreamStatus, counts: UpstreamCounts)] {
        hosts.withLock { $0.shared }.filter { $0.value.hasLayers }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value.status(now: now), $0.value.counts) }
    }

    /// Each host gets at most so many requests at once as one of `servers` that ask it may send, each the same: what layers let out
    /// divided by `servers`, at least one.
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

    /// A layer's membership of a host. A class to end it with the layer.
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

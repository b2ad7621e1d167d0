import Bytes
import Fleet
import HTTPClient
import JSON
import Runtime

/// Sends a signed message to each node of `fleet.peers`. The check finds out whether each node answers, and whether the
/// node has the same secret, the right time, and the same version.
struct PeerCheck {
    private let settings: FleetSettings
    private let client: HTTPClient
    private let profile: UpstreamProfile
    /// Returns the current time in seconds since 1970.
    private let time: @Sendable () -> Int

    init(_ settings: FleetSettings, client: HTTPClient, time: @escaping @Sendable () -> Int) throws {
        (self.settings, self.client, self.time) = (settings, client, time)
        profile = try FleetPeers.profile(version: MapService.version)
    }

    /// Returns one finding for each peer, in the order of the configuration, or one finding if there are no peers. All
    /// peers are checked at the same time.
    func findings() async -> [Finding] {
        guard !settings.peers.isEmpty else {
            let text =
                "no peers: while Redis is down, other nodes get clears only after Redis returns, or after "
                + "fleet.lease"
            return [
                settings.secret.isEmpty
                    ? .ok("fleet.peers", text) : .warning("fleet.peers", text, "fleet.peers: URLs of the other nodes")
            ]
        }
        return await settings.peers.concurrentMap { await finding(of: $0) }
    }

    private func finding(of peer: String) async -> Finding {
        let key = "fleet.peers"
        let time = time()
        // Sends a batch without messages, which changes nothing.
        guard
            let (message, _) = FleetSignature(secret: settings.secret).request(
                posting: FleetBatch(node: "doctor", messages: []).body, to: peer + FleetSignature.path, at: time,
                as: profile)
        else { return .fault(key, "no memory for a message to \(peer)", "try again") }
        switch await client.fetch(message) {
        case .failure(let error):
            // Only a warning: before the fleet is started, no node listens. The peer may also be this node itself.
            return .warning(
                key, "\(peer) does not answer: \(error)",
                "start the node (unless it is this node), or correct fleet.peers")
        case .success(let response):
            let ahead = response.headers.date.flatMap { HTTPDate.parse($0.utf8, now: time) }.map { time - $0 }
            if let ahead, abs(ahead) > FleetSignature.tolerance {
                let side = ahead > 0 ? "behind" : "ahead of"
                return .fault(
                    key, "the clock of \(peer) is \(abs(ahead)) s \(side) this machine's",
                    "synchronize both clocks (NTP)")
            }
            switch response.status {
            case 200: return await answered(peer, response)
            case 403:
                return .fault(key, "\(peer) has another fleet.secret", "fleet.secret: the same value on all nodes")
            case 404, 405:
                return .fault(
                    key, "\(peer) has no section fleet, or no fleet.secret", "fleet.secret: set it on that node")
            default: return .fault(key, "\(peer) answered \(response.status)", "check the log of that node")
            }
        }
    }

    private func answered(_ peer: String, _ response: UpstreamResponse) async -> Finding {
        let name = Self.string("node", of: ["node", "instance", "signature"], in: response) ?? "a node"
        let version: String?
        switch await client.fetch(UpstreamRequest(url: peer + "/version", profile: profile)) {
        case .success(let response) where response.status == 200:
            version = Self.string("version", of: ["name", "version"], in: response)
        case .success, .failure: version = nil
        }
        guard let version else { return .ok("fleet.peers", "\(peer) is \(name)") }
        guard version == MapService.version else {
            return .warning(
                "fleet.peers", "\(peer) is \(name), version \(version); this is version \(MapService.version)",
                "upgrade the older node; both versions work together until then")
        }
        return .ok("fleet.peers", "\(peer) is \(name), version \(version)")
    }

    /// Returns a string from the JSON object in `response`. The object must have no other members than `names`.
    private static func string(_ name: String, of names: [String], in response: UpstreamResponse) -> String? {
        // Returns nil for a response without such an object.
        guard let object = try? JSONText(response.body.array, depth: 4).value.object(names),
            let text = try? object.required(name).string()
        else { return nil }
        return String(text.prefix(64))
    }
}

import EventLog
import HTTPClient
import JSON
import Synchronization

/// Sends messages to other nodes directly, without Redis.
package protocol FleetCaller: Sendable {
    /// Sends `messages` to all peers at the same time. Skips the nodes whose names are in `others`. Calls `onReached`
    /// with the name of each node that has applied all messages.
    func send(
        _ messages: [FleetMessage], except others: Set<String>, onReached: @escaping @Sendable (String) -> Void) async

    /// Asks the peers at `urls` for their names, all at the same time. Calls `onReached` with the name of each node
    /// that answers, except this node itself.
    func meet(_ urls: Set<String>, onReached: @escaping @Sendable (String) -> Void) async

    /// The peers without this node itself, as far as that is known.
    var peers: [FleetPeer] { get }
}

/// A URL of the configuration that leads to another node.
package struct FleetPeer: Sendable, Equatable {
    package let url: String
    /// The node's name in its last answer. Nil if it never answered.
    package var name: String?
    /// The time at which the last call failed, by the monotonic clock. Nil if the last call succeeded, or if there was
    /// none.
    package var failed: Double?
}

/// Sends clears and purges to the other nodes of the fleet over HTTP. The node uses this way if Redis does not answer,
/// or if another node does not get a message from Redis in time. The URLs of the other nodes are in the settings.
///
/// Thread rule: any thread.
package final class FleetPeers: FleetCaller {
    private let options: FleetNode.Options
    private let signature: FleetSignature
    private let client: HTTPClient
    private let profile: UpstreamProfile
    private let clock: FleetNode.Clock
    private let log: EventLog
    private let state: Mutex<[Peer]>

    private struct Peer {
        var known: FleetPeer
        /// True if the URL leads to this node itself.
        var isOwn = false
        /// True if the log has a line that the peer did not take a batch.
        var isSaid = false
    }

    /// Returns the profile of requests to peers. Peers may have private addresses, because the configuration names
    /// them.
    package static func profile(version: String) throws(UpstreamProfile.InvalidHeaderError) -> UpstreamProfile {
        try UpstreamProfile(
            headers: [("Content-Type", "application/json")], userAgent: "tileserver/\(version)",
            timeouts: UpstreamTimeouts(connect: 0.5, firstByte: 1, total: 2),
            limits: UpstreamLimits(head: 8_192, body: 4_096, redirects: 0), allowPrivate: true)
    }

    /// Creates the peers that the settings in `options` name. Returns nil if the fleet has no secret, because requests
    /// must be signed.
    init?(
        _ options: FleetNode.Options, client: HTTPClient, log: EventLog, clock: FleetNode.Clock
    ) throws(UpstreamProfile.InvalidHeaderError) {
        guard !options.settings.secret.isEmpty else { return nil }
        profile = try Self.profile(version: options.version)
        state = Mutex(Self.peers(at: options.settings.peers, knowing: []))
        self.options = options
        signature = FleetSignature(secret: options.settings.secret)
        self.client = client
        self.log = log
        self.clock = clock
    }

    /// Returns the peers at `urls` without duplicates. Known peers keep their state.
    private static func peers(at urls: [String], knowing known: [Peer]) -> [Peer] {
        urls.reduce(into: []) { peers, base in
            let url = base + FleetSignature.path
            guard !peers.contains(where: { $0.known.url == url }) else { return }
            peers.append(known.first { $0.known.url == url } ?? Peer(known: FleetPeer(url: url)))
        }
    }

    /// Replaces the URLs of the peers.
    func follow(_ urls: [String]) {
        state.withLock { $0 = Self.peers(at: urls, knowing: $0) }
    }

    package var peers: [FleetPeer] {
        state.withLock { $0.filter { !$0.isOwn }.map(\.known) }
    }

    /// The calls to a peer take at most about two seconds for each batch (`FleetBatch.all`).
    package func send(
        _ messages: [FleetMessage], except others: Set<String>, onReached: @escaping @Sendable (String) -> Void
    ) async {
        let urls = peers.filter { !others.contains($0.name ?? "") }.map(\.url)
        await post(FleetBatch.all(of: messages, from: options.node), to: urls, onReached)
    }

    package func meet(_ urls: Set<String>, onReached: @escaping @Sendable (String) -> Void) async {
        let urls = peers.map(\.url).filter(urls.contains)
        await post([FleetBatch(node: options.node, messages: [])], to: urls, onReached)
    }

    /// Posts the batches to all URLs at the same time.
    private func post(
        _ batches: [FleetBatch], to urls: [String], _ onReached: @escaping @Sendable (String) -> Void
    ) async {
        let hasMessages = batches.contains { !$0.messages.isEmpty }
        let bodies = batches.map(\.body)
        await withTaskGroup(of: Void.self) { group in
            for url in urls {
                group.addTask {
                    switch await self.answerer(at: url, taking: bodies) {
                    case .success(let answerer):
                        if let name = self.note(answerer, at: url) { onReached(name) }
                    case .failure(let refusal): self.note(refusal, at: url, isSaid: hasMessages)
                    }
                }
            }
        }
    }

    // MARK: State of a peer

    /// Records an answer. Returns the name of the node that answered, or nil if this node itself did.
    private func note(_ answerer: Answerer, at url: String) -> String? {
        let isOwn = answerer.instance == options.instance
        let wasSaid = change(url) { peer in
            peer.isOwn = isOwn
            (peer.known.name, peer.known.failed) = (answerer.node, nil)
            defer { peer.isSaid = false }
            return peer.isSaid
        }
        if wasSaid == true { log.record("fleet_peer_up", level: .info, ["peer": .string(url)]) }
        return isOwn ? nil : answerer.node
    }

    /// Records a failed call. `isSaid`: the log gets a line about it, unless it has one already.
    private func note(_ refusal: Refusal, at url: String, isSaid: Bool) {
        let now = clock.monotonic()
        let isNew = change(url) { peer in
            peer.known.failed = now
            defer { peer.isSaid = peer.isSaid || isSaid }
            return isSaid && !peer.isSaid
        }
        guard isNew == true else { return }
        log.record("fleet_peer_down", ["peer": .string(url), "why": .string(refusal.why)])
    }

    private func change(_ url: String, _ body: (inout Peer) -> Bool) -> Bool? {
        state.withLock { peers in
            peers.firstIndex { $0.known.url == url }.map { body(&peers[$0]) }
        }
    }

    // MARK: Calls

    private struct Refusal: Error {
        let why: String
    }

    /// The part of an answer that names the node which answers:
    /// `{"node":"b","instance":"5f03","signature":"sha256=…"}`.
    private struct Answerer {
        let node: String
        let instance: String
        /// Nil if the answer has no signature, for example from a server of an older version.
        let signature: String?

        init?(_ body: [UInt8]) {
            guard let answer = try? JSONText(body, depth: 4).value.object(["node", "instance", "signature"]),
                let node = try? answer.required("node").string(), FleetMessage.isName(node, atMost: 64),
                let instance = try? answer.required("instance").string(), !instance.isEmpty
            else { return nil }
            (self.node, self.instance) = (node, instance)
            // A signature that is not a string counts as missing.
            signature = try? answer["signature"]?.string()
        }
    }

    /// Posts `batches` one after the other. Returns the node that has applied all batches.
    private func answerer(at url: String, taking batches: [[UInt8]]) async -> Result<Answerer, Refusal> {
        var result = Result<Answerer, Refusal>.failure(Refusal(why: "no message to send"))
        for batch in batches {
            result = await post(batch, to: url)
            // A batch to this node itself is not needed. The loop ends after the first answer.
            guard case .success(let answerer) = result, answerer.instance != options.instance else { break }
        }
        return result
    }

    private func post(_ batch: [UInt8], to url: String) async -> Result<Answerer, Refusal> {
        guard let (request, signed) = signature.request(posting: batch, to: url, at: clock.wall(), as: profile) else {
            return .failure(Refusal(why: "memory"))
        }
        switch await client.fetch(request) {
        case .failure(let error): return .failure(Refusal(why: "\(error)"))
        case .success(let response) where response.status != 200:
            return .failure(Refusal(why: "status \(response.status)"))
        case .success(let response):
            guard let answerer = Answerer(response.body.array) else {
                return .failure(Refusal(why: "the peer is no node of a fleet"))
            }
            // Without a signature another server at this URL could pretend to have taken a clear.
            guard let found = answerer.signature,
                signature.isGoodAnswer(found, to: signed, node: answerer.node, instance: answerer.instance)
            else { return .failure(Refusal(why: "the answer has no signature: an older version, or another server")) }
            return .success(answerer)
        }
    }
}

import EventLog
import HTTPClient
import JSON
import Synchronization

/// Tells other nodes without Redis.
package protocol FleetCaller: Sendable {
    /// Sends `messages` to all peers at the same time, but not to those that are known to be `others`. `onReached` is called with the name
    /// of each other node when it has applied them all.
    func send(
        _ messages: [FleetMessage], except others: Set<String>, onReached: @escaping @Sendable (String) -> Void) async

    /// Asks the peers at `urls` for their names, at the same time. Calls `onReached` with the name of each other node that answers.
    func meet(_ urls: Set<String>, onReached: @escaping @Sendable (String) -> Void) async

    /// The peers without this node itself, as far as that is known.
    var peers: [FleetPeer] { get }
}

/// A URL of the configuration that leads to another node.
package struct FleetPeer: Sendable, Equatable {
    package let url: String
    /// The node's name in its last answer. Nil if it never answered.
    package var name: String?
    /// The time of the last call, by the monotonic clock, if that call failed.
    package var failed: Double?
}

/// The other servers of a fleet as they are told of clears over HTTP, where Redis is away or they have not heard there.
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
        /// The URL leads to this server itself.
        var isOwn = false
        /// The log has a line that the peer did not take a batch.
        var isSaid = false
    }

    /// How peers are asked. They are named in the configuration, wherever they are.
    package static func profile(version: String) throws(UpstreamProfile.InvalidHeaderError) -> UpstreamProfile {
        try UpstreamProfile(
            headers: [("Content-Type", "application/json")], userAgent: "tileserver/\(version)",
            timeouts: UpstreamTimeouts(connect: 0.5, firstByte: 1, total: 2),
            limits: UpstreamLimits(head: 8_192, body: 4_096, redirects: 0), allowPrivate: true)
    }

    /// Nil without a secret. `options`: of this server's node.
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

    /// Peers at `urls`, each once. What is known of one stays so.
    private static func peers(at urls: [String], knowing known: [Peer]) -> [Peer] {
        urls.reduce(into: []) { peers, base in
            let url = base + FleetSignature.path
            guard !peers.contains(where: { $0.known.url == url }) else { return }
            peers.append(known.first { $0.known.url == url } ?? Peer(known: FleetPeer(url: url)))
        }
    }

    /// The peers are at `urls` from now on.
    func follow(_ urls: [String]) {
        state.withLock { $0 = Self.peers(at: urls, knowing: $0) }
    }

    package var peers: [FleetPeer] {
        state.withLock { $0.filter { !$0.isOwn }.map(\.known) }
    }

    /// Each peer takes some two seconds for half a mebibyte of messages at most.
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

    /// At the same time to all.
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

    // MARK: What is known of a peer

    /// Takes over an answer. Returns the name of the server that answered, or nil if it is this server.
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

    /// Takes over a call that failed. `isSaid`: whether the log gets a line, once.
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

    // MARK: A call

    private struct Refusal: Error {
        let why: String
    }

    /// The server that answers: `{"node":"b","instance":"5f03","signature":"sha256=…"}`.
    private struct Answerer {
        let node: String
        let instance: String
        /// Nil where the server is of an older version, or none of the fleet.
        let signature: String?

        init?(_ body: [UInt8]) {
            guard let answer = try? JSONText(body, depth: 4).value.object(["node", "instance", "signature"]),
                let node = try? answer.required("node").string(), FleetMessage.isName(node, atMost: 64),
                let instance = try? answer.required("instance").string(), !instance.isEmpty
            else { return nil }
            (self.node, self.instance) = (node, instance)
            // A value that is no string is no signature.
            signature = try? answer["signature"]?.string()
        }
    }

    /// Posts `batches` one after the other. Returns the server that has applied all of them.
    private func answerer(at url: String, taking batches: [[UInt8]]) async -> Result<Answerer, Refusal> {
        var result = Result<Answerer, Refusal>.failure(Refusal(why: "no message to send"))
        for batch in batches {
            result = await post(batch, to: url)
            // This server needs no batch of its own.
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
            // Without a proof another server at this URL could have clears count as taken.
            guard let found = answerer.signature,
                signature.isGoodAnswer(found, to: signed, node: answerer.node, instance: answerer.instance)
            else { return .failure(Refusal(why: "the answer has no signature: an older version, or another server")) }
            return .success(answerer)
        }
    }
}

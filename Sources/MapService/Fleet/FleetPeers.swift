import Configuration
import EventLog
import Fleet
import HTTPClient
import JSON
import Logging
import Synchronization

/// The other servers of a fleet as they are told of clears over HTTP, where Redis is away or they have not heard there.
///
/// Thread rule: any thread.
final class FleetPeers: FleetCaller {
    private let urls: [String]
    private let instance: String
    private let node: String
    private let signature: FleetSignature
    private let client: HTTPClient
    private let profile: UpstreamProfile
    private let now: @Sendable () -> Int
    private let log: EventLog
    private let state = Mutex(State())

    private struct State {
        /// The URL that leads to this server itself, once that is known.
        var own: String?
        /// By URL, as far as they are known.
        var names: [String: String] = [:]
        /// Those that did not take the last letter.
        var silent: Set<String> = []
    }

    /// Where a letter is posted to.
    static let path = "/fleet/messages"

    /// How peers are asked. They are named in the configuration, wherever they are.
    static func profile() throws(UpstreamProfile.InvalidHeaderError) -> UpstreamProfile {
        try UpstreamProfile(
            headers: [("Content-Type", "application/json")], userAgent: "tileserver/\(MapService.version)",
            timeouts: UpstreamTimeouts(connect: 0.5, firstByte: 1, total: 2),
            limits: UpstreamLimits(head: 8_192, body: 4_096, redirects: 0), allowPrivate: true)
    }

    /// Nil where no peers are configured. `instance`: of this server's process; `node`: this server's name; `now`: seconds since 1970.
    init?(
        _ settings: FleetSettings, instance: String, node: String, client: HTTPClient, log: EventLog,
        now: @escaping @Sendable () -> Int
    ) {
        // The fields of the profile are known to be good.
        guard !settings.peers.isEmpty, !settings.secret.isEmpty, let profile = try? Self.profile() else { return nil }
        self.profile = profile
        urls = settings.peers.map { $0 + Self.path }
        self.instance = instance
        self.node = node
        signature = FleetSignature(secret: settings.secret)
        self.client = client
        self.log = log
        self.now = now
    }

    /// How many there are, without this server itself as far as that is known.
    var count: Int { urls.count - (state.withLock { $0.own } == nil ? 0 : 1) }

    /// Each peer takes some two seconds for half a mebibyte of messages at most.
    func send(
        _ messages: [FleetMessage], except others: Set<String>, onReached: @escaping @Sendable (String) -> Void
    ) async {
        let letters = FleetLetter.all(of: messages, from: node).map(\.body)
        let (own, names) = state.withLock { ($0.own, $0.names) }
        await withTaskGroup(of: Void.self) { group in
            for url in urls where url != own && !others.contains(names[url] ?? "") {
                group.addTask {
                    if let name = await self.name(of: url, taking: letters) { onReached(name) }
                }
            }
        }
    }

    /// The name of the peer at `url` once it has applied all of `letters`; nil where it has not, or is this server.
    private func name(of url: String, taking letters: [[UInt8]]) async -> String? {
        var name: String?
        for letter in letters {
            switch await post(letter, to: url) {
            case .success(let answerer) where answerer.instance == instance:
                state.withLock { $0.own = url }
                return nil
            case .success(let answerer): name = answerer.node
            case .failure(let refusal):
                if state.withLock({ $0.silent.insert(url).inserted }) {
                    log.record("fleet_peer_down", ["peer": .string(url), "why": .string(refusal.why)])
                }
                return nil
            }
        }
        let wasSilent = state.withLock { state in
            state.names[url] = name
            return state.silent.remove(url) != nil
        }
        if wasSilent { log.record("fleet_peer_up", level: .info, ["peer": .string(url)]) }
        return name
    }

    private struct Refusal: Error {
        let why: String
    }

    /// Who answers: `{"node":"b","instance":"5f03"}`.
    private struct Answerer {
        let node: String
        let instance: String

        init?(_ body: [UInt8]) {
            guard let answer = try? JSONText(body, depth: 4).value.object(["node", "instance"]),
                let node = try? answer.required("node").string(), FleetMessage.isName(node, atMost: 64),
                let instance = try? answer.required("instance").string(), !instance.isEmpty
            else { return nil }
            (self.node, self.instance) = (node, instance)
        }
    }

    /// Who has applied `letter`.
    private func post(_ letter: [UInt8], to url: String) async -> Result<Answerer, Refusal> {
        let seconds = now()
        guard let signed = signature.text(of: letter, at: seconds) else { return .failure(Refusal(why: "memory")) }
        var request = UpstreamRequest(
            url: url, profile: profile,
            fields: [
                (FleetSignature.timeField.description, "\(seconds)"), (FleetSignature.field.description, signed),
            ])
        request.content = UpstreamRequest.Content(bytes: letter)
        switch await client.fetch(request) {
        case .failure(let error): return .failure(Refusal(why: "\(error)"))
        case .success(let response) where response.status != 200:
            return .failure(Refusal(why: "status \(response.status)"))
        case .success(let response):
            return Answerer(response.body.array).map { .success($0) }
                ?? .failure(Refusal(why: "no server of a fleet"))
        }
    }
}

import Configuration
import EventLog
import HTTPServer
import Logging
import Runtime

/// What each client may take by the configuration of now; the table of clients outlives it.
///
/// A class, so that responders, and callbacks of theirs, hold one reference and not a copy of all this. Thread rule: any thread.
final class ClientLimits: Sendable {
    /// Requests are limited. Without that, a hit has nothing to do with any of this.
    let limitsRequests: Bool
    private let limited: [LimitedUse: ClientRate]
    private let exempt: [AddressBlock]
    private let trustedProxies: [AddressBlock]
    fileprivate let rates: LimitRates
    fileprivate let table: ClientTable
    fileprivate let log: EventLog

    init(_ settings: ClientLimitSettings, trustedProxies: [AddressBlock], table: ClientTable, log: EventLog) {
        let all: [(LimitedUse, ClientRate)] = [
            (.requests, settings.requests), (.misses, settings.misses), (.pixels, settings.pixels),
        ]
        let limited = all.filter { $0.1.rate > 0 }
        self.limited = Dictionary(uniqueKeysWithValues: limited)
        var rates = LimitRates()
        for (use, limit) in limited {
            rates.rate[use.rawValue] = limit.rate
            rates.burst[use.rawValue] = Double(limit.burst)
        }
        self.rates = rates
        limitsRequests = settings.requests.rate > 0
        exempt = settings.exempt + ["127.0.0.0/8", "::1"].compactMap { AddressBlock($0) }
        self.trustedProxies = trustedProxies
        self.table = table
        self.log = log
    }

    /// What the client of `request` has of `use`; nil where that is not limited.
    func account(for use: LimitedUse, of request: Request) -> ClientAccount? {
        guard let limit = limited[use] else { return nil }
        let client = request.forwardedClient(trusting: trustedProxies)
        // A proxy's own address exempts none of those whom it does not name.
        guard !client.isSaid || !exempt.trust(client.address) else { return nil }
        return ClientAccount(use: use, limit: limit, limits: self, address: client.address)
    }

    /// The answer to a request that is one too many; nil where it is none.
    func refusal(of request: Request) -> Response? {
        account(for: .requests, of: request)?.refusal(of: 1, at: request.time, request.logFields)
    }
}

/// What one client has of one use.
struct ClientAccount: Sendable {
    let use: LimitedUse
    let limit: ClientRate
    private let limits: ClientLimits
    /// As the log names it.
    private let address: String
    private let client: ClientKey

    fileprivate init(use: LimitedUse, limit: ClientRate, limits: ClientLimits, address: String) {
        self.use = use
        self.limit = limit
        self.limits = limits
        self.address = address
        client = ClientKey(ClientAddress(address))
    }

    /// Takes `cost`; returns the seconds until the client has so much where it has not.
    func take(_ cost: Int, at now: MonotonicTime) -> Double? {
        limits.table.take(Double(cost), for: use, of: client, limits.rates, at: now)
    }

    /// The answer to who has to wait for so many seconds, which the log hears of. `fields`: what it says of the request.
    func refusal(wait: Double, _ fields: Logger.Metadata) -> Response {
        limits.log.record(
            "limit", level: .info,
            fields.merging(["why": "rate", "limit": "\(use)", "client": "\(address)"]) { $1 })
        return use.refusal(limit, wait: Int(min(wait, 1e9).rounded(.up)))
    }

    /// Takes `cost`; returns the answer where the client has not so much. `fields`: what the log says of the request.
    func refusal(
        of cost: Int, at now: MonotonicTime, _ fields: @autoclosure () -> Logger.Metadata
    ) -> Response? {
        take(cost, at: now).map { refusal(wait: $0, fields()) }
    }

    /// Puts back what was taken for nothing.
    func giveBack(_ cost: Int) {
        limits.table.giveBack(Double(cost), for: use, of: client)
    }
}

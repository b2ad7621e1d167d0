import Configuration
import EventLog
import HTTPServer
import Logging
import Runtime

/// Checks whether clients exceed the limits of the current configuration. The table of clients stays the same when the
/// configuration changes. A class, so that responders and their callbacks share one object. Thread rule: any thread.
final class ClientLimits: Sendable {
    /// True if requests are limited. Otherwise a cache hit does not use the limits at all.
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

    /// Returns the account of the client of `request` for `use`. Nil if `use` is not limited for the client.
    func account(for use: LimitedUse, of request: Request) -> ClientAccount? {
        guard let limit = limited[use] else { return nil }
        let client = request.forwardedClient(trusting: trustedProxies)
        // A proxy's own address must not exempt the clients that the proxy does not name.
        guard !client.isSaid || !exempt.trust(client.address) else { return nil }
        return ClientAccount(use: use, limit: limit, limits: self, address: client.address)
    }

    /// Returns the refusal of a request that exceeds the limit. Nil if the client is within its limit.
    func refusal(of request: Request) -> Response? {
        account(for: .requests, of: request)?.refusal(of: 1, at: request.time, request.logFields)
    }
}

/// The tokens of one client for one kind of use, for example cache misses or drawn pixels.
struct ClientAccount: Sendable {
    let use: LimitedUse
    let limit: ClientRate
    private let limits: ClientLimits
    /// The address in the log.
    private let address: String
    private let client: ClientKey

    fileprivate init(use: LimitedUse, limit: ClientRate, limits: ClientLimits, address: String) {
        self.use = use
        self.limit = limit
        self.limits = limits
        self.address = address
        client = ClientKey(ClientAddress(address))
    }

    /// Takes `cost` from the account. Returns nil on success, or the seconds until the account has enough.
    func take(_ cost: Int, at now: MonotonicTime) -> Double? {
        limits.table.take(Double(cost), for: use, of: client, limits.rates, at: now)
    }

    /// Logs and returns the refusal of a client that must wait `wait` seconds. `fields` describes the request in the
    /// log.
    func refusal(wait: Double, _ fields: Logger.Metadata) -> Response {
        limits.log.record(
            "limit", level: .info,
            fields.merging(["why": "rate", "limit": "\(use)", "client": "\(address)"]) { $1 })
        return use.refusal(limit, wait: Int(min(wait, 1e9).rounded(.up)))
    }

    /// Takes `cost` from the account. Returns a refusal if the account has too little. `fields` describes the request
    /// in the log.
    func refusal(
        of cost: Int, at now: MonotonicTime, _ fields: @autoclosure () -> Logger.Metadata
    ) -> Response? {
        take(cost, at: now).map { refusal(wait: $0, fields()) }
    }

    /// Gives back `cost` that was taken but not used.
    func giveBack(_ cost: Int) {
        limits.table.giveBack(Double(cost), for: use, of: client)
    }
}

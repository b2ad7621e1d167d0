import Keys

/// The `limits` section: limits for the requests of each client. Every limit has an average rate and a burst, which is
/// the maximum at once. IPv6 addresses with the same first 64 bits count as one client.
public struct ClientLimitSettings: Sendable, Equatable {
    /// Limit of all requests.
    public var requests = ClientRate(rate: 0, burst: 200)
    /// Limit of tiles that are not in the cache.
    public var misses = ClientRate(rate: 0, burst: 100)
    /// Limit of drawn pixels of static images and animations.
    public var pixels = ClientRate(rate: 8_388_608, burst: 67_108_864)
    /// Clients without limits, in addition to clients with a loopback address.
    public var exempt: [AddressBlock] = []

    /// Creates settings with defaults.
    public init() {}
}

/// A limit for each client, as a token bucket. Requests take tokens from the client's bucket. The bucket has room for
/// `burst` tokens, and gets `rate` new tokens per second.
public struct ClientRate: Sendable, Equatable {
    /// Tokens per second, in 0…1,000,000,000; 0 means no limit.
    public var rate: Double
    /// Maximum number of tokens at once, in 1…1,000,000,000.
    public var burst: Int

    /// Creates a limit of `rate` per second and `burst` at once.
    public init(rate: Double, burst: Int) {
        self.rate = rate
        self.burst = burst
    }
}

extension ClientRate: KeyedSettings {
    package init() { self.init(rate: 0, burst: 1) }

    package static let keys: [Key<ClientRate>] = [
        Key(
            "rate", \.rate, .real(0...1_000_000_000),
            "sustained rate of each client per second; 0 turns the limit off"),
        Key("burst", \.burst, .integer(1...1_000_000_000), "largest burst of a client after a pause"),
    ]
}

extension ClientLimitSettings: KeyedSettings {
    package static let keys: [Key<ClientLimitSettings>] = [
        Key(
            "requests", section: \.requests, standard: ClientLimitSettings().requests,
            "limit of requests, including requests for cached tiles; 429 above it"),
        Key(
            "misses", section: \.misses, standard: ClientLimitSettings().misses,
            "limit of tiles that are not in the cache. Above it, cached tiles are served and other tiles answer 429"),
        Key(
            "pixels", section: \.pixels, standard: ClientLimitSettings().pixels,
            "limit of pixels drawn for static images and animations; 429 above it"),
        Key(
            "exempt", list: \.exempt, of: .addressBlock,
            "addresses or blocks (`10.0.0.0/8`) of clients without these limits; clients on this machine have none"),
    ]
}

import Keys

/// The `limits` section: what each client may ask for in the long run, and at once.
///
/// A client is an IPv4 address or the /64 of an IPv6 address.
public struct ClientLimitSettings: Sendable, Equatable {
    /// Requests, whatever they ask for.
    public var requests = ClientRate(rate: 0, burst: 200)
    /// Tiles that are not in the cache.
    public var misses = ClientRate(rate: 0, burst: 100)
    /// Pixels of static images and animations that are drawn.
    public var pixels = ClientRate(rate: 8_388_608, burst: 67_108_864)
    /// Clients that nothing is limited for, beside those on this machine.
    public var exempt: [AddressBlock] = []

    /// The defaults.
    public init() {}
}

/// A token bucket for each client: it holds `burst` tokens, and `rate` of them come back each second.
public struct ClientRate: Sendable, Equatable {
    /// A second, in 0…1,000,000,000; 0 limits nothing.
    public var rate: Double
    /// At once, after a pause, in 1…1,000,000,000.
    public var burst: Int

    /// `rate` a second, `burst` at once.
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

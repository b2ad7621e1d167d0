import Bytes
import Glibc
import Keys

/// The `fleet` section of the settings. A fleet is a group of servers that serve the same layers and exchange clears.
public struct FleetSettings: Sendable, Equatable {
    /// The Redis or Valkey that all nodes share.
    public var redis: RedisURL
    /// Prefix of all keys in Redis. Servers with another prefix belong to another fleet. 1…64 letters, digits and
    /// `._-`.
    public var prefix = "tileserver"
    /// The name of this node, unique in the fleet: 1…64 letters, digits and `._-`. Nil: the machine's name.
    public var node: String?
    /// The secret that signs messages between nodes: visible ASCII, 16…512 bytes. If empty, nodes send messages through
    /// Redis only.
    public var secret = ""
    /// The URLs of the other nodes. This node tells them of a clear over HTTP if they do not get the clear from Redis
    /// in time.
    public var peers: [String] = []
    /// Settings for tiles in Redis. Nil: this node keeps no tiles in Redis and reads none.
    public var tiles: FleetTileSettings? = FleetTileSettings()
    /// Time for which a node uses tiles of upstreams without revalidation while Redis does not answer; 1 s…1 d.
    public var lease = Duration.seconds(30)
    /// Timeout of requests to Redis; 10 ms…10 s. After a timeout the node does not ask Redis for a while.
    public var timeout = Duration.milliseconds(100)

    /// Creates settings with defaults. `redis` has no default.
    public init(redis: RedisURL) {
        self.redis = redis
    }

    /// The name of this node: the setting `node`, or the first 64 permitted characters of the machine's name. The name
    /// is the word "node" if the machine's name has no permitted character.
    package var name: String {
        if let node { return node }
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let letters = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            .filter { FleetMessage.isName(String(UnicodeScalar($0)), atMost: 1) }
        return letters.isEmpty ? "node" : String(decoding: letters.prefix(64), as: UTF8.self)
    }
}

/// The `fleet.tiles` section: which tiles Redis keeps, and for how long.
public struct FleetTileSettings: Sendable, Equatable {
    /// Maximum time for which Redis keeps a tile; 1 s…365 d.
    public var ttl = Duration.seconds(86_400)
    /// Number of requests for a tile before the node puts it into Redis, in 1…1,000. The request that fetched the tile
    /// counts. A tile that other nodes wait for is put there at once.
    public var minHits = 2

    /// Creates the default settings.
    public init() {}
}

extension FleetTileSettings: KeyedSettings {
    package static let keys: [Key<FleetTileSettings>] = [
        Key(
            "ttl", \.ttl, .duration(Duration.seconds(1)...Duration.seconds(365 * 86_400)),
            "maximum time that a tile stays in Redis; a tile that is too old to be served is removed earlier"),
        Key(
            "minHits", \.minHits, .integer(1...1_000),
            "requests for a tile before a node stores it in Redis; at once if another node waits for the tile"
        ),
    ]
}

extension FleetSettings: KeyedSettings {
    package init() { self.init(redis: RedisURL(host: "")) }

    package static let keys: [Key<FleetSettings>] = [
        Key(
            "redis", schema: ValueRule<RedisURL>.redisURL.schema,
            "URL of the Redis 7 or Valkey that the nodes share, required: "
                + "`redis://[user:password@]host[:port][/database]`. `TILESERVER_FLEET_REDIS`",
            refusal: { $0.redis.host.isEmpty ? Refusal(expected: "a host", found: "none") : nil },
            changes: { $0.redis == $1.redis ? [] : ["redis"] },
            read: { $0.value("redis", .redisURL, into: &$1.redis) }),
        Key(
            "prefix", \.prefix, .fleetName,
            "prefix of all keys in Redis; nodes with another prefix are another fleet"),
        Key(
            "node", optional: \.node, .fleetName, takesNull: true,
            "name of this node in the fleet, different on each node; unset: the machine's name"),
        Key(
            "secret", schema: ValueRule<String>.token.schema,
            "secret that signs messages between nodes, the same on all: 16 to 512 bytes of visible ASCII. "
                + "`TILESERVER_FLEET_SECRET`",
            changes: { $0.secret == $1.secret ? [] : ["secret"] },
            read: { $0.value("secret", .token, into: &$1.secret) }),
        Key(
            "peers", list: \.peers, count: 0...64, of: .publicURL,
            "URLs of the other nodes, which receive clears while Redis is down; needs `secret`"),
        tiles,
        Key(
            "lease", \.lease, .duration(Duration.seconds(1)...Duration.seconds(86_400)),
            "time that a node without news of other nodes' clears serves upstream tiles without revalidation"
        ),
        Key(
            "timeout", \.timeout, .duration(Duration.milliseconds(10)...Duration.seconds(10)),
            "timeout of a request to Redis. After a timeout the node skips Redis and tries it again each second"),
    ]

    /// The key `tiles`: a mapping, `off`, or a spelling of `false`.
    private static let tiles = Key<FleetSettings>(
        "tiles", schema: ["anyOf": [FleetTileSettings.schema, ["const": "off"], ["const": .boolean(false)]]],
        "tiles that nodes share in Redis; `off` shares none",
        refusal: { $0.tiles?.refusal }, rows: { FleetTileSettings.rows },
        changes: { old, new in
            guard let old = old.tiles, let new = new.tiles else { return old.tiles == new.tiles ? [] : ["tiles"] }
            return FleetTileSettings.changedKeys(old, new).map { "tiles.\($0)" }
        },
        read: { section, fleet in
            if section.isScalar("tiles"), section.value("tiles", .fleetTilesOff) != nil {
                fleet.tiles = nil
            } else if !section.isScalar("tiles") {
                var tiles = FleetTileSettings()
                section.mapping("tiles") { tiles.read(&$0) }
                fleet.tiles = tiles
            }
        })

    package mutating func check(_ section: inout MappingReader) {
        let environment = section.context.substitution
        if !section.has("redis"), !environment.isSet("TILESERVER_FLEET_REDIS"), section.isMapping {
            section.complain("redis is missing; write a URL such as redis://127.0.0.1:6379/0")
        }
        if !peers.isEmpty, secret.isEmpty, section.isSound("secret"),
            !environment.isSet("TILESERVER_FLEET_SECRET")
        {
            section.complain(
                "peers", "needs fleet.secret, which signs messages between nodes (openssl rand -hex 16 makes one)")
        }
    }
}

extension ValueRule where Value == String {
    /// A rule for names in keys of Redis and in messages.
    fileprivate static var fleetName: ValueRule {
        ValueRule(
            expected: "1 to 64 letters, digits and ._-", pattern: "^[A-Za-z0-9._-]{1,64}$", types: ["string", "number"]
        ) { scalar in
            !scalar.isNull && FleetMessage.isName(scalar.text, atMost: 64) ? scalar.text : nil
        }
    }
}

extension ValueRule where Value == Bool {
    /// A rule for `off` and for the spellings of `false`.
    fileprivate static var fleetTilesOff: ValueRule {
        ValueRule(expected: "keys and values, or off", schema: ["const": "off"], write: { .boolean($0) }) { scalar in
            scalar.boolean == false || scalar.text == "off" ? false : nil
        }
    }
}

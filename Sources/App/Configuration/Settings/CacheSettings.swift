import Keys
import TileCache

/// The `cache` section: the cache in memory and on disk.
public struct CacheSettings: Sendable, Equatable {
    /// Maximum size of the tiles in memory in bytes, overhead included; 0…1 TiB, 0 keeps none. At most
    /// `ServerSettings.memory`; the server uses less if that leaves less. Nil: 256 MiB, or less if
    /// `ServerSettings.memory` or the control group's limit is small. Then the default is two fifths of what remains of
    /// that limit after 40 MiB, and at least an eighth of the limit.
    public var memory: Int?
    /// The directory of the server's files: the admin token, the state of the fleet, the purges of `cdn.purge`, and the
    /// database of the disk tier if `disk` has no path. Absolute, or relative to the working directory. In a
    /// configuration file, relative to the file's directory.
    public var directory = "var"

    /// The tier behind memory, which survives restarts. Nil: there is no such tier.
    public var disk: DiskSettings?

    static let standardMemory = 256 << 20

    /// Creates settings with defaults.
    public init() {}
}

extension CacheSettings: KeyedSettings {
    package static let keys: [Key<CacheSettings>] = [
        Key(
            "memory", optional: \.memory, .size(0...1 << 40), takesNull: true, unset: standardMemory,
            "memory for cached tiles, at most `server.memory`; 0 keeps no tiles in memory. `TILESERVER_CACHE_MEMORY`"),
        Key(
            "directory", \.directory, .filledText("a directory"),
            "directory of the server's own files, such as the admin token and the disk tier; the default is in the "
                + "working directory. `TILESERVER_CACHE_DIRECTORY`"
        ).following { section, cache in
            cache.directory = section.located(cache.directory, for: "directory", isThere: CacheDirectory.isInUse)
        },
        Key(
            "disk", optionalSection: \.disk,
            "disk tier of the cache; `{}` takes the defaults below. Without it, a restart loses all cached tiles"),
    ]
}

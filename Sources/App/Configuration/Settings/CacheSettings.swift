import Keys
import TileCache

/// The `cache` section: what the server keeps.
public struct CacheSettings: Sendable, Equatable {
    /// The most bytes of tiles in memory, overhead included; 0…1 TiB, 0 keeps none. At most `ServerSettings.memory`, and less
    /// than this is used where that leaves less. Nil: 256 MiB. Less if `ServerSettings.memory` or the control group's limit
    /// is small: two fifths of it after 40 MiB are taken off, and at least an eighth of it.
    public var memory: Int?
    /// The directory of files the server writes (the admin token it made, the disk tier's database), absolute or relative to
    /// the working directory; in a file, to the file's own.
    public var directory = "var"

    /// The tier behind memory that survives restarts. Nil: there is none.
    public var disk: DiskSettings?

    static let standardMemory = 256 << 20

    /// The defaults.
    public init() {}
}

extension CacheSettings: KeyedSettings {
    package static let keys: [Key<CacheSettings>] = [
        Key(
            "memory", optional: \.memory, .size(0...1 << 40), takesNull: true, unset: standardMemory,
            "memory for cached tiles, at most `server.memory`; 0 keeps no tiles in memory. `TILESERVER_CACHE_MEMORY`"),
        Key(
            "directory", \.directory, .filledText("a directory"),
            "directory of the admin token file; the default is in the working directory. `TILESERVER_CACHE_DIRECTORY`"
        ).following { section, cache in
            cache.directory = section.located(cache.directory, for: "directory", isThere: CacheDirectory.isInUse)
        },
        Key(
            "disk", optionalSection: \.disk,
            "disk tier of the cache; `{}` takes the defaults below. Without it, a restart loses all cached tiles"),
    ]
}

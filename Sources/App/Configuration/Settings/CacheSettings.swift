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

/// The `cache.disk` section: one file of tiles, and how much of the disk it may take.
public struct DiskSettings: Sendable, Equatable {
    /// The database's file, absolute or relative to the working directory; in a file, to the file's own. Nil: `cache.sqlite` in
    /// the cache's directory.
    public var path: String?
    /// The most bytes that the file and its log take together; 1 MiB…1 PiB.
    public var maxBytes = 10 << 30
    /// The bytes of its file system that the cache leaves to others: with less than that free it stores nothing; 0…1 PiB.
    public var minFree = 512 << 20

    /// The defaults.
    public init() {}
}

import Settings

extension ServerSettings {
    /// Reads the `server` section.
    mutating func read(_ section: inout MappingReader) {
        section.value("host", .host, into: &host)
        section.value("port", .port, into: &port)
        section.value("publicURL", .publicURL, into: &publicURL)
        section.list("trustedProxies", into: &trustedProxies) { _ in .addressBlock }
        section.value("reactors", .integer(0...256), into: &reactors)
        section.value("accessLog", .boolean, into: &accessLog)
        section.mapping("limits") { limits.read(&$0) }
    }
}

extension ServerLimits {
    private static let time = Duration.milliseconds(1)...Duration.seconds(3_600)

    fileprivate mutating func read(_ section: inout MappingReader) {
        section.value("requestLine", .size(256...65_536), into: &requestLine)
        section.value("headerLine", .size(256...65_536), into: &headerLine)
        section.value("head", .size(1_024...65_535), into: &head)
        section.value("headerCount", .integer(8...1_000), into: &headerCount)
        section.value("headTimeout", .duration(Self.time), into: &headTimeout)
        section.value("idleTimeout", .duration(Self.time), into: &idleTimeout)
        section.value("requestsPerConnection", .integer(1...1_000_000_000), into: &requestsPerConnection)
        section.value("bodyDrain", .size(0...1_048_576), into: &bodyDrain)
        section.value("writeStall", .duration(Self.time), into: &writeStall)
        section.value("responseTimeout", .duration(Self.time), into: &responseTimeout)
        section.value("connections", .integer(1...1_000_000), into: &connections)
        section.value("drain", .duration(.zero...Duration.seconds(3_600)), into: &drain)
    }
}

extension ValueRule where Value == Int {
    /// A TCP port; 0 lets the system choose.
    static var port: ValueRule { .integer(0...65_535) }

    /// The bytes of the memory cache.
    static var cacheMemory: ValueRule { .size(0...1 << 40) }
}

extension AdminSettings {
    /// Reads the `admin` section.
    mutating func read(_ section: inout MappingReader) {
        section.value("token", .token, into: &token)
        section.list("hosts", into: &hosts) { _ in .hostName }
    }
}

extension CacheSettings {
    /// Reads the `cache` section.
    mutating func read(_ section: inout MappingReader) {
        section.value("memory", .cacheMemory, into: &memory)
        section.value("directory", .filledText("a directory"), into: &directory)
        // A section without a key in it is a wish for the defaults; none at all is the wish for no such tier.
        var settings = DiskSettings()
        let isWanted = section.has("disk")
        section.mapping("disk") { settings.read(&$0) }
        if isWanted { disk = settings }
    }
}

extension DiskSettings {
    fileprivate mutating func read(_ section: inout MappingReader) {
        section.value("path", .filledText("a file"), into: &path)
        section.value("maxBytes", .size(1 << 20...1 << 50), into: &maxBytes)
        section.value("minFree", .size(0...1 << 50), into: &minFree)
    }
}

import Settings

extension LayerSettings {
    private static let age = Duration.zero...Duration.seconds(3_650 * 86_400)

    /// Reads the layer that stands below the key `id`. The result is of use only where no problem was found.
    static func read(_ id: String, _ section: inout MappingReader, _ validate: SourceValidator) -> LayerSettings {
        if let complaint = complaint(about: id) { section.complain(complaint) }
        let source = LayerSource.read(&section, validate)
        var layer = LayerSettings(id: id, source: source ?? .url(URLSource(template: "")))
        layer.readCommonKeys(&section)
        return layer
    }

    /// Reads the map that stands below the key `id`; `layers`: the ids of all layers.
    static func readMap(_ id: String, _ section: inout MappingReader, layers: [String]) -> LayerSettings {
        if let complaint = complaint(about: id) { section.complain(complaint) }
        if layers.contains(id) { section.complain("there is a layer of this name already") }
        var map = LayerSettings(id: id, source: .map(MapSource.read(&section, known: layers)))
        map.readServing(&section)
        map.checkCameraZooms(&section)
        return map
    }

    /// Of zooms that only the map's tiles have, `readServing` has said it.
    private func checkCameraZooms(_ section: inout MappingReader) {
        guard case .map(let map) = source, ["camera", "minZoom", "maxZoom"].allSatisfy(section.isSound) else { return }
        guard map.limits.profile != nil || map.limits.minZoom != nil || map.limits.maxZoom != nil else { return }
        let (minimum, maximum) = cameraZooms
        guard minimum > maximum else { return }
        section.complain(
            "camera",
            "minZoom \(shown(minimum)) is above maxZoom \(shown(maximum)); what the camera does not say itself is the "
                + (map.limits.profile == .sdk ? "profile's" : "map's"))
    }

    private mutating func readCommonKeys(_ section: inout MappingReader) {
        readServing(&section)
        section.value("zIndex", .zIndex, into: &zIndex)
        section.value("opacity", .real(0...1), into: &opacity)
        section.value("blend", .choice, into: &blend)
        section.value("fadeIn", .boolean, into: &fadeIn)
        section.value("visible", .boolean, into: &visible)
        readFreshness(&section)
        section.value("maxConcurrent", .integer(1...1_024), into: &maxConcurrent)
    }

    /// What layers and maps have in common: how they are called and served.
    private mutating func readServing(_ section: inout MappingReader) {
        section.value("name", .text(), into: &name)
        section.value("description", .text(lines: true), into: &description)
        section.value("attribution", .text(lines: true), into: &attribution)
        if let zoom = section.value("minZoom", .integer(0...30)) { minZoom = zoom }
        if let zoom = section.value("maxZoom", .integer(0...30)) { maxZoom = zoom }
        bounds = LayerBounds.read(&section)
        if let size = section.value("tileSize", tileSizeRule) { tileSize = size }
        section.value("overzoom", .integer(0...30), into: &overzoom)
        section.value("maxAge", .duration(Self.age), into: &maxAge)
        section.value("noTile", .choice, into: &noTile)
        if let time = section.value("noTileMaxAge", .duration(Self.age)) { noTileMaxAge = time }
        section.value("timeout", .duration(.milliseconds(1)...Duration.seconds(600)), into: &timeout)
        section.value("wrapX", .boolean, into: &wrapX)
        section.mapping("png") { png.read(&$0) }

        // What the default stands for in an MBTiles file is not known here.
        let isJudged = !source.describesItself || (section.has("minZoom") && section.has("maxZoom"))
        if minZoom > maxZoom, isJudged, section.isSound("minZoom"), section.isSound("maxZoom") {
            let key = section.has("minZoom") ? "minZoom" : "maxZoom"
            section.complain(key, "minZoom \(minZoom) is above maxZoom \(maxZoom)")
        }
    }

    private mutating func readFreshness(_ section: inout MappingReader) {
        if let time = section.value("ttl", .duration(Self.age)) { ttl = time }
        if let time = section.value("minTTL", .duration(Self.age)) { minTTL = time }
        if let time = section.value("maxTTL", .duration(Self.age)) { maxTTL = time }
        section.value("overrideTTL", .boolean, into: &overrideTTL)
        section.value("staleWhileRevalidate", .staleTime(Self.age), into: &staleWhileRevalidate)
        section.value("staleIfError", .staleTime(Self.age), into: &staleIfError)
        section.value("offline", .boolean, into: &offline)

        guard ["ttl", "minTTL", "maxTTL"].allSatisfy(section.isSound) else { return }
        if minTTL > maxTTL {
            let key = section.has("minTTL") ? "minTTL" : "maxTTL"
            section.complain(key, "minTTL \(shown(minTTL)) is above maxTTL \(shown(maxTTL))")
        } else if let ttl = explicit.ttl, let least = explicit.minTTL, ttl < least {
            section.complain("ttl", "ttl \(shown(ttl)) is below minTTL \(shown(least))")
        } else if let ttl = explicit.ttl, let most = explicit.maxTTL, ttl > most {
            section.complain("ttl", "ttl \(shown(ttl)) is above maxTTL \(shown(most))")
        }
    }

    private var tileSizeRule: ValueRule<Int> {
        switch source {
        case .url, .mbtiles: .integer(64...4_096)
        case .generator, .geojson, .map, .embedded: .oneOf([256, 512])
        }
    }

    /// Why `id` cannot name a layer; nil if it can.
    private static func complaint(about id: String) -> String? {
        guard isValid(id: id) else {
            return "a name is 1 to 64 of a-z, 0-9, _ and -, the first of them a letter or a digit"
        }
        return reservedIDs.contains(id) ? "the name is reserved for the server itself" : nil
    }

    /// Whether `id` is `^[a-z0-9][a-z0-9_-]{0,63}$`, judged byte by byte; a reserved one is too.
    public static func isValid(id: String) -> Bool {
        let bytes = Array(id.utf8)
        let isPlain = { (byte: UInt8) in isDigit(byte) || (isLetter(byte) && byte == asciiLowercased(byte)) }
        guard (1...64).contains(bytes.count), let first = bytes.first, isPlain(first) else { return false }
        return bytes.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }
}

extension LayerBounds {
    static func read(_ section: inout MappingReader, _ key: String = "bounds") -> LayerBounds? {
        var edges: [Double] = []
        section.list(key, count: 4...4, into: &edges) { .real($0.isMultiple(of: 2) ? -180...180 : -90...90) }
        guard edges.count == 4 else { return nil }
        let bounds = LayerBounds(west: edges[0], south: edges[1], east: edges[2], north: edges[3])
        if bounds == nil {
            let reason = edges[1] < edges[3] ? "west and east are equal" : "south is not below north"
            section.complain(key, "\(reason) in [west, south, east, north]")
        }
        return bounds
    }
}

import Bytes
import Keys

extension LayerSettings {
    /// Reads the layer below the key `id`. The result is useful only if there are no problems.
    static func read(_ id: String, _ section: inout MappingReader) -> LayerSettings {
        if let complaint = complaint(about: id) { section.complain(complaint) }
        var layer = LayerSettings(id: id, source: LayerSource.read(&section) ?? .url(URLSource()))
        layer.read(servedKeys + sourceKeys, &section)
        layer.checkZooms(&section)
        layer.checkFreshness(&section)
        return layer
    }

    /// Reads the section with defaults for all layers, only to find its problems. Each problem is so reported once, and
    /// not again for every layer. The section is read like a layer with a URL, because a URL layer allows the widest
    /// ranges. Returns the defaults, with an id and a source without meaning.
    static func readDefaults(_ section: inout MappingReader) -> LayerSettings {
        var layer = LayerSettings(id: "", source: .url(URLSource()))
        layer.read(servedKeys + sourceKeys, &section)
        for kind in LayerSource.kinds {
            for key in [kind.key] + kind.ownKeys where section.isSound(key) {
                section.refuse(
                    key, "is a key for layers with \(kind.wording) only; layerDefaults takes only keys of every layer")
            }
        }
        // A layer may add keys that make the values consistent, so a check needs two values that are set here.
        if section.has("minZoom"), section.has("maxZoom") { layer.checkZooms(&section) }
        if ["ttl", "minTTL", "maxTTL"].count(where: section.has) > 1 { layer.checkFreshness(&section) }
        return layer
    }

    /// Reads the map below the key `id`. The map may draw the layers of `section.context`.
    static func readMap(_ id: String, _ section: inout MappingReader) -> LayerSettings {
        if let complaint = complaint(about: id) { section.complain(complaint) }
        if section.context.layers.contains(id) {
            section.complain("a layer has this name already; choose another name")
        }
        var source = MapSource(layers: [])
        source.read(&section)
        var map = LayerSettings(id: id, source: .map(source))
        map.read(servedKeys, &section)
        map.checkZooms(&section)
        map.checkCameraZooms(&section)
        return map
    }

    private mutating func read(_ keys: [Key<LayerSettings>], _ section: inout MappingReader) {
        for key in keys {
            key.read(&section, &self)
            section.tell(key.otherNames, of: key.name)
        }
    }

    private func checkZooms(_ section: inout MappingReader) {
        // The defaults of an MBTiles file or a map depend on its content, which is not known here.
        let isJudged = !describesItself || (section.has("minZoom") && section.has("maxZoom"))
        if minZoom > maxZoom, isJudged, section.isSound("minZoom"), section.isSound("maxZoom") {
            let key = section.has("minZoom") ? "minZoom" : "maxZoom"
            section.complain(key, "minZoom \(minZoom) is above maxZoom \(maxZoom)")
        }
    }

    private func checkFreshness(_ section: inout MappingReader) {
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

    private func checkCameraZooms(_ section: inout MappingReader) {
        guard case .map(let map) = source, ["camera", "minZoom", "maxZoom"].allSatisfy(section.isSound),
            let (minimum, maximum) = crossedCameraZooms
        else { return }
        section.complain(
            "camera",
            "minZoom \(shown(minimum)) is above maxZoom \(shown(maximum)); what the camera does not say itself is the "
                + (map.limits.profile == .sdk ? "profile's" : "map's"))
    }

    /// Returns the reason why `id` cannot name a layer or map, or nil.
    static func complaint(about id: String) -> String? {
        guard isValid(id: id) else {
            return "expected a name of 1 to 64 characters from a-z, 0-9, _ and -, with a letter or a digit first"
        }
        return reservedIDs.contains(id) ? "the name is reserved for the server; choose another name" : nil
    }

    /// Reports whether `id` matches `^[a-z0-9][a-z0-9_-]{0,63}$`, byte by byte. Reserved ids match too.
    package static func isValid(id: String) -> Bool {
        let bytes = Array(id.utf8)
        let isPlain = { (byte: UInt8) in ASCII.isLetterOrDigit(byte) && byte == ASCII.lowercased(byte) }
        guard (1...64).contains(bytes.count), let first = bytes.first, isPlain(first) else { return false }
        return bytes.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }
}

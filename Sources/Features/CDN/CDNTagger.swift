import Bytes
import MapGeometry
import Synchronization
import TileCache

/// Makes the header fields that name the tags of a tile or an image, for example `Cache-Tag`. Memory keeps the header
/// fields with each tile, so a request for a tile in memory does not make them again.
///
/// Thread rule: any thread.
package final class CDNTagger: Sendable {
    private let forms: [CDNSettings.TagForm]
    private let zooms: [Int]
    private let plans = Mutex<[String: CDNTags]>([:])

    package init(_ settings: CDNSettings) {
        forms = settings.tags
        zooms = settings.zooms
    }

    /// True if responses have tags.
    var isOn: Bool { !forms.isEmpty }

    /// Replaces the layers and maps that have tags.
    package func follow(_ layers: [some CDNLayer]) {
        guard isOn else { return }
        let plans = layers.map { layer in
            let members = layer.members.map(\.id)
            return (
                layer.id,
                CDNTags(id: layer.id, members: members, zooms: zooms, isEndless: layer.overzoom == 0)
            )
        }
        self.plans.withLock { $0 = Dictionary(plans) { $1 } }
    }

    /// Returns the tags of the layer or map `id`. Nil if it is not served.
    package func plan(of id: String) -> CDNTags? { plans.withLock { $0[id] } }

    /// Returns the field lines of a tile of `id`, or of a "no tile" response. Nil if responses have no tags, or if `id`
    /// is not served. `isCutOut`: the tile is cut out of a coarser tile, or the coarser tile is missing too.
    package func lines(at coordinate: TileCoordinate, of id: String, isCutOut: Bool = false) -> SharedBytes? {
        isOn ? plan(of: id).map { lines($0.tags(at: coordinate, isCutOut: isCutOut)) } : nil
    }

    /// Returns the field lines of a static image of the layers and maps `ids`. Nil if responses have no tags, or if
    /// none of `ids` is served.
    package func imageLines(of ids: [String]) -> SharedBytes? {
        guard isOn else { return nil }
        var tags: [String] = []
        for tag in ids.compactMap(plan).flatMap(\.imageTags) where !tags.contains(tag) { tags.append(tag) }
        return tags.isEmpty ? nil : lines(tags)
    }

    /// Returns a function like `describe` that adds the tags at the end.
    package func tagging(_ describe: @escaping TileLoader.Describe) -> TileLoader.Describe {
        guard isOn else { return describe }
        return { [self] tile, hash, validators, date, coordinate, id in
            let entry = describe(tile, hash, validators, date, coordinate, id)
            let isCutOut = tile.derivation?.sourceZoom != nil
            return lines(at: coordinate, of: id, isCutOut: isCutOut).map(entry.adding) ?? entry
        }
    }

    private func lines(_ tags: [String]) -> SharedBytes {
        SharedBytes(forms.map { "\($0.line(tags))\r\n" }.joined())
    }
}

extension CDNSettings.TagForm {
    /// Returns the field line without its line end. Ids and quadkeys contain no byte that needs escaping.
    fileprivate func line(_ tags: [String]) -> String {
        switch self {
        case .surrogateKey: "Surrogate-Key: \(tags.joined(separator: " "))"
        case .cacheTag: "Cache-Tag: \(tags.joined(separator: ","))"
        // A list of strings (RFC 9875 2, RFC 9651 3.1).
        case .cacheGroups: "Cache-Groups: \(tags.map { "\"\($0)\"" }.joined(separator: ", "))"
        case .xkey: "xkey: \(tags.joined(separator: " "))"
        }
    }
}

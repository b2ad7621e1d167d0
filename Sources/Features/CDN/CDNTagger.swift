import Bytes
import MapGeometry
import Synchronization
import TileCache

/// Makes the field lines with the tags of layers, maps and images. They are part of what is stored with a tile, so that a hit costs nothing
/// more.
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

    /// Whether answers have tags.
    var isOn: Bool { !forms.isEmpty }

    /// Takes over which layers and maps there are.
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

    /// Those of the layer or map `id`; nil where it is not served.
    package func plan(of id: String) -> CDNTags? { plans.withLock { $0[id] } }

    /// The field lines of a tile of `id`, or of the answer that there is none; nil where answers have no tags. `isCutOut`: of a part of a
    /// coarser tile, or that there is none either.
    package func lines(at coordinate: TileCoordinate, of id: String, isCutOut: Bool = false) -> SharedBytes? {
        isOn ? plan(of: id).map { lines($0.tags(at: coordinate, isCutOut: isCutOut)) } : nil
    }

    /// The field lines of a static image of `id`.
    package func imageLines(of id: String) -> SharedBytes? {
        isOn ? plan(of: id).map { lines($0.imageTags) } : nil
    }

    /// `describe`, with the tags behind what it says.
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
    /// The field line without its end. Ids and quadkeys have no byte that a form would have to escape.
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

import MapGeometry
import TileCache

/// What a layer's or a map's tiles are called to caches in front, so that these can be told what a clear is about:
///
///     osm         all tiles and images of the layer, and of maps that draw it
///     osm.0231    its tiles within the tile of this quadkey, whose zoom is one of `zooms`; the finest says most
///     osm.0231-   of these, the ones that are coarser than the next of `zooms`; `osm.-` those coarser than the first
///     osm.i       its static images
///     osm.o       its tiles that were cut out of coarser ones because the request said so (`empty=overzoom`)
///
/// A tile carries `osm`, a map's tile those of its layers too, the quadkeys above it and, unless it lies below the finest of `zooms`, the
/// one with the hyphen. A pure value.
package struct CDNTags: Sendable {
    static let mostTags = 8
    /// Bytes of all tags of a tile, with one between two.
    static let mostBytes = 200

    let id: String
    /// Of a map, as many as fit.
    private let members: [String]
    /// Ascending, as many as fit with the layers.
    let zooms: [Int]
    /// Whether a tile is cut out of one any number of zooms above it, where a request says so: then the tiles above it do not say what it
    /// is made of.
    let isEndless: Bool

    init(id: String, members: [String], zooms: [Int], isEndless: Bool = false) {
        self.id = id
        self.isEndless = isEndless
        var (count, bytes) = (1, id.utf8.count)
        var kept: [String] = []
        for member in members where count < Self.mostTags && bytes + 1 + member.utf8.count <= Self.mostBytes {
            kept.append(member)
            count += 1
            bytes += 1 + member.utf8.count
        }
        self.members = kept
        var fitting: [Int] = []
        for zoom in zooms {
            // A tag with a hyphen is no longer than the next one would be.
            bytes += 2 + id.utf8.count + zoom
            count += 1
            guard count <= Self.mostTags, bytes <= Self.mostBytes else { break }
            fitting.append(zoom)
        }
        self.zooms = fitting
    }

    /// Those of the tile at `coordinate`. `isCutOut`: it is a part of a coarser one.
    func tags(at coordinate: TileCoordinate, isCutOut: Bool = false) -> [String] {
        var tags = [id] + members
        guard !isCutOut || !isEndless else { return tags + [cuttings] }
        var cell = ""
        for zoom in zooms {
            guard let above = coordinate.ancestor(atZoom: zoom) else {
                tags.append(band(cell))
                break
            }
            cell = above.quadkey
            tags.append("\(id).\(cell)")
        }
        return tags
    }

    var imageTags: [String] { [id] + members + [images] }

    /// Those that reach all that a clear of `area` is about, and little more: what was made of its tiles, at most so many zooms `above`
    /// and `below` them, included. Uses the first `depth` of `zooms`. Nil where they are more than `most`.
    func tags(of area: TileArea, above: Int, below: Int, depth: Int, atMost most: Int) -> [String]? {
        let zooms = zooms.prefix(depth)
        guard let last = zooms.last else { return [id] }
        var tags = isEndless ? [images, cuttings] : [images]
        for (index, next) in zooms.enumerated() {
            let zoom = index == 0 ? 0 : zooms[index - 1]
            let cells = area.cells(zoom: zoom, around: zoom...next - 1, above: above, below: below, atMost: most)
            guard let cells else { return nil }
            tags += cells.map { band($0.quadkey) }
        }
        let cells = area.cells(
            zoom: last, around: last...TileCoordinate.maxZoom, above: above, below: below, atMost: most)
        guard let cells else { return nil }
        tags += cells.map { "\(id).\($0.quadkey)" }
        return tags.count <= most ? tags : nil
    }

    private var images: String { "\(id).i" }
    private var cuttings: String { "\(id).o" }

    private func band(_ cell: String) -> String { "\(id).\(cell)-" }
}

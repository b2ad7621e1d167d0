import MapGeometry
import TileCache

/// The tags of the tiles of a layer or a map. Each response names its tags, and a cache in front stores them. After a
/// clear, the server tells the cache which tags to remove. A layer `osm` has these tags:
///
///     osm         all tiles and images of the layer, and of maps that draw the layer (see `members`)
///     osm.0231    tiles of the layer inside the tile with the quadkey 0231, whose zoom is in `zooms`
///     osm.0231-   tiles of `osm.0231` with a zoom below the next zoom of `zooms`
///     osm.-       tiles with a zoom below the first zoom of `zooms`
///     osm.i       static images of the layer
///     osm.o       tiles that were cut out of coarser tiles because a request asked for it (`empty=overzoom`)
///
/// A tile has the tag `osm` and a tag for each zoom of `zooms` up to its own zoom. A tile whose zoom is below the last
/// zoom of `zooms` also has one tag that ends in a hyphen. A tile with the tag `osm.o` has none of these except `osm`.
/// A tile of a map also has the tags of the map's layers, as many as fit into the limits.
package struct CDNTags: Sendable {
    static let mostTags = 8
    /// Maximum size in bytes of all tags of a tile that is not cut out, separators included.
    static let mostBytes = 200

    let id: String
    /// The layers of a map, as many as fit into the limits.
    private let members: [String]
    /// The zooms with tags, ascending, as many as fit into the limits beside the layers.
    let zooms: [Int]
    /// True if a request may cut a tile out of a tile any number of zooms above. Then the quadkeys above the tile do
    /// not tell which tile it was cut out of.
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
            // A tag with a hyphen is at most as long as the tag of the next zoom.
            bytes += 2 + id.utf8.count + zoom
            count += 1
            guard count <= Self.mostTags, bytes <= Self.mostBytes else { break }
            fitting.append(zoom)
        }
        self.zooms = fitting
    }

    /// Returns the tags of the tile at `coordinate`. `isCutOut` is true if the server made the tile from a part of a
    /// coarser tile.
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

    /// Returns the tags to purge after a clear of `area`. The tags cover the cleared tiles and all tiles that were made
    /// from them. Such tiles are at most `above` zooms coarser or `below` zooms finer. The tags also cover all static
    /// images of the layer. If `isEndless`, the tags cover all tiles that requests cut out.
    ///
    /// Uses only the first `depth` zooms of `zooms`. Without any zoom, returns the tag of the whole layer. Otherwise
    /// returns nil if there are more than `most` tags.
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

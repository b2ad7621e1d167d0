import Raster
import Tiles

/// A text that a layer repeats, such as the degrees of a meridian, with the places at which it may stand.
package struct RepeatedLabel: Sendable {
    package let text: String
    /// The size of the text in points.
    package let size: Double
    /// The middles of the text in points of the world, the best one first. x may lie beyond the world.
    package let places: [Point]

    package init(_ text: String, size: Double, places: [Point]) {
        (self.text, self.size, self.places) = (text, size, places)
    }
}

/// Labels that fill the world regularly, in numbers that grow with the zoom. They are made for each tile and are never
/// kept. They give way to all labels of a group. Thread rule: any thread.
package protocol RepeatedLabels: Sendable {
    /// The colours of the texts. The sizes are not used.
    var style: LabelStyle { get }

    /// Calls `body` with each label that has a place in `area`. The labels do not overlap each other. The places of a
    /// label do not depend on `area`, which is in points of a world of 256 · 2^`zoom` points a side.
    func forEach(near area: LabelBox, zoom: Int, _ body: (RepeatedLabel) -> Void)
}

/// A layer whose labels a map can draw together with those of other layers.
package protocol LabelledLayer: SyncTileLayer {
    /// The present labels. Nil if there are none.
    var labels: LabelSet? { get }
    var repeatedLabels: (any RepeatedLabels)? { get }

    /// Draws the tile without its labels.
    func unlabelledTile(x: Int, y: Int, zoom: Int, scale: Int) throws -> SyncTile?
}

extension LabelledLayer {
    package var labels: LabelSet? { nil }
    package var repeatedLabels: (any RepeatedLabels)? { nil }
}

import Raster
import Tiles

/// A text that a layer repeats many times, such as the degrees of a meridian. Each such label has its own possible
/// places.
package struct RepeatedLabel: Sendable {
    package let text: String
    /// The font size in points.
    package let size: Double
    /// The possible places for the middle of the text, in the order in which they are tried, in points of the world. x
    /// may lie outside the world.
    package let places: [Point]

    package init(_ text: String, size: Double, places: [Point]) {
        (self.text, self.size, self.places) = (text, size, places)
    }
}

/// Labels that fill the world in a regular pattern, so that deeper zooms have many more. They are computed for each
/// tile and never stored. They are drawn only where no label of a `LabelGroup` stands. Thread rule: any thread.
package protocol RepeatedLabels: Sendable {
    /// The style of the texts. Its font sizes are ignored, because each label has its own.
    var style: LabelStyle { get }

    /// Calls `body` with each label that has a possible place in `area`. The labels do not overlap each other. `area`
    /// is in points of a world of 256 · 2^`zoom` points a side. The places of a label do not depend on `area`.
    func forEach(near area: LabelBox, zoom: Int, _ body: (RepeatedLabel) -> Void)
}

/// A layer whose labels a map can draw together with the labels of its other layers.
package protocol LabelledLayer: SyncTileLayer {
    /// The labels of the layer now. Nil if there are none. A layer that reads a changed file returns another set.
    var labels: LabelSet? { get }
    var repeatedLabels: (any RepeatedLabels)? { get }

    /// Returns the tile without its labels.
    func unlabelledTile(x: Int, y: Int, zoom: Int, scale: Int) throws -> SyncTile?
}

extension LabelledLayer {
    package var labels: LabelSet? { nil }
    package var repeatedLabels: (any RepeatedLabels)? { nil }
}

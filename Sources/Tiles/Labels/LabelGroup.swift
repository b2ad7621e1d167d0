import MapGeometry
import Synchronization
import Text

/// Sets of labels that are drawn together, so that no two of their labels overlap. The decision which labels a zoom
/// shows depends on the sets and the zoom alone, so all tiles show the same labels. Thread rule: any thread; the first
/// call for a zoom decides, which takes longer for more labels.
package final class LabelGroup: Sendable {
    /// A set in a group.
    package struct Member: Sendable {
        package let set: LabelSet
        /// The zooms at which the set is shown, for a world of 256 · 2^zoom points a side.
        package var zooms = 0...LabelStyle.deepestZoom
        /// The area in which the set's labels are shown. Nil: everywhere.
        package var bounds: CoordinateBounds?
        /// The multiplier of the labels' alpha, 0…1.
        package var opacity = 1.0

        package init(_ set: LabelSet) { self.set = set }

        /// Reports whether the label at `index` is shown at `zoom` if it has a free place.
        func shows(_ index: Int, zoom: Int) -> Bool {
            zooms.contains(zoom) && set.labels[index].zooms.contains(zoom) && !set.blocks[index].lines.isEmpty
        }

        /// Reports whether a label's anchor is in the area of the set.
        func contains(_ anchor: WorldPoint) -> Bool { bounds?.contains(Mercator.unproject(anchor)) ?? true }
    }

    /// The sets. The labels of an earlier one take their places first.
    package let members: [Member]
    private let decided: BoundedCache<Int, [PlacedLabels]>
    /// Number of bytes for the decisions of the latest zooms: of one member, and of each other one. The decision of a
    /// zoom always fits.
    private static let (decidedBytes, moreBytes) = (24 << 20, 8 << 20)
    /// Held while a zoom is decided, so that no two threads do the same work.
    private let deciding = Mutex<Void>(())

    package init(_ members: [Member]) {
        self.members = members
        decided = BoundedCache(bytes: Self.decidedBytes + Self.moreBytes * max(members.count - 1, 0))
    }

    /// Makes a group of one set.
    package convenience init(_ set: LabelSet) { self.init([Member(set)]) }

    /// Returns the labels that are shown in a world of 256 · 2^`zoom` points a side: one result for each member, in the
    /// order of the members.
    package func placed(zoom: Int) -> [PlacedLabels] {
        func value(_ make: () -> [PlacedLabels]) -> [PlacedLabels] {
            decided.value(zoom, size: { $0.reduce(0) { $0 + $1.size } }, make: make)
        }
        return value { deciding.withLock { _ in value { LabelDecision(members, zoom: zoom).placed() } } }
    }
}

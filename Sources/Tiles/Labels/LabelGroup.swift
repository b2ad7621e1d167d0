import MapGeometry
import Synchronization
import Text

/// Sets of labels that are drawn together, so that no two labels of the sets overlap. The labels of a zoom depend only
/// on the sets and the zoom, so all tiles agree. Thread rule: any thread. The first call for a zoom decides about all
/// its labels, and takes longer for more labels.
package final class LabelGroup: Sendable {
    /// A set of labels, and the conditions under which the group shows them.
    package struct Member: Sendable {
        package let set: LabelSet
        /// The zooms at which the set is shown, for a world of 256 · 2^zoom points a side.
        package var zooms = 0...LabelStyle.deepestZoom
        /// The area in which the set's labels are shown. Nil: the whole world.
        package var bounds: CoordinateBounds?
        /// The factor for the alpha of the labels, 0…1.
        package var opacity = 1.0

        package init(_ set: LabelSet) { self.set = set }

        /// Reports whether `zoom` shows the label at `index` if the label finds a free place.
        func shows(_ index: Int, zoom: Int) -> Bool {
            zooms.contains(zoom) && set.labels[index].zooms.contains(zoom) && !set.blocks[index].lines.isEmpty
        }

        /// Reports whether `anchor`, the anchor of a label, is in the area of this member.
        func contains(_ anchor: WorldPoint) -> Bool { bounds?.contains(Mercator.unproject(anchor)) ?? true }
    }

    /// The members. The labels of an earlier member take their places first.
    package let members: [Member]
    private let decided: BoundedCache<Int, [PlacedLabels]>
    /// Maximum bytes for the stored decisions of all zooms: the first number for one member, and the second one added
    /// for each further member. The decision of a single zoom always fits.
    private static let (decidedBytes, moreBytes) = (24 << 20, 8 << 20)
    /// A lock that a thread holds while it decides about a zoom. A second thread that needs a zoom waits, and does not
    /// repeat the work.
    private let deciding = Mutex<Void>(())

    package init(_ members: [Member]) {
        self.members = members
        decided = BoundedCache(bytes: Self.decidedBytes + Self.moreBytes * max(members.count - 1, 0))
    }

    /// Makes a group of one set, without further conditions.
    package convenience init(_ set: LabelSet) { self.init([Member(set)]) }

    /// Returns the labels that are shown in a world of 256 · 2^`zoom` points a side. The result has one element for
    /// each member, in the order of the members.
    package func placed(zoom: Int) -> [PlacedLabels] {
        func value(_ make: () -> [PlacedLabels]) -> [PlacedLabels] {
            decided.value(zoom, size: { $0.reduce(0) { $0 + $1.size } }, make: make)
        }
        return value { deciding.withLock { _ in value { LabelDecision(members, zoom: zoom).placed() } } }
    }
}

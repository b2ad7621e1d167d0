import MapGeometry
import Raster

/// An asynchronous sequence of the progress of an export. A loop over the sequence makes the archive.
///
/// The first element says the number of tiles in `total`. Each later element has the newest numbers: a slow loop
/// misses older elements. If the loop ends without an error and without `break`, the archive is complete and has its
/// final name. `failed` of the last element is then the number of tiles that were unavailable and are not in the
/// archive.
///
/// If the loop is left early, or if its task is cancelled, the export stops and removes its unfinished file. A
/// cancelled loop throws `CancellationError` after that. Other errors are `TileServerError.unknownLayer`,
/// `TileServerError.stopped` and `TileExportError`.
///
/// Thread rule: any thread; an iterator belongs to one task at a time. Each loop makes the archive again.
public struct TileServerExport: AsyncSequence, Sendable {
    let service: MapService
    let order: ExportOrder

    package init(_ service: MapService, _ order: ExportOrder) { (self.service, self.order) = (service, order) }

    /// The area whose tiles an export has.
    public enum Area: Sendable, Hashable {
        /// The tiles within the bounds of the layer, or all tiles of the world if the layer has no bounds.
        case layer
        /// The tiles that overlap a box. A tile that only touches an edge of the box is left out.
        case box(GeographicBox)
        /// The tiles that the polygons, lines and points of a GeoJSON file touch. The file has at most 64 MiB.
        case geoJSON(path: String)
    }

    /// The numbers of an export so far.
    public struct Progress: Sendable, Hashable {
        /// Number of tiles that the export has tried so far: the sum of `written`, `absent` and `failed`.
        public let done: Int
        /// Number of tiles in the area at the zooms of the export.
        public let total: Int
        /// Number of tiles in the archive.
        public let written: Int
        /// Number of tiles that the layer does not have.
        public let absent: Int
        /// Number of tiles that were unavailable.
        public let failed: Int
        /// Size in bytes of the images of all written tiles. The archive can be smaller, because some archives store
        /// identical images once.
        public let bytes: Int
        /// The tiles that failed since the previous element, at most 1,000. No failed tile is left out: while 1,000
        /// tiles wait for the loop, the export waits too.
        public let failures: [FailedTile]
    }

    /// Returns an iterator. The first call of `next()` on the iterator starts the export.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(service: service, order: order) }

    /// Reads the progress of one export. Thread rule: only one task at a time may call `next()`.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let service: MapService
        let order: ExportOrder
        private var session: ExportSession?

        init(service: MapService, order: ExportOrder) { (self.service, self.order) = (service, order) }

        /// Waits for newer numbers and returns them. Returns nil after the archive is complete and has its final
        /// name. Throws the error of the export if there is no archive.
        public mutating func next() async throws -> Progress? {
            let session = session ?? ExportSession(service, order)
            self.session = session
            return try await session.next()
        }
    }
}

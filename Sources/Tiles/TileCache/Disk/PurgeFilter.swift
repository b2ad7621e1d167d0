import Foundation
import MapGeometry

/// A purge that is not done yet: until it is, what it covers is filtered out of whatever the store reads.
///
/// A tile that is kept after the purge has a higher epoch, and so is none of its business.
struct PurgeFilter: Sendable, Hashable {
    let space: SpaceKey
    let area: TileArea
    /// The last epoch whose tiles are purged. No two purges have the same.
    let epoch: Int64
    /// The tiles stay, but must be revalidated.
    let isSoft: Bool
    /// When it was asked for; seconds since 1970.
    let time: Int

    func covers(_ coordinate: TileCoordinate, epoch: Int64) -> Bool {
        epoch <= self.epoch && area.contains(coordinate)
    }

    /// The second from which on a tile that was `born` is stale by this purge, while it is second `now` by the clock as it
    /// was then. Where the wall clock was set between the two, the time of the purge is not one of the tile's.
    func end(of born: Int, now: Int) -> Int {
        born <= time ? Swift.min(time, now) : now
    }

    /// It does all that `other` does, being one of the whole layer.
    func includes(_ other: PurgeFilter) -> Bool {
        area == .everything && space == other.space && other.epoch <= epoch && (!isSoft || other.isSoft)
    }
}

extension [PurgeFilter] {
    /// What remains of a record that was kept in `epoch`. `now` says the present second by the clock as it was at another.
    func applied(
        to record: TileRecord, at coordinate: TileCoordinate, epoch: Int64, now: (_ born: Int) -> Int
    ) -> TileRecord? {
        var record = record
        for filter in self where filter.covers(coordinate, epoch: epoch) {
            guard filter.isSoft else { return nil }
            record = record.expired(at: filter.end(of: record.born, now: now(record.born)))
        }
        return record
    }
}

/// A layer's tiles of one fingerprint and generation.
struct SpaceKey: Sendable, Hashable {
    let namespace: StoreNamespace
    let generation: UInt32
}

extension StoreKey {
    var space: SpaceKey { SpaceKey(namespace: namespace, generation: generation) }
}

extension TileArea {
    /// Begins a set, where a box has its spans.
    private static let setMark: Character = "#"

    /// As it was `stored`; nil where that is none.
    init?(from low: Int64, to high: Int64, stored: String) {
        guard stored.first == Self.setMark else {
            guard let box = TileBox(from: low, to: high, stored: stored) else { return nil }
            self = .box(box)
            return
        }
        guard let bytes = Data(base64Encoded: String(stored.dropFirst())), let set = TileSet(encoded: bytes) else {
            return nil
        }
        self = .set(set)
    }

    /// As text, beside `zooms`.
    var stored: String {
        switch self {
        case .box(let box): box.stored
        case .set(let set): "\(Self.setMark)\(Data(set.encoded).base64EncodedString())"
        }
    }

    /// What a set has in memory.
    var storedTiles: Int {
        switch self {
        case .box: 0
        case .set(let set): set.count
        }
    }
}

extension TileBox {
    /// As it was `stored`; nil where that is none.
    fileprivate init?(from low: Int64, to high: Int64, stored: String) {
        let numbers = stored.split(separator: ",").compactMap { UInt32($0).map(Int.init) }
        guard low >= 0, low <= high, high <= Int64(TileCoordinate.maxZoom), numbers.count == Int(high - low + 1) * 4
        else { return nil }
        self.init(
            zooms: Int(low)...Int(high),
            spans: stride(from: 0, to: numbers.count, by: 4).map { start in
                Span(
                    west: numbers[start], east: numbers[start + 1], north: numbers[start + 2],
                    south: numbers[start + 3])
            })
    }

    /// The spans as text, four numbers each.
    fileprivate var stored: String {
        spans.map { "\($0.west),\($0.east),\($0.north),\($0.south)" }.joined(separator: ",")
    }

    /// The columns at each zoom, from west to east; two ranges where the box crosses the antimeridian.
    var columns: [(zoom: Int, range: ClosedRange<Int>)] {
        zip(zooms, spans).flatMap { zoom, span in
            guard span.west > span.east else { return [(zoom, span.west...span.east)] }
            return [(zoom, 0...span.east), (zoom, span.west...(1 << zoom) - 1)]
        }
    }
}

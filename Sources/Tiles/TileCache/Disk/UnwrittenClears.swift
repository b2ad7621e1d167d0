import MapGeometry

/// Clears and purges that are in force but not yet in the database.
struct UnwrittenClears: Equatable {
    /// The generations that are not yet in the database, by layer.
    var generations: [String: UInt32] = [:]
    var filters: [PurgeFilter] = []

    var isEmpty: Bool { generations.isEmpty && filters.isEmpty }
}

/// Converts clears to a text and back. The text is stored in the record of a `DiskReserve`. It has one line for each
/// clear or purge, with fields separated by tabs:
///
///     layer  <name> <generation>
///     purge  <layer> <fingerprint> <generation> <1 if soft, else 0> <time> <first zoom> <last zoom> <area, or *>
extension UnwrittenClears {
    /// Returns the text. If it is longer than `limit` bytes, widens each purge to all tiles of its layer. Returns nil
    /// if the text is still too long, or if a name contains a control character such as a tab.
    func text(atMost limit: Int) -> String? {
        let names =
            Array(generations.keys) + filters.flatMap { [$0.space.namespace.layer, $0.space.namespace.fingerprint] }
        guard names.allSatisfy({ name in !name.utf8.contains { $0 < 0x20 } }) else { return nil }
        return [lines, widened.lines].first { $0.utf8.count <= limit }
    }

    private var lines: String {
        let layers = generations.sorted { $0.key < $1.key }.map { "layer\t\($0.key)\t\($0.value)\n" }
        return (layers + filters.map(Self.line)).joined()
    }

    private static func line(_ filter: PurgeFilter) -> String {
        let (space, area) = (filter.space, filter.area)
        let fields: [String] = [
            "purge", space.namespace.layer, space.namespace.fingerprint, "\(space.generation)",
            filter.isSoft ? "1" : "0",
            "\(filter.time)", "\(area.zooms.lowerBound)", "\(area.zooms.upperBound)",
            area == .everything ? "*" : area.stored,
        ]
        return fields.joined(separator: "\t") + "\n"
    }

    /// Replaces the purges of each space by one purge of all its tiles.
    private var widened: UnwrittenClears {
        var all: [SpaceKey: PurgeFilter] = [:]
        for filter in filters {
            let other = all[filter.space] ?? filter
            all[filter.space] = PurgeFilter(
                space: filter.space, area: .everything, epoch: max(filter.epoch, other.epoch),
                isSoft: filter.isSoft && other.isSoft, time: max(filter.time, other.time))
        }
        return UnwrittenClears(generations: generations, filters: all.values.sorted { $0.epoch < $1.epoch })
    }

    /// Parses `text`. The purges get the epochs 1, 2 and so on, because the epochs in the database are not known yet.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            switch fields.first {
            case "layer" where fields.count == 3:
                if let generation = UInt32(fields[2]) { generations[fields[1]] = generation }
            case "purge" where fields.count == 9:
                if let filter = Self.filter(fields, epoch: Int64(filters.count + 1)) { filters.append(filter) }
            default: break
            }
        }
    }

    private static func filter(_ fields: [String], epoch: Int64) -> PurgeFilter? {
        guard let generation = UInt32(fields[3]), let time = Int(fields[5]), let low = Int64(fields[6]),
            let high = Int64(fields[7]),
            let area = fields[8] == "*" ? .everything : TileArea(from: low, to: high, stored: fields[8])
        else { return nil }
        let namespace = StoreNamespace(layer: fields[1], fingerprint: fields[2])
        return PurgeFilter(
            space: SpaceKey(namespace: namespace, generation: generation), area: area, epoch: epoch,
            isSoft: fields[4] == "1",
            time: time)
    }
}

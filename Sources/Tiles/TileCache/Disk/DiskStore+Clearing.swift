/// Clears layers on the disk: all tiles of an earlier generation become unreachable.
extension DiskStore {
    /// Clears a layer: tiles of generations other than `generation` become unreachable at once. Returns their number
    /// and bytes when the clear is durable or cannot be made durable now, and within a second in any case. The space is
    /// freed later.
    package func clear(_ namespace: StoreNamespace, generation: UInt32) async -> StoreChange {
        await clear([(namespace, generation)]).first ?? StoreChange(usage: StoreUsage())
    }

    /// Clears several layers with one write to the database, which is faster than one write for each layer.
    package func clear(_ generations: [(namespace: StoreNamespace, generation: UInt32)]) async -> [StoreChange] {
        let layers = generations.map { (layer: $0.namespace.layer, generation: $0.generation) }
        let usages = storeIndex.clear(layers)
        let waiting = removeWaiting(Dictionary(layers) { $1.isAfter($0) ? $1 : $0 })
        let names = layers.map(\.layer)
        let areDurable = await writer.run(
            within: writer.limits.answerTimeout, late: { state in names.map { state.isDurable($0) } }
        ) { writer in
            writer.writeClears()
            writer.announceGenerations()
            writer.requestTurn()
            return writer.storeIndex.state.withLock { state in names.map { state.isDurable($0) } }
        }
        return zip(zip(names, usages), areDurable).map { cleared, isDurable in
            var usage = cleared.1
            usage += waiting[cleared.0] ?? StoreUsage()
            return StoreChange(usage: usage, isDurable: isDurable)
        }
    }

    /// Removes pending tiles of earlier generations. Returns their number and bytes by layer.
    private func removeWaiting(_ generations: [String: UInt32]) -> [String: StoreUsage] {
        var usages: [String: StoreUsage] = [:]
        _ = pending.remove { entry in
            let layer = entry.key.namespace.layer
            guard let generation = generations[layer], generation.isAfter(entry.key.generation) else { return false }
            usages[layer, default: StoreUsage()] += StoreUsage(entries: 1, bytes: entry.record.size)
            return true
        }
        return usages
    }
}

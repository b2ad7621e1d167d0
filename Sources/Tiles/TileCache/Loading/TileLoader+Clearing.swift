import MapGeometry
import Runtime

/// Clears tiles in memory and in all other tiers. A clear affects whole layers, boxes, sets of tiles or single tiles.
extension TileLoader {
    /// The result of a clear or a purge: the changed tiles in each tier, and the layer's generation.
    package struct Cleared: Sendable {
        /// The generation of the layer after the clear.
        package let generation: UInt32
        package let memory: MemoryStore.Usage
        /// The results in the tiers behind memory, nearest first. Empty if no tier keeps the layer.
        package private(set) var tiers: [Tier]

        /// Makes a result. The defaults of `memory` and `tiers` mean that nothing was removed.
        package init(generation: UInt32, memory: MemoryStore.Usage = MemoryStore.Usage(), tiers: [Tier] = []) {
            self.generation = generation
            self.memory = memory
            self.tiers = tiers
        }

        fileprivate mutating func add(_ tier: Tier) { tiers.append(tier) }

        /// The result in one tier.
        package struct Tier: Sendable {
            /// The name of the tier, as in `TileStore.name`.
            package let name: StaticString
            package let change: StoreChange
        }
    }

    /// Clears a layer. First lets the layer read its data again (`TileLayer.reload`). Then the layer's stored tiles
    /// become unreachable, and fetches in flight are not stored. Returns when each tier has made the clear durable or
    /// cannot do so now (`StoreChange.isDurable`). The time does not depend on the number of tiles on disk. `next` is
    /// the generation to set if it is later than the present one. Otherwise the generation advances by one.
    package func clear(_ source: CachedLayer, to next: UInt32? = nil) async -> Cleared {
        await source.layer.reload?()
        return await clearTogether([(source, next)])[0]
    }

    /// Clears many layers at once. This takes about as long as the clear of one layer. The results have the order of
    /// `sources`.
    package func clear(_ sources: [(source: CachedLayer, next: UInt32?)]) async -> [Cleared] {
        await withTaskGroup(of: [(Int, Cleared)].self) { group in
            // A layer that reads its file again must not delay the others.
            let (slow, quick) = (
                sources.indices.filter { sources[$0].source.layer.reload != nil },
                sources.indices.filter { sources[$0].source.layer.reload == nil }
            )
            for index in slow {
                group.addTask { [(index, await self.clear(sources[index].source, to: sources[index].next))] }
            }
            group.addTask { Array(zip(quick, await self.clearTogether(quick.map { sources[$0] }))) }
            return await group.reduce(into: []) { $0 += $1 }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Clears layers without reading their files again. The results have the order of `sources`.
    private func clearTogether(_ sources: [(source: CachedLayer, next: UInt32?)]) async -> [Cleared] {
        let advanced = sources.map { source, next in
            let generation = source.generation.advance(to: next)
            return (generation, memory.clear(layer: source.number, generation: generation))
        }
        sweeper.async { [memory] in memory.sweep() }
        let kept = sources.indices.compactMap { index in
            sources[index].source.namespace.map {
                (index: index, generation: (namespace: $0, generation: advanced[index].0))
            }
        }
        let changes = kept.isEmpty ? [] : await tiers.concurrentMap { await $0.clear(kept.map(\.generation)) }
        var cleared = zip(sources, advanced).map { source, advanced in
            // A tier may know a later generation from another server.
            let current = source.source.generation.current
            return Cleared(
                generation: current.isAfter(advanced.0) ? current : advanced.0, memory: advanced.1)
        }
        for (tier, changes) in zip(tiers, changes) {
            for (kept, change) in zip(kept, changes) {
                cleared[kept.index].add(Cleared.Tier(name: tier.name, change: change))
            }
        }
        return cleared
    }

    /// Clears a layer without reading its data again and without waiting for the other tiers. Returns the new
    /// generation.
    @discardableResult
    package func clearAtOnce(_ source: CachedLayer) -> UInt32 {
        let (generation, _) = advance(source)
        if isStored(source) { Task { await inTiers(source) { await $0.clear($1, generation: generation) } } }
        return generation
    }

    /// Sets the observer of clears by other servers that have used the same tier behind memory. The new observer
    /// replaces an earlier one. `onChange` gets the layer and its new generation after the layer is cleared here too.
    /// `onChange` runs on a thread of a tier and must not block.
    package func observeGenerations(_ onChange: @escaping @Sendable (_ layer: String, _ generation: UInt32) -> Void) {
        generationObserver.withLock { $0 = onChange }
    }

    /// Clears `layer` because another server has cleared it in a tier behind memory. `generation` is its new generation
    /// there.
    func raise(_ layer: String, to generation: UInt32) {
        let layers = storedLayers.withLock { $0.filter { $0.value.namespace.layer == layer } }
        for (number, stored) in layers where stored.generation.raise(to: generation) {
            _ = memory.clear(layer: number, generation: generation)
            sweeper.async { [memory] in memory.sweep() }
            generationObserver.withLock { $0 }?(layer, generation)
        }
    }

    /// Clears the memory of a layer whose number is no longer used. Other tiers keep its tiles and the generation.
    package func clearMemory(of source: CachedLayer) {
        _ = memory.clear(layer: source.number, generation: source.generation.current &+ 1)
        sweeper.async { [memory] in memory.sweep() }
    }

    /// Returns a number for a new layer. Memory holds no tiles under this number. Returns nil if all 65,536 numbers are
    /// in use. If released numbers are reused, the call visits every tile in memory. Only one thread at a time may call
    /// this.
    package func takeNumber() -> LayerNumber? {
        numbers.take { unused in
            memory.removeAll(of: unused)
            let layers = Set(unused)
            backoff.reset { layers.contains($0.layer) }
            storedLayers.withLock { stored in for layer in unused { stored[layer] = nil } }
        }
    }

    private func advance(_ source: CachedLayer, to next: UInt32? = nil) -> (UInt32, MemoryStore.Usage) {
        let generation = source.generation.advance(to: next)
        let usage = memory.clear(layer: source.number, generation: generation)
        sweeper.async { [memory] in memory.sweep() }
        return (generation, usage)
    }

    /// Removes one tile in all scales, and the tiles made from it. A fetch of the tile in flight is not stored. Visits
    /// every tile in memory.
    package func clear(_ source: CachedLayer, at coordinate: TileCoordinate) async -> Cleared {
        await purge(source, .box(TileBox(coordinate)), isSoft: false) { store, namespace, generation in
            await store.remove(coordinate, of: namespace, generation: generation)
        }
    }

    /// Removes the tiles of `source` in `area`, and the tiles made from them. If `isSoft`, declares them stale instead.
    /// Fetches in flight there are not stored. Visits every tile in memory.
    package func purge(_ source: CachedLayer, _ area: TileArea, isSoft: Bool) async -> Cleared {
        await purge(source, area, isSoft: isSoft) { store, namespace, generation in
            await store.purge(namespace, generation: generation, area: area, isSoft: isSoft)
        }
    }

    private func purge(
        _ source: CachedLayer, _ area: TileArea, isSoft: Bool,
        inTier change: @escaping @Sendable (any TileStore, StoreNamespace, UInt32) async -> StoreChange
    ) async -> Cleared {
        let scope = PurgeScope(layer: source.number, area: area)
        let number = fetches.beginPurge(scope, isSoft: isSoft)
        defer { fetches.endPurge(number) }
        let purge = MemoryStore.Purge(scope: scope, isSoft: isSoft, time: clock.monotonic())
        let usage = await withCheckedContinuation { continuation in
            sweeper.async { [memory, backoff] in
                backoff.reset { scope.covers($0) }
                continuation.resume(returning: memory.apply(purge))
            }
        }
        let generation = source.generation.current
        let changes = await inTiers(source) { await change($0, $1, generation) }
        return Cleared(generation: generation, memory: usage, tiers: changes)
    }

    /// Runs `change` at the same time in all tiers behind memory, if they keep `source`. Returns the results.
    @discardableResult
    private func inTiers(
        _ source: CachedLayer, _ change: @escaping @Sendable (any TileStore, StoreNamespace) async -> StoreChange
    ) async -> [Cleared.Tier] {
        guard let namespace = source.namespace else { return [] }
        return await tiers.concurrentMap { Cleared.Tier(name: $0.name, change: await change($0, namespace)) }
    }
}

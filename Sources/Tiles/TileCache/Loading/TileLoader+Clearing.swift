import MapGeometry
import Runtime

/// Clears layers, boxes, sets and tiles in all tiers.
extension TileLoader {
    /// What a clear did.
    package struct Cleared: Sendable {
        /// The layer's, from now on.
        package let generation: UInt32
        package let memory: MemoryStore.Usage
        /// Of the tiers behind memory, the nearest first; empty where the layer is kept in none.
        package private(set) var tiers: [Tier]

        /// `memory` and `tiers`: nothing, where nothing was done.
        package init(generation: UInt32, memory: MemoryStore.Usage = MemoryStore.Usage(), tiers: [Tier] = []) {
            self.generation = generation
            self.memory = memory
            self.tiers = tiers
        }

        fileprivate mutating func add(_ tier: Tier) { tiers.append(tier) }

        /// What was done to one of them.
        package struct Tier: Sendable {
            /// As `TileStore.name`.
            package let name: StaticString
            package let change: StoreChange
        }
    }

    /// Makes everything that `source` has stored unreachable, and what is being fetched for it unstorable, at once; returns
    /// when that will outlive the process. O(1), but for a layer that reads again what it draws from, before anything else.
    /// `next`: the generation to take, where it is later than the present one; else the next is taken.
    package func clear(_ source: CachedLayer, to next: UInt32? = nil) async -> Cleared {
        await source.layer.reload?()
        return await clearTogether([(source, next)])[0]
    }

    /// Clears many layers, in about the time of one. Results in their order.
    package func clear(_ sources: [(source: CachedLayer, next: UInt32?)]) async -> [Cleared] {
        await withTaskGroup(of: [(Int, Cleared)].self) { group in
            // A layer that reads a file again holds up no other one.
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

    /// Clears layers that read nothing again. Results in their order.
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
            // A tier may have known a later one, of another server.
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

    /// Clears a layer without waiting for the other tiers; returns its new generation.
    @discardableResult
    package func clearAtOnce(_ source: CachedLayer) -> UInt32 {
        let (generation, _) = advance(source)
        if isStored(source) { Task { await inTiers(source) { await $0.clear($1, generation: generation) } } }
        return generation
    }

    /// Calls `onChange` with each layer that another server has cleared, once it is cleared here, and its generation from then on;
    /// on a thread of a tier, must not block. There is one observer.
    package func observeGenerations(_ onChange: @escaping @Sendable (_ layer: String, _ generation: UInt32) -> Void) {
        generationObserver.withLock { $0 = onChange }
    }

    /// Another server has cleared `layer`, whose generation is `generation` in a tier that they share: it is cleared here too.
    func raise(_ layer: String, to generation: UInt32) {
        let layers = storedLayers.withLock { $0.filter { $0.value.namespace.layer == layer } }
        for (number, stored) in layers where stored.generation.raise(to: generation) {
            _ = memory.clear(layer: number, generation: generation)
            sweeper.async { [memory] in memory.sweep() }
            generationObserver.withLock { $0 }?(layer, generation)
        }
    }

    /// Clears memory of a layer whose number is no longer used; other tiers keep its tiles, and the generation.
    package func clearMemory(of source: CachedLayer) {
        _ = memory.clear(layer: source.number, generation: source.generation.current &+ 1)
        sweeper.async { [memory] in memory.sweep() }
    }

    /// A number for a layer that is made, under which nothing is stored; nil where 65,536 are in use. Where numbers were
    /// given back it takes as long as visiting every tile in memory once. Not to be called by two threads at once.
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

    /// Removes one tile in all its scales, and what was made of it; what is being fetched for it is not stored. Takes as
    /// long as visiting every tile in memory once.
    package func clear(_ source: CachedLayer, at coordinate: TileCoordinate) async -> Cleared {
        await purge(source, .box(TileBox(coordinate)), isSoft: false) { store, namespace, generation in
            await store.remove(coordinate, of: namespace, generation: generation)
        }
    }

    /// Removes what `source` has stored in `area`, and what was made of it, or declares it stale where `isSoft`; what is
    /// being fetched there is not stored. Takes as long as visiting every tile in memory once.
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

    /// What `change` does to each of the tiers behind memory that keep `source`, at the same time.
    @discardableResult
    private func inTiers(
        _ source: CachedLayer, _ change: @escaping @Sendable (any TileStore, StoreNamespace) async -> StoreChange
    ) async -> [Cleared.Tier] {
        guard let namespace = source.namespace else { return [] }
        return await tiers.concurrentMap { Cleared.Tier(name: $0.name, change: await change($0, namespace)) }
    }
}

import MapGeometry
import Runtime
import Tiles

/// Loads a tile without a task: most misses of an upstream go from the request to the answer in callbacks, on one reactor.
extension TileLoader {
    /// Whether `load(_:from:_:)` needs no task for a tile of `source` that nobody else is loading. Such a load is not cancelled
    /// when its client leaves, so it must not wait for its turn.
    public func loadsByCallback(_ source: TileSource) -> Bool {
        callback(of: source) != nil
    }

    /// The way to ask without a task. What another tier may hold must be waited for.
    private func callback(of source: TileSource) -> TileLayer.Callback? {
        source.execution == .prompt && !isStored(source) ? source.layer.callback : nil
    }

    /// As `load(_:from:)`, but calls `receive` with the tile, exactly once, on any thread: also before this returns. Nil where
    /// the tile must be waited for, as that one does: another request is fetching it, or the source has no callback.
    public func load(_ key: TileKey, from source: TileSource, _ receive: @escaping @Sendable (Loaded?) -> Void) {
        guard let callback = callback(of: source) else { return receive(nil) }
        let now = clock.monotonic()
        if source.isOffline, let held = peek(key) {
            return receive(held.isFresh(now) ? .present(held, .memory) : .stale(held, .offline))
        }
        if let answer = backingOff(key, peek(key), now) { return receive(answer) }
        switch join(key, source, isRenewal: false, now) {
        case .present(let tile): receive(.present(tile, .memory))
        case .joins: receive(nil)
        case .leads(let fetch, let held): fill(fetch, source, held, now, by: callback, receive)
        }
    }

    /// As `fill`, where no other tier need be asked.
    private func fill(
        _ fetch: InFlightFetch, _ source: TileSource, _ held: CachedTile?, _ began: MonotonicTime,
        by callback: TileLayer.Callback, _ receive: @escaping @Sendable (Loaded?) -> Void
    ) {
        var held = held
        if let known = withoutAsking(fetch, source, &held) { return receive(known) }
        callback(fetch.key.coordinate, Int(fetch.key.scale), held?.validators) { [self, held] answer in
            receive(finish(fetch, answer, source, held, began))
        }
    }
}

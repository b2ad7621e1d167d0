import MapGeometry
import Runtime
import Tiles

/// Loads a tile without a task: most misses of an upstream go from the request to the answer in callbacks, on one reactor.
extension TileLoader {
    /// The way to ask the layer of `source` without a task. Nil where the answer must be waited for: another tier may hold the tile, or
    /// the question would wait for its turn. A load without a task is not cancelled when its client leaves.
    package func callback(of source: TileSource) -> TileLayer.Callback? {
        source.execution == .prompt && !isStored(source) ? source.layer.callback : nil
    }

    /// As `load(_:from:)`, but asks by `callback`, that of `source`, and calls `receive` with the tile, exactly once, on any thread:
    /// also before this returns. Nil where another request is fetching the tile: then it must be waited for.
    package func load(
        _ key: TileKey, from source: TileSource, by callback: TileLayer.Callback,
        _ receive: @escaping @Sendable (Loaded?) -> Void
    ) {
        let now = clock.monotonic()
        switch enter(key, source, now) {
        case .known(let loaded): receive(loaded)
        case .joins: receive(nil)
        case .leads(let fetch, var held):
            if let known = withoutAsking(fetch, source, &held) { return receive(known) }
            callback(key.coordinate, Int(key.scale), held?.validators) { [self, held] answer in
                // A connection would take a second answer for that to its next request.
                guard fetch.takeAnswer() else { return }
                receive(finish(fetch, answer, source, held, now))
            }
        }
    }
}

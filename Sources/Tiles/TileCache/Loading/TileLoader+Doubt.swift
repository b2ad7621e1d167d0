import Runtime

/// Tiles that another server may have cleared: this one has not heard from it for a while.
extension TileLoader {
    /// What the layers with the numbers `layers` have of before `time` is not used from now on before its source has said that it is
    /// good still; where that cannot be asked, it is, for as long as a stale tile may be (RFC 5861 4). It holds for what is found in
    /// memory and in the tiers, until `endDoubt`; nothing that is kept changes. Replaces what an earlier call said.
    package func doubt(_ layers: Set<UInt16>, before time: MonotonicTime) {
        doubted.withLock { $0 = layers }
        doubtedBefore.store(time.nanoseconds, ordering: .releasing)
    }

    /// Tiles are used as their lives say again.
    package func endDoubt() {
        doubtedBefore.store(.min, ordering: .releasing)
        doubted.withLock { $0 = [] }
    }

    /// What memory has under `key`, neither counted nor a use of the tile.
    func peek(_ key: TileKey) -> CachedTile? {
        memory.peek(key).map { marked($0, key.layer) }
    }

    /// `tile` of a layer as it is to be used.
    @inline(__always)
    func marked(_ tile: CachedTile, _ layer: UInt16) -> CachedTile {
        guard tile.born.nanoseconds < doubtedBefore.load(ordering: .relaxed) else { return tile }
        var tile = tile
        tile.isDoubtful = doubted.withLock { $0.contains(layer) }
        return tile
    }
}

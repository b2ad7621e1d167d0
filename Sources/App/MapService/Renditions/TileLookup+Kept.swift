import TileCache

extension TileLoader {
    /// The answer to `lookup`, where a tier behind memory holds it, fresh, as the variant `missing` or what follows it; nil
    /// where the layer would have to be asked, or something made. For clients who must not cause that now.
    package func kept(_ lookup: TileLookup, missing: TileKey.Variant) async -> FoundTile? {
        let key = lookup.layer.key(at: lookup.coordinate, scale: lookup.scale, variant: missing)
        guard let loaded = await kept(key, from: lookup.layer.source(of: missing)), let content = loaded.content,
            lookup.next(after: missing, content) == nil
        else { return nil }
        return FoundTile(loaded: loaded)
    }
}

import MapGeometry
import Raster
import TileCache
import Tiles

/// One tile of a layer in the form that a caller needs, and the order in which its variants are looked up.
package struct TileLookup: Sendable {
    package let layer: ServedLayer
    package let coordinate: TileCoordinate
    /// One of `layer.scales`.
    package let scale: Int
    package let form: Form
    /// Where there is no tile, one above stands in for it.
    package let overzooms: Bool

    /// `scale` is one of `layer.scales`.
    package init(layer: ServedLayer, coordinate: TileCoordinate, scale: Int, form: Form, overzooms: Bool) {
        self.layer = layer
        self.coordinate = coordinate
        self.scale = scale
        self.form = form
        self.overzooms = overzooms
    }

    package enum Form: Sendable {
        /// In the layer's size, but for a JPEG or WebP that the source sends and that is asked for by its name (`isNamed`): that is
        /// untouched. What cannot be decoded is as the source sends it.
        case image(ImageForm, isNamed: Bool = true)
        /// Anything that can be decoded; above scale 1, no smaller than was asked for, where there is such a thing.
        case pixels

        /// What is made where the source's tile does not suit.
        fileprivate var made: ImageForm {
            switch self {
            case .image(let form, _): form
            case .pixels: .png
            }
        }
    }

    /// Where to look first; nil where it is known that there is no tile.
    package var first: TileKey.Variant? {
        guard layer.extent.contains(coordinate) else { return canOverzoom ? .overzoom(form.made) : nil }
        return layer.sourceScales.contains(scale) ? .source : .rendition(form.made)
    }

    /// Where to look after `content` was found under `variant`; nil where it is the answer.
    @inline(__always)
    package func next(after variant: TileKey.Variant, _ content: StoredTile) -> TileKey.Variant? {
        switch content {
        case .tile(let entry): variant == .source && !suits(entry.tile) ? .rendition(form.made) : nil
        case .noTile: next(afterLackOf: variant)
        }
    }

    /// Where to look after there was no tile, or none to be had, under `variant`.
    package func next(afterLackOf variant: TileKey.Variant) -> TileKey.Variant? {
        !variant.isOverzoomed && canOverzoom ? .overzoom(form.made) : nil
    }

    /// Whether nothing follows `loaded`, which is what there is of `variant`.
    fileprivate func isAnswered(by loaded: Loaded, _ variant: TileKey.Variant) -> Bool {
        guard loaded.hasTile, let content = loaded.content else { return next(afterLackOf: variant) == nil }
        return next(after: variant, content) == nil
    }

    fileprivate func key(_ variant: TileKey.Variant) -> TileKey {
        layer.key(at: coordinate, scale: scale, variant: variant)
    }

    fileprivate func source(_ variant: TileKey.Variant) -> CachedLayer { layer.source(of: variant) }

    private var canOverzoom: Bool {
        overzooms && coordinate.z > layer.extent.zooms.lowerBound && layer.extent.covers(coordinate)
    }

    @inline(__always)
    private func suits(_ tile: Tile) -> Bool {
        switch form {
        case .image(let form, let isNamed):
            if tile.isDone(as: form, side: layer.tileSize * scale, png: layer.settings.png.form) { return true }
            // What cannot be decoded is sent as it is: a browser may know it.
            guard tile.format.traits.contains(.isDecoded) else { return true }
            // To write a lossy image anew is to lose again. Where it is what the source sends, one tile of another format has
            // its reason, such as a transparent edge.
            guard isNamed, let named = form.format, named.traits.contains(.isLossy) else { return false }
            return tile.format == named || layer.sentFormat == named
        case .pixels:
            return tile.format.traits.contains(.isDecoded)
                && (scale == 1 || min(tile.width, tile.height) >= layer.tileSize * scale)
        }
    }
}

/// What was found for a `TileLookup`.
package struct FoundTile: Sendable {
    package let loaded: Loaded
    /// The tile itself cannot be had now, and this is the next best.
    package var standsIn = false
}

/// What a search by callback has come to.
package enum TileSearch: Sendable {
    case found(FoundTile)
    /// There is more to wait for, in a task, which its caller may cancel.
    case goesOn(@Sendable () async -> FoundTile)
}

extension TileLoader {
    /// The best answer to `lookup`, whichever variant it is. Nil where it is known that there is none.
    package func find(_ lookup: TileLookup) async -> FoundTile? {
        guard let first = lookup.first else { return nil }
        return await find(lookup, first, await find(lookup.key(first), from: lookup.source(first)))
    }

    /// The same for a caller who has seen that memory has no `missing`, and nothing better.
    package func find(_ lookup: TileLookup, missing: TileKey.Variant) async -> FoundTile {
        await find(lookup, missing, await load(lookup.key(missing), from: lookup.source(missing)))
    }

    /// Finds the tile by `callback`, of the source of `missing`: calls `receive`, exactly once, on any thread. The search goes on only
    /// where that variant is not the answer, or is being fetched for another request.
    package func find(
        _ lookup: TileLookup, missing: TileKey.Variant, by callback: TileLayer.Callback,
        _ receive: @escaping @Sendable (TileSearch) -> Void
    ) {
        load(lookup.key(missing), from: lookup.source(missing), by: callback) { [self] loaded in
            guard let loaded else { return receive(.goesOn { await self.find(lookup, missing: missing) }) }
            guard lookup.isAnswered(by: loaded, missing) else {
                return receive(.goesOn { await self.find(lookup, missing, loaded) })
            }
            receive(.found(FoundTile(loaded: loaded)))
        }
    }

    /// Goes on from `loaded`, which is what there is of `variant`.
    private func find(_ lookup: TileLookup, _ variant: TileKey.Variant, _ loaded: Loaded) async -> FoundTile {
        var (variant, loaded) = (variant, loaded)
        // Why the last variant was not good enough, where it was none at all.
        var lack: Loaded?
        while true {
            if loaded.hasTile {
                guard let content = loaded.content, let next = lookup.next(after: variant, content) else {
                    return FoundTile(loaded: loaded, standsIn: lack.map { $0.content == nil } ?? false)
                }
                variant = next
            } else {
                // That there is nothing above either says less than why there is nothing here.
                guard let next = lookup.next(afterLackOf: variant) else { return FoundTile(loaded: lack ?? loaded) }
                lack = loaded
                variant = next
            }
            loaded = await find(lookup.key(variant), from: lookup.source(variant))
        }
    }

    /// The answer to `lookup`, where a tier behind memory holds it, fresh, as the variant `missing` or what follows it; nil
    /// where the layer would have to be asked, or something made. For clients who must not cause that now.
    package func kept(_ lookup: TileLookup, missing: TileKey.Variant) async -> FoundTile? {
        guard let loaded = await kept(lookup.key(missing), from: lookup.source(missing)),
            let content = loaded.content, lookup.next(after: missing, content) == nil
        else { return nil }
        return FoundTile(loaded: loaded)
    }
}

extension Loaded {
    /// The tile, or that there is none; nil where that is not known.
    package var content: StoredTile? {
        switch self {
        case .found(let cached, _), .present(let cached, _), .stale(let cached, _): cached.content
        case .unavailable: nil
        }
    }

    fileprivate var hasTile: Bool {
        if case .tile? = content { true } else { false }
    }
}

import MapGeometry
import Raster
import TileCache
import Tiles

/// A search for one tile of a layer, in the format and scale that a caller needs. A tile can have several variants, for
/// example an enlarged substitute. The lookup knows in which order the variants are tried.
package struct TileLookup: Sendable {
    package let layer: ServedLayer
    package let coordinate: TileCoordinate
    /// The scale, one of `layer.scales`.
    package let scale: Int
    package let form: Form
    /// True if an enlarged part of a tile above may replace a missing tile.
    package let overzooms: Bool

    /// Makes a lookup. `scale` must be in `layer.scales`.
    package init(layer: ServedLayer, coordinate: TileCoordinate, scale: Int, form: Form, overzooms: Bool) {
        self.layer = layer
        self.coordinate = coordinate
        self.scale = scale
        self.form = form
        self.overzooms = overzooms
    }

    package enum Form: Sendable {
        /// An image in the layer's tile size. A JPEG or WebP of the source stays unchanged if the client names its
        /// format (`isNamed`). If the source usually sends the named format, a tile in another format stays unchanged
        /// too. An image that cannot be decoded stays unchanged too.
        case image(ImageForm, isNamed: Bool = true)
        /// Any image that can be decoded. Above scale 1, the image is at least as large as requested if possible.
        case pixels
        /// An image as for `pixels`, but without the layer's labels. A map can draw these labels itself.
        case unlabelled

        /// The form of the rendition that is made if the source's tile does not suit.
        fileprivate var made: ImageForm {
            switch self {
            case .image(let form, _): form
            case .pixels, .unlabelled: .png
            }
        }

        fileprivate var isUnlabelled: Bool { if case .unlabelled = self { true } else { false } }
    }

    /// The variant to look up first. Nil if there is certainly no tile.
    package var first: TileKey.Variant? {
        guard layer.extent.contains(coordinate) else { return canOverzoom ? overzoom : nil }
        if form.isUnlabelled { return .unlabelled }
        return layer.sourceScales.contains(scale) ? .source : .rendition(form.made)
    }

    /// Returns the variant to look up after `content` was found under `variant`. Nil if `content` is the answer.
    @inline(__always)
    package func next(after variant: TileKey.Variant, _ content: StoredTile) -> TileKey.Variant? {
        switch content {
        case .tile(let entry): variant == .source && !suits(entry.tile) ? .rendition(form.made) : nil
        case .noTile: next(afterLackOf: variant)
        }
    }

    /// Returns the variant to look up if `variant` has no tile or is unavailable.
    package func next(afterLackOf variant: TileKey.Variant) -> TileKey.Variant? {
        !variant.isOverzoomed && canOverzoom ? overzoom : nil
    }

    private var overzoom: TileKey.Variant { form.isUnlabelled ? .unlabelledOverzoom : .overzoom(form.made) }

    /// Reports whether `loaded`, the result for `variant`, is the final answer.
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
            // A client gets an image that the server cannot decode unchanged: the client may be able to show it.
            guard tile.format.traits.contains(.isDecoded) else { return true }
            // Encoding a lossy image again would lose quality, so a tile in the named format is sent unchanged. If the
            // source usually sends that format, a single tile in another format has a reason, such as a transparent
            // edge.
            guard isNamed, let named = form.format, named.traits.contains(.isLossy) else { return false }
            return tile.format == named || layer.sentFormat == named
        case .pixels, .unlabelled:
            return tile.format.traits.contains(.isDecoded)
                && (scale == 1 || min(tile.width, tile.height) >= layer.tileSize * scale)
        }
    }
}

/// The result of a `TileLookup`.
package struct FoundTile: Sendable {
    package let loaded: Loaded
    /// True if the tile itself is unavailable now, and `loaded` is a substitute.
    package var standsIn = false
}

/// The result of a search with a callback.
package enum TileSearch: Sendable {
    case found(FoundTile)
    /// The search must wait for more results. The caller runs the closure in a task, and may cancel the task.
    case goesOn(@Sendable () async -> FoundTile)
}

extension TileLoader {
    /// Returns the best result for `lookup` from all variants. Nil if there is certainly no tile.
    package func find(_ lookup: TileLookup) async -> FoundTile? {
        guard let first = lookup.first else { return nil }
        return await find(lookup, first, await find(lookup.key(first), from: lookup.source(first)))
    }

    /// Returns the best result for `lookup` if the caller has already found that memory does not hold `missing`.
    package func find(_ lookup: TileLookup, missing: TileKey.Variant) async -> FoundTile {
        await find(lookup, missing, await load(lookup.key(missing), from: lookup.source(missing)))
    }

    /// Fetches the variant `missing` with `callback`, and passes the result to `receive`. Calls `receive` exactly once,
    /// on any thread. The result is `.goesOn` in two cases: another variant must be tried, or another request already
    /// fetches this variant.
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

    /// Continues the search after the variant `variant` gave the result `loaded`.
    private func find(_ lookup: TileLookup, _ variant: TileKey.Variant, _ loaded: Loaded) async -> FoundTile {
        var (variant, loaded) = (variant, loaded)
        // The result of an earlier variant without a tile.
        var lack: Loaded?
        while true {
            if loaded.hasTile {
                guard let content = loaded.content, let next = lookup.next(after: variant, content) else {
                    return FoundTile(loaded: loaded, standsIn: lack.map { $0.content == nil } ?? false)
                }
                variant = next
            } else {
                // If the substitute is missing too, returns the first result: it tells why the tile itself is missing.
                guard let next = lookup.next(afterLackOf: variant) else { return FoundTile(loaded: lack ?? loaded) }
                lack = loaded
                variant = next
            }
            loaded = await find(lookup.key(variant), from: lookup.source(variant))
        }
    }

    /// Returns the tile for `lookup` if a tier behind memory has a fresh entry under `missing` that is the final
    /// answer. Nil if the server would have to ask the layer or make a rendition. Used for clients that must not cause
    /// such work now.
    package func kept(_ lookup: TileLookup, missing: TileKey.Variant) async -> FoundTile? {
        guard let loaded = await kept(lookup.key(missing), from: lookup.source(missing)),
            let content = loaded.content, lookup.next(after: missing, content) == nil
        else { return nil }
        return FoundTile(loaded: loaded)
    }
}

extension Loaded {
    /// The tile, or the knowledge that there is no tile. Nil if neither is known.
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

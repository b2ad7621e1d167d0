import Bytes
import Configuration
import MapGeometry
import Raster
import TileArchives
import TileSources
import Tiles

/// Describes an export: the layer or map, the area, and the image format of the tiles. The settings have been checked.
package struct TileExport: Sendable {
    package let layer: ServedLayer
    package let area: ExportArea
    /// The format into which the server converts the layer's tiles. A tile that the layer sends unchanged may have
    /// another format.
    package let format: ImageFormat
    /// The quality of the JPEG and WebP tiles that the export encodes, 1…100. Nil means the quality of the layer.
    package let quality: Int?
    /// True if tiles that come from other servers are taken from the cache only. A tile that the cache does not hold
    /// counts as absent, not as failed.
    package let isCachedOnly: Bool

    /// The numbers of an export so far.
    package struct Progress: Sendable, Equatable {
        /// Number of tiles that the export has tried so far: the sum of `written`, `absent` and `failed`.
        package var done = 0
        /// Tiles in the archive.
        package var written = 0
        /// Tiles that the layer does not have.
        package var absent = 0
        /// Tiles that were unavailable.
        package var failed = 0
        /// Size in bytes of the images of all written tiles. The archive can be smaller, because some archives store
        /// identical images once.
        package var bytes = 0
    }

    /// Makes an export of the tiles of `layer` in `area`. If `format` is nil, the tiles have the format that the
    /// layer usually sends. Throws `.refused` if the key `bulk` of a layer, or the policy of the source's host,
    /// forbids bulk downloads. Throws `.invalidFormat` if the server cannot encode `format`, or if `quality` is
    /// outside 1…100.
    package init(
        _ layer: ServedLayer, area: ExportArea, format: ImageFormat? = nil, quality: Int? = nil,
        isCachedOnly: Bool = false
    ) throws(TileExportError) {
        if let format, ImageForm(format) == nil {
            throw .invalidFormat(reason: "format: expected PNG, JPEG or WebP, found \(format)")
        }
        if let quality, !(1...100).contains(quality) {
            throw .invalidFormat(reason: "quality: expected a value in 1…100, found \(quality)")
        }
        for part in [layer] + layer.members { try Self.check(part.settings) }
        self.layer = layer
        self.area = area
        self.format = format ?? layer.sentFormat
        self.quality = quality
        self.isCachedOnly = isCachedOnly
    }

    /// Throws `.refused` if the key `bulk` of a layer, or the policy of the source's host, forbids bulk downloads.
    private static func check(_ settings: LayerSettings) throws(TileExportError) {
        // The server never asks the source of an offline layer, so the export downloads nothing.
        guard !settings.offline else { return }
        var host: String?
        if case .url(let source) = settings.source { host = URLTemplate.host(of: source.template) }
        let reason: String
        switch settings.bulk {
        case .allow: return
        case .refuse: reason = "the configuration says `bulk: refuse` for this layer."
        case nil:
            guard let host, let policy = BulkPolicy.forbidding(host) else { return }
            reason = policy.refusal(of: host) + " With the permission of the host, set `bulk: allow` on the layer."
        }
        let remedy = " To export only the tiles in the disk cache, use --cached, or set `offline: true` on the layer."
        throw .refused(layer: settings.id, reason: reason + (host == nil ? "" : remedy))
    }

    /// Changes `configuration` so that its layers never ask another server. Tiles that this server draws or reads from
    /// its own files are made as usual.
    package static func useCacheOnly(in configuration: inout Configuration) {
        for index in configuration.layers.indices where configuration.layers[index].hasUpstream {
            configuration.layers[index].offline = true
        }
    }

    /// The description of the archive.
    package var description: SourceDescription {
        var found = SourceDescription()
        found.name = layer.settings.name ?? layer.id
        found.description = layer.settings.description
        found.attribution = layer.settings.attribution
        found.bounds = area.bounds
        found.zooms = area.zooms
        found.format = format
        found.tileSize = layer.tileSize
        found.kind = layer.settings.opacity < 1 ? .overlay : .baselayer
        if let box = area.bounds {
            let east = box.east + (box.east < box.west ? 360 : 0)
            let middle = (box.west + east) / 2
            found.center = SourceDescription.Center(
                longitude: middle > 180 ? middle - 360 : middle, latitude: (box.south + box.north) / 2,
                zoom: area.zooms.lowerBound)
        }
        return found
    }
}

extension LayerSettings {
    /// True if the layer's source is on another server. False if the source is a local file or this program.
    fileprivate var hasUpstream: Bool {
        switch source {
        case .url(let source): !source.isLocal
        case .pmtiles(let source): !source.isLocal
        case .mbtiles, .geojson, .generator, .map, .embedded: false
        }
    }
}

import Configuration
import EventLog
import Generators
import HTTPClient
import Labels
import Logging
import Raster
import Runtime
import TileCache
import TileSources
import Tiles

/// Makes layers from their settings, with a suitable implementation for each kind of source.
struct LayerFactory {
    /// The queue on which the server draws tiles and converts tiles to other sizes and formats.
    let work: WorkQueue
    /// The queue on which files are read. A separate queue, so that reading and drawing do not delay each other.
    let files: WorkQueue
    /// The HTTP client for all upstreams.
    let client: HTTPClient
    /// The state of each upstream. It survives a change of the layers.
    let hosts: UpstreamHosts
    /// The leaf directories of all PMTiles archives.
    let leaves: PMTilesLeaves
    /// The program's own layers, by id.
    let embedded: EmbeddedLayers
    let log: EventLog
    /// The memory limit of one tile.
    let memory: TileMemory
    /// Returns the fingerprint with a beginning under which a layer has tiles on disk. Nil if there is none.
    let storedFingerprint: @Sendable (_ layer: String, _ beginning: String) -> String?
    let blankTiles = BlankTiles()
    let errorPictures = ErrorPictures()

    /// The error of a layer that cannot be made.
    struct LayerError: Error, CustomStringConvertible {
        let layer: String
        let reason: String
        var description: String { "layers.\(layer): \(reason)" }
    }

    /// Makes one layer or map. `number` and `generation` become part of the layer's cache keys. If the result is a map,
    /// it draws some of `layers`. The map may lack layers for which `mayLack` returns true.
    func make(
        _ settings: LayerSettings, number: LayerNumber, generation: Generation, layers: [String: ServedLayer],
        mayLack: @escaping (String) -> Bool, loader: TileLoader
    ) throws -> ServedLayer {
        let pixels = pixelWork(settings)
        let built: BuiltLayer
        if case .map(let map) = settings.source {
            built = try MapFactory(loader: loader, pixels: pixels, mayLack: mayLack).make(map, settings, layers: layers)
        } else {
            built = try layer(of: settings)
        }
        let isMap = settings.source.isMap
        let source = CachedLayer(
            number: number, name: settings.id, layer: built.layer, execution: built.execution, generation: generation,
            freshness: isMap ? .inherited : FreshnessPolicy(settings), timeout: built.timeout,
            namespace: settings.source.settings.isLocal
                ? nil
                : StoreNamespace(
                    layer: settings.id,
                    fingerprint: settings.fingerprint(of: built.version) { storedFingerprint(settings.id, $0) }),
            isOffline: settings.offline, backsOff: !isMap)
        return try ServedLayer(
            settings: settings, built: built, source: source, loader: loader, pixels: pixels, blankTiles: blankTiles,
            errorPictures: errorPictures)
    }

    /// Returns the queue and the encoder that convert the layer's tiles to other sizes and formats.
    private func pixelWork(_ settings: LayerSettings) -> PixelWork {
        let (log, id) = (log, settings.id)
        var encoder = ImageEncoder(settings)
        encoder.mostMemory = memory.most
        return PixelWork(
            queue: work, layer: id, maxWait: settings.timeout.inSeconds, encoder: encoder, memory: memory
        ) { error in
            log.record("layer_failed", layer: id, pace: .oncePerMinute, ["error": "\(error)"])
        }
    }

    /// A layer with the facts that the server must know about it.
    struct BuiltLayer {
        var layer: any TileLayer
        let execution: CachedLayer.Execution
        let timeout: Double
        /// The scales (pixels per point) of the layer. Nil: the scales that the layer declares.
        var scales: ClosedRange<Int>?
        /// The origin of the layer's pixels, which decides how much memory a tile takes.
        var pixels = TileMemory.Kind.sent
        /// If this layer is a map: the layers that the map draws, from the bottom up. The last element may be the
        /// labels of all these layers. Empty if this layer is not a map.
        var drawnLayers: [DrawnLayer] = []
        /// The source of the layer's labels, if a map can draw the labels apart from the layer's tiles. Nil otherwise,
        /// for example for tiles of an upstream.
        var labelled: (any LabelledLayer)?
        /// The version of a remote archive. Tiles of another version on disk are not used.
        var version = LayerSettings.Version.none
        /// A layer with the same tiles without labels. Nil if `labelled` is nil.
        var unlabelled: (any TileLayer)?
    }

    /// Makes the tile layer. Every error becomes a `LayerError` with the id of the layer.
    private func layer(of settings: LayerSettings) throws -> BuiltLayer {
        do {
            return try tiles(of: settings)
        } catch let fault as LayerError {
            throw fault
        } catch {
            throw LayerError(layer: settings.id, reason: "\(error)")
        }
    }

    /// The factory for layers with URLs.
    var urls: URLLayerFactory { URLLayerFactory(files: files, client: client, hosts: hosts, log: log) }

    private func tiles(of settings: LayerSettings) throws -> BuiltLayer {
        switch settings.source {
        case .map: throw LayerError(layer: settings.id, reason: "expected a layer, found a map; write it under maps")
        case .url(let source):
            return try urls.make(source, settings)
        case .generator(let generator):
            let tileSize: TileSize = settings.tileSize == 512 ? .double : .standard
            return queued(
                generator.settings.layer(tileSize: tileSize), on: work, settings,
                generator.settings.description(tileSize: tileSize))
        case .mbtiles(let source):
            return try make(source, settings)
        case .pmtiles(let source):
            return try make(source, settings)
        case .geojson(let source):
            return try make(source, settings)
        case .embedded:
            guard let layer = embedded[settings.id] else {
                throw LayerError(layer: settings.id, reason: "the program provides no layer of this name")
            }
            return try make(layer, settings)
        }
    }
}

extension Duration {
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

extension ImageEncoder {
    /// Makes the encoder of a layer. Transparent pixels become the map's background in a JPEG, or white without a map.
    init(_ settings: LayerSettings) {
        self.init(png: settings.png, quality: settings.quality)
        if case .map(let map) = settings.source { matte = map.background }
    }
}

extension LayerFactory {
    /// Makes a layer that is written in the embedding program's code.
    func make(_ layer: EmbeddedLayer, _ settings: LayerSettings) throws -> BuiltLayer {
        switch layer {
        case .sync(let layer):
            // Each layer gets threads of its own, so that a layer that blocks does not delay others.
            let queue = WorkQueue(
                label: settings.id, width: max(settings.maxConcurrent, 1), depth: 1_024, memory: work.memory,
                report: log.refusals(of: "tiles"))
            return queued(layer, on: queue, settings)
        case .async(let layer, let scales):
            // The program's code may block, so it must not run on a reactor.
            return BuiltLayer(
                layer: layer, execution: .unknown, timeout: settings.timeout.inSeconds, scales: scales)
        case .url(let layer):
            return try urls.make(layer, settings)
        }
    }

    /// Makes a layer whose tiles `layer` draws on `queue`. Pixels are encoded there as PNG. `description` has values
    /// for settings that the user did not set. Nil: no values. If a map can draw the labels of `layer` apart from its
    /// tiles, the result also has a layer without labels.
    func queued(
        _ layer: any SyncTileLayer, on queue: WorkQueue, _ settings: LayerSettings,
        _ description: SourceDescription? = nil
    ) -> BuiltLayer {
        let (log, id) = (log, settings.id)
        let timeout = settings.timeout.inSeconds
        func adapter(_ layer: any SyncTileLayer) -> SyncLayerAdapter {
            SyncLayerAdapter(
                layer: layer, id: id, tileSize: settings.tileSize, queue: queue, maxWait: timeout, png: settings.png,
                description: description
            ) { error in
                log.record("layer_failed", layer: id, ["error": "\(error)"])
            }
        }
        let labelled = layer as? any LabelledLayer
        return BuiltLayer(
            layer: adapter(layer), execution: .nonblocking, timeout: timeout, pixels: .drawn, labelled: labelled,
            unlabelled: labelled.map { adapter(UnlabelledLayer(layer: $0)) })
    }
}

extension URLLayerFactory {
    /// Makes a layer that fetches its tiles from the URLs of a Swift closure. Throws `CertificateFileError` or
    /// `UpstreamProfile.InvalidHeaderError`.
    func make(_ layer: URLTileLayer, _ settings: LayerSettings) throws -> LayerFactory.BuiltLayer {
        var source = URLSource(template: "")
        source.userAgent = layer.userAgent
        source.referer = layer.referer
        source.headers = layer.headers.sorted { $0.key < $1.key }.map {
            URLSource.Header(name: $0.key, value: $0.value)
        }
        source.allowPrivate = layer.allowPrivate
        (source.caFile, source.clientCertificate) = (layer.caFile, layer.clientCertificate)
        let options = options(source, settings)
        return builtLayer(
            try UpstreamTileLayer(client: client, options: options, urlConstructor: layer.urlConstructor), options)
    }
}

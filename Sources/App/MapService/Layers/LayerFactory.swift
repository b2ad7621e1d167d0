import Configuration
import EventLog
import Generators
import HTTPClient
import Logging
import Raster
import Runtime
import TileCache
import TileSources
import Tiles

/// Makes layers of their settings.
struct LayerFactory {
    /// Where generators draw.
    let work: WorkQueue
    /// Where files are read: not behind generators, and not before them.
    let files: WorkQueue
    /// How layers reach other servers.
    let client: HTTPClient
    /// What layers know of other servers, which outlives them.
    let hosts: UpstreamHosts
    /// Layers that the program brings itself, by id.
    let embedded: EmbeddedLayers
    let log: EventLog
    /// The bound of one tile's memory.
    let memory: TileMemory
    let blankTiles = BlankTiles()
    let errorPictures = ErrorPictures()

    /// A layer that cannot be made; a configuration that was loaded from a file makes every layer.
    struct LayerError: Error, CustomStringConvertible {
        let layer: String
        let reason: String
        var description: String { "layers.\(layer): \(reason)" }
    }

    /// `number` and `generation`: those of its keys. `layers`: those that a map may draw.
    func make(
        _ settings: LayerSettings, number: LayerNumber, generation: Generation, layers: [String: ServedLayer],
        loader: TileLoader
    ) throws -> ServedLayer {
        let pixels = pixelWork(settings)
        let built: BuiltLayer
        if case .map(let map) = settings.source {
            built = try MapFactory(loader: loader, pixels: pixels).make(map, settings, layers: layers)
        } else {
            built = try layer(of: settings)
        }
        let isMap = settings.source.isMap
        let source = CachedLayer(
            number: number, name: settings.id, layer: built.layer, execution: built.execution, generation: generation,
            freshness: isMap ? .inherited : FreshnessPolicy(settings), timeout: built.timeout,
            namespace: settings.source.settings.isLocal
                ? nil : StoreNamespace(layer: settings.id, fingerprint: settings.sourceFingerprint),
            isOffline: settings.offline, backsOff: !isMap)
        return try ServedLayer(
            settings: settings, built: built, source: source, loader: loader, pixels: pixels, blankTiles: blankTiles,
            errorPictures: errorPictures)
    }

    /// Where the layer's tiles are made into other sizes and formats.
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

    /// A layer as a factory builds it, with what the server must know of it.
    struct BuiltLayer {
        var layer: any TileLayer
        let execution: CachedLayer.Execution
        let timeout: Double
        /// Pixels per point that it can be asked for, in place of those that it says.
        var scales: ClosedRange<Int>?
        /// Where the layer's pixels come from, which decides how much memory a tile takes.
        var pixels = TileMemory.Kind.sent
        /// What it draws, the lowest first, if it is a map.
        var drawnLayers: [DrawnLayer] = []
    }

    /// Throws a `LayerError`, which says of which layer.
    private func layer(of settings: LayerSettings) throws -> BuiltLayer {
        do {
            return try tiles(of: settings)
        } catch let fault as LayerError {
            throw fault
        } catch {
            throw LayerError(layer: settings.id, reason: "\(error)")
        }
    }

    /// For layers whose tiles come by URLs.
    var urls: URLLayerFactory { URLLayerFactory(files: files, client: client, hosts: hosts, log: log) }

    private func tiles(of settings: LayerSettings) throws -> BuiltLayer {
        switch settings.source {
        case .map: throw LayerError(layer: settings.id, reason: "expected a layer, found a map; write it under maps")
        case .url(let source):
            return try urls.make(source, settings)
        case .generator(let generator):
            let layer = generator.settings.layer(tileSize: settings.tileSize == 512 ? .double : .standard)
            return queued(layer, on: work, settings)
        case .mbtiles(let source):
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
    /// What is transparent in a JPEG shows a map's background, or white where there is no map.
    init(_ settings: LayerSettings) {
        self.init(png: settings.png, quality: settings.quality)
        if case .map(let map) = settings.source { matte = map.background }
    }
}

extension LayerFactory {
    /// A layer that the program brings itself.
    func make(_ layer: EmbeddedLayer, _ settings: LayerSettings) throws -> BuiltLayer {
        switch layer {
        case .sync(let layer):
            // Threads of its own: a layer that blocks does not delay others.
            let queue = WorkQueue(
                label: settings.id, width: max(settings.maxConcurrent, 1), depth: 1_024, memory: work.memory,
                report: log.refusals(of: "tiles"))
            return queued(layer, on: queue, settings)
        case .async(let layer, let scales):
            // Its code is unknown: it must not run on a reactor.
            return BuiltLayer(
                layer: layer, execution: .unknown, timeout: settings.timeout.inSeconds, scales: scales)
        case .url(let layer):
            return try urls.make(layer, settings)
        }
    }

    /// A layer whose tiles are drawn and encoded as PNG on `queue`.
    func queued(_ layer: any SyncTileLayer, on queue: WorkQueue, _ settings: LayerSettings) -> BuiltLayer {
        let (log, id) = (log, settings.id)
        let timeout = settings.timeout.inSeconds
        let adapter = SyncLayerAdapter(
            layer: layer, id: id, tileSize: settings.tileSize, queue: queue, maxWait: timeout, png: settings.png
        ) { error in
            log.record("layer_failed", layer: id, ["error": "\(error)"])
        }
        return BuiltLayer(
            layer: adapter, execution: .nonblocking, timeout: timeout, pixels: .drawn)
    }
}

extension URLLayerFactory {
    /// Throws `TLSFileError`, or `UpstreamProfile.InvalidHeaderError`.
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

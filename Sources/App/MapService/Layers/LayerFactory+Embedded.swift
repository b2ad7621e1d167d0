import Configuration
import EventLog
import Raster
import Runtime
import TileSources
import Tiles

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

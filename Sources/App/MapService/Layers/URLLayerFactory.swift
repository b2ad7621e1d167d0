import Configuration
import EventLog
import HTTPClient
import Logging
import MapGeometry
import Runtime
import TileSources

/// Makes layers that fetch their tiles from URLs, either from upstreams or from local files.
struct URLLayerFactory {
    let files: WorkQueue
    let client: HTTPClient
    let hosts: UpstreamHosts
    let log: EventLog

    /// The `User-Agent` of a layer that sets none.
    static let userAgent = "tileserver/\(MapService.version)"

    /// Makes the table of upstreams, which logs the changes of circuit breakers.
    static func hosts(log: EventLog) -> UpstreamHosts {
        UpstreamHosts { host, state in record(state, of: host, in: log) }
    }

    static func record(_ state: UpstreamStatus.Breaker, of host: String, in log: EventLog) {
        let level: Logger.Level =
            switch state {
            case .open: .warning
            case .closed, .halfOpen: .info
            }
        log.record("breaker", level: level, ["host": "\(host)", "state": "\(state.name)"])
    }

    /// Makes a layer from a URL template. Throws `URLTemplateError`, `CertificateFileError` or
    /// `UpstreamProfile.InvalidHeaderError`.
    func make(_ source: URLSource, _ settings: LayerSettings) throws -> LayerFactory.BuiltLayer {
        let template = try URLTemplate(source)
        if template.scheme == .file {
            let layer = FileTileLayer(
                template: template, queue: files, rejectSHA256: source.rejectSHA256, report: report(settings.id))
            return LayerFactory.BuiltLayer(
                layer: layer, execution: .nonblocking, timeout: settings.timeout.inSeconds)
        }
        let options = options(source, settings)
        return builtLayer(try UpstreamTileLayer(template: template, client: client, options: options), options)
    }

    func builtLayer(_ layer: UpstreamTileLayer, _ options: UpstreamTileLayer.Options) -> LayerFactory.BuiltLayer {
        // The layer has its own deadline. Before that, a request may wait in the queue of its upstream.
        LayerFactory.BuiltLayer(
            layer: layer, execution: .prompt, timeout: options.timeout + hosts.rules.queueTimeout + 1)
    }

    /// Returns the options for requests to an upstream, such as headers, timeouts and TLS files.
    func options(_ source: URLSource, _ settings: LayerSettings) -> UpstreamTileLayer.Options {
        var options = UpstreamTileLayer.Options()
        options.userAgent = source.userAgent ?? Self.userAgent
        options.referer = source.referer
        options.headers = source.headers.map { (name: $0.name, value: $0.value) }
        options.timeout = settings.timeout.inSeconds
        options.maxConcurrent = settings.maxConcurrent
        options.allowPrivate = source.allowPrivate
        options.hosts = hosts
        options.rejectSHA256 = source.rejectSHA256
        options.tls = TLSFiles(source)
        options.reportTLS = { [log] error in log.record("tls_file", layer: settings.id, ["problem": "\(error)"]) }
        options.report = report(settings.id)
        return options
    }

    /// Returns the options for requests to the server of an archive.
    func options(_ source: PMTilesSource, _ settings: LayerSettings) -> UpstreamTileLayer.Options {
        var url = URLSource(template: source.location)
        (url.headers, url.allowPrivate, url.caFile) = (source.headers, source.allowPrivate, source.caFile)
        return options(url, settings)
    }

    private func report(_ id: String) -> @Sendable (TileCoordinate, SourceEvent) -> Void {
        { [log] coordinate, event in
            log.record(
                event.name, level: event.level, layer: id, pace: event.pace,
                event.fields.merging(coordinate.logFields) { $1 })
        }
    }
}

extension TileCoordinate {
    package var logFields: Logger.Metadata {
        ["z": .stringConvertible(z), "x": .stringConvertible(x), "y": .stringConvertible(y)]
    }
}

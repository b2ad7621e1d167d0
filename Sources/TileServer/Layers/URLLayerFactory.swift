import Configuration
import EventLog
import HTTPClient
import Logging
import MapGeometry
import Reactor
import TileLayers

/// Makes the layers whose tiles come by a URL template, from other servers or from files.
struct URLLayerFactory {
    let files: WorkQueue
    let client: HTTPClient
    let log: EventLog

    /// What a layer without a `userAgent` of its own says it is.
    static let userAgent = "tileserver/\(TileServer.version)"

    /// Throws `URLTemplateError`, or `UpstreamProfile.InvalidHeader`.
    func make(_ source: URLSource, _ settings: LayerSettings) throws -> LayerFactory.Made {
        let template = try URLTemplate(source)
        let (log, id) = (log, settings.id)
        let report: @Sendable (TileCoordinate, SourceEvent) -> Void = { coordinate, event in
            log.record(
                event.name, level: event.level, layer: id,
                [
                    "why": "\(event)", "z": .stringConvertible(coordinate.z), "x": .stringConvertible(coordinate.x),
                    "y": .stringConvertible(coordinate.y),
                ])
        }
        if template.scheme == .file {
            let layer = FileTileLayer(template: template, queue: files, report: report)
            return LayerFactory.Made(
                layer: layer, scales: layer.scales, conduct: .nonblocking, timeout: settings.timeout.inSeconds)
        }
        var options = URLTileLayer.Options()
        options.userAgent = source.userAgent ?? Self.userAgent
        options.referer = source.referer
        options.headers = source.headers.map { (name: $0.name, value: $0.value) }
        options.timeout = settings.timeout.inSeconds
        options.maxConcurrent = settings.maxConcurrent
        options.allowPrivate = source.allowPrivate
        options.report = report
        let layer = try URLTileLayer(template: template, client: client, options: options)
        // It has a deadline of its own, and a request may wait for its place before that.
        return LayerFactory.Made(
            layer: layer, scales: layer.scales, conduct: .prompt, timeout: options.timeout + options.patience + 1)
    }
}

extension URLTemplate {
    /// The template that the settings describe.
    init(_ source: URLSource) throws(URLTemplateError) {
        try self.init(
            source.template, values: source.values, subdomains: source.subdomains, isTMS: source.scheme == .tms)
    }
}

extension SourceEvent {
    /// The name of the log event (threats.md 4).
    fileprivate var name: String {
        switch self {
        case .failure(.timeout): "upstream_timeout"
        case .failure(.short): "upstream_short"
        case .failure(.tls): "upstream_tls"
        case .failure(.redirect): "upstream_redirect"
        case .failure(.denied): "upstream_denied"
        case .failure(.badHead): "upstream_bad_head"
        case .failure(.tooLarge): "upstream_too_large"
        case .failure: "upstream_failed"
        case .status, .paused: "upstream_status"
        case .absent: "upstream_neg"
        case .notAnImage: "upstream_not_image"
        case .overloaded: "shed"
        case .unreadable, .notAFile, .fileTooLarge: "file_unreadable"
        }
    }

    fileprivate var level: Logger.Level {
        if case .absent = self { .debug } else { .warning }
    }
}

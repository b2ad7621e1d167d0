import Configuration
import EventLog
import Foundation
import HTTPClient
import Logging
import MapGeometry
import Runtime
import Synchronization
import TileSources

/// Requests one tile for each layer with an upstream, with the same requests that the layer would send. Offline layers
/// send no request. Stores no tile.
struct SourceCheck {
    private let reactors: [Reactor]

    /// Maximum seconds that a layer waits for other layers with the same host.
    private static let longestWait = 60.0

    init() throws {
        reactors = [try Reactor(label: "doctor")]
    }

    /// Checks the upstreams of `layers`. Returns one finding for each layer with an upstream, in the order of the
    /// configuration. A layer with a `file:` URL has a finding if it is offline or cannot be created. `offsets` has the
    /// seconds by which this machine's clock is ahead of a source's clock, for each layer whose source sends its time.
    ///
    /// All hosts are checked concurrently. One host gets at most `maxConcurrent` requests at a time. A host that fails
    /// too often gets no more requests, because its circuit breaker opens.
    func results(_ layers: [LayerSettings]) async -> (findings: [Finding], offsets: [Int]) {
        let log = EventLog(logger: Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() })
        var rules = UpstreamRules()
        (rules.maxWaiting, rules.queueTimeout) = (MapService.mostLayers, Self.longestWait)
        let factory = URLLayerFactory(
            files: WorkQueue(label: "doctor files", width: 1, depth: 1), client: HTTPClient(reactors: reactors),
            hosts: UpstreamHosts(rules: rules), log: log)
        let examined = await layers.concurrentMap { settings in
            switch settings.source {
            case .url(let source): await Self.examine(settings, source, factory)
            case .pmtiles(let source) where !source.isLocal: await Self.examine(settings, source, factory)
            case .pmtiles, .mbtiles, .geojson, .generator, .map, .embedded: Examined()
            }
        }
        return (examined.compactMap(\.finding), examined.compactMap(\.offset))
    }

    private struct Examined {
        /// The finding. Nil if the layer had nothing to check.
        var finding: Finding?
        /// Seconds by which this machine's clock is ahead of the source's clock.
        var offset: Int?
    }

    private static func examine(
        _ settings: LayerSettings, _ source: URLSource, _ factory: URLLayerFactory
    ) async -> Examined {
        let subject = "layers.\(settings.id)"
        if settings.offline { return offline(subject) }
        do {
            guard let layer = try factory.make(source, settings).layer as? UpstreamTileLayer,
                let coordinate = settings.sampleTile
            else { return Examined() }
            let examination = await layer.examine(at: coordinate, scale: 1)
            let verdict = SourceVerdict(settings, at: coordinate, examination)
            return Examined(finding: verdict.finding, offset: verdict.clockOffset)
        } catch {
            return Examined(
                finding: .fault(
                    subject, "the layer cannot be created: \(error)", "\(subject): correct what the error names"))
        }
    }
}

extension SourceCheck {
    private static func offline(_ subject: String) -> Examined {
        Examined(finding: .ok(subject, "offline: only cached tiles are served; the source was not asked"))
    }

    /// Opens the archive on its server.
    private static func examine(
        _ settings: LayerSettings, _ source: PMTilesSource, _ factory: URLLayerFactory
    ) async -> Examined {
        let subject = "layers.\(settings.id)"
        if settings.offline { return offline(subject) }
        let reasons = Mutex<[String]>([])
        do {
            guard
                case .remote(let url, let authorization) = try source.place(in: ProcessInfo.processInfo.environment)
            else { return Examined() }
            let file = try RemoteFile(
                url: url, client: factory.client, options: factory.options(source, settings),
                authorization: authorization, keepsDots: source.isObject)
            let layer = PMTilesRemoteLayer(file: file, leaves: PMTilesLeaves()) { _, event in
                reasons.withLock { $0.append(event.sentence) }
            } reportArchive: { _, event in
                reasons.withLock { $0.append("\(event)") }
            }
            guard let found = await layer.opened() else {
                let reason = reasons.withLock { $0.first } ?? "the archive cannot be opened"
                return Examined(finding: .fault(subject, reason, Self.advice(source)))
            }
            let zooms = found.zooms.map { ", zooms \($0.lowerBound) to \($0.upperBound)" } ?? ""
            let size = file.version?.length.map { ", \(Measure.bytes($0))" } ?? ""
            return Examined(finding: .ok(subject, "the archive can be read\(zooms)\(size)"))
        } catch {
            return Examined(finding: .fault(subject, "\(error)", "\(subject): correct what the error names"))
        }
    }

    private static func advice(_ source: PMTilesSource) -> String {
        source.location.lowercased().hasPrefix("s3:")
            ? "check pmtiles, endpoint, region, and the access key with its secret"
            : "check the URL in pmtiles, and that its server supports ranges"
    }
}

extension SourceEvent {
    /// The event as a sentence without a URL.
    fileprivate var sentence: String {
        switch self {
        case .failure(let failure): "\(failure)"
        case .status(let code, _), .absent(let code): "the server answers with status \(code)"
        default: name
        }
    }
}

extension LayerSettings {
    /// A tile that the layer should have: at the lowest zoom, in the middle of its bounds.
    var sampleTile: TileCoordinate? {
        guard let bounds else {
            return Coordinate(validating: 0, longitude: 0).flatMap { TileCoordinate(containing: $0, z: minZoom) }
        }
        let east = bounds.east + (bounds.east < bounds.west ? 360 : 0)
        let middle = Coordinate(validating: (bounds.south + bounds.north) / 2, longitude: (bounds.west + east) / 2)
        return middle.flatMap { TileCoordinate(containing: $0, z: minZoom) }
    }
}

import Bytes
import Configuration
import HTTPClient
import MapGeometry
import TileSources
import Tiles

/// Decides whether a source works, from its answer to one request. Pure.
struct SourceVerdict {
    private let settings: LayerSettings
    private let coordinate: TileCoordinate
    private let seen: SourceExamination

    /// Warns if a certificate ends within this number of days. Certificates that are renewed automatically usually have
    /// more days left.
    static let daysOfWarning = 14

    init(_ settings: LayerSettings, at coordinate: TileCoordinate, _ seen: SourceExamination) {
        (self.settings, self.coordinate, self.seen) = (settings, coordinate, seen)
    }

    /// Seconds by which this machine's clock is ahead of the source's clock. Nil if the source does not send its time.
    var clockOffset: Int? {
        seen.date.flatMap { HTTPDate.parse($0.utf8, now: seen.time) }.map { seen.time - $0 }
    }

    var finding: Finding {
        var finding = judged
        finding.figures = figures
        return finding
    }

    private var subject: String { "layers.\(settings.id)" }

    /// The requested URL, or the coordinate if there is no URL. Without control characters, which a template may
    /// contain.
    private var place: String { shown(seen.url ?? "\(coordinate)") }

    private var judged: Finding {
        switch seen.answer {
        case .result(.tile(let tile), let terms): return judged(tile, terms)
        case .result(.noTile, _):
            guard let status = seen.status else {
                return .warning(
                    subject, "\(place): the source has no URL for \(coordinate)",
                    "\(subject).url: see which tiles it leaves out")
            }
            return .warning(
                subject, "\(place): no tile (\(status))\(transport)",
                "\(subject).minZoom, bounds: set the area with tiles, unless only this tile is missing")
        case .result(.unavailable(let reason), _):
            return .fault(subject, "\(place): \(trouble(reason))", advice(reason))
        case .notModified:
            return .fault(subject, "\(place): 304 to a request without conditions\(transport)", mendSource)
        }
    }

    private func judged(_ tile: Tile, _ terms: SourceTerms) -> Finding {
        let text =
            "\(place): \(tile.width) × \(tile.height) \(tile.format), \(Measure.bytes(tile.bytes.count))\(transport)"
        if let left = daysLeft, left < Self.daysOfWarning {
            return .warning(
                subject, "\(text); its certificate ends in \(left) day\(left == 1 ? "" : "s")",
                "ask the operator of the upstream to renew the certificate")
        }
        if tile.width != settings.tileSize {
            return .warning(
                subject, "\(text); tileSize is \(settings.tileSize)", "\(subject).tileSize: \(tile.width)")
        }
        if terms.lifetime == .notStored, !settings.overrideTTL {
            return .warning(
                subject, "\(text); the source forbids caching, so each request asks the source again",
                "\(subject).overrideTTL: true, if the owner of the source agrees")
        }
        let limit = settings.timeout.inSeconds / 2
        if let total = seen.trace?.total, total > limit {
            return .warning(
                subject,
                "\(text); that is more than half of its timeout (\(Measure.seconds(settings.timeout.inSeconds)))",
                "\(subject).timeout: a longer time, or a source that is closer")
        }
        return .ok(subject, text)
    }

    // MARK: How it went

    /// TLS version, certificate, times, address and redirects of the request. Empty if no request was sent.
    private var transport: String {
        guard let trace = seen.trace else { return "" }
        var parts: [String] = []
        if let version = trace.tlsVersion {
            parts.append(shown(version) + (daysLeft.map { ", certificate valid for \($0) days" } ?? ""))
        }
        if let connected = trace.secured ?? trace.connected {
            parts.append("connected in \(Measure.seconds(connected))")
        }
        if let first = trace.firstByte { parts.append("first byte after \(Measure.seconds(first))") }
        parts.append("complete after \(Measure.seconds(trace.total))")
        if let address = trace.address { parts.append("from \(address)") }
        if trace.redirects > 0 { parts.append("\(trace.redirects) redirect\(trace.redirects == 1 ? "" : "s")") }
        return "; " + parts.joined(separator: ", ")
    }

    private var daysLeft: Int? {
        seen.trace?.certificateEnd.map { ($0 - seen.time) / 86_400 }
    }

    private var figures: [String: Finding.Figure] {
        let trace = seen.trace
        let numbers: [(String, Double?)] = [
            ("status", seen.status.map(Double.init)), ("bytes", seen.bytes.map(Double.init)),
            ("resolvedSeconds", trace?.resolved), ("connectedSeconds", trace?.connected),
            ("securedSeconds", trace?.secured), ("firstByteSeconds", trace?.firstByte), ("totalSeconds", trace?.total),
            ("certificateDays", daysLeft.map(Double.init)), ("redirects", trace.map { Double($0.redirects) }),
        ]
        let texts: [(String, String?)] = [
            ("url", seen.url), ("type", seen.contentType), ("address", trace?.address), ("tls", trace?.tlsVersion),
        ]
        let all =
            numbers.map { ($0, $1.map(Finding.Figure.number)) } + texts.map { ($0, $1.map { .text(shown($0)) }) }
        return Dictionary(uniqueKeysWithValues: all.compactMap { name, figure in figure.map { (name, $0) } })
    }

    // MARK: What is wrong

    private func trouble(_ reason: Unavailability) -> String {
        if let failure = seen.failure {
            let tls = seen.trace?.tlsTrouble.map { ": \(shown($0))" } ?? ""
            return "\(failure)\(tls)\(seen.trace?.address.map { "; asked \($0)" } ?? "")"
        }
        let type = seen.contentType.map { " (\(shown($0)))" } ?? ""
        switch reason {
        case .upstreamStatus(let status, _): return "the source answers \(status)\(transport)"
        case .notAnImage: return "the source sent no image that can be served\(type)\(transport)"
        case .placeholder: return "the image is listed in rejectSHA256\(transport)"
        case .upstreamDown: return "not asked: other requests to its host failed, or the host asked to wait"
        case .overloaded: return "not asked: too many requests wait for its host"
        case .timeout, .unreachable, .backingOff, .offline, .corrupt, .tooComplex, .failed: return "\(reason)"
        }
    }

    private var mendSource: String { "\(subject).url: correct it, or check its server" }

    private func advice(_ reason: Unavailability) -> String {
        switch seen.failure {
        case .connect(.unresolved): return "\(subject).url: correct the host name, or check this machine's DNS"
        case .connect(.failed): return "\(subject).url: correct the host and port, or start the server there"
        case .tls:
            return "\(subject).caFile: set it if the source has its own certificate authority; otherwise check the "
                + "certificate"
        case .denied: return "\(subject).allowPrivate: true, if the source is on a private network"
        case .timeout: return "\(subject).timeout: a longer time, or check why the source is slow"
        case .tooLarge, .redirect, .badHead, .noMemory, .short, .badEncoding, .range, .badURL, .other: return mendSource
        case nil: break
        }
        switch seen.status {
        case 401, 403:
            return "\(subject).url, headers, userAgent or referer: send the key or the names that the source expects"
        case 429: return "\(subject).maxConcurrent: a lower number, or ask the source's owner for a higher limit"
        case .some(500...): return "check the source's server"
        case _ where reason == .placeholder:
            return "\(subject).rejectSHA256: correct it, or send the API key that the source expects"
        default: return mendSource
        }
    }

    private func shown(_ text: String) -> String { text.shown(atMost: 512) }
}

extension String {
    /// Returns the first `most` scalars without control characters, as one readable line.
    package func shown(atMost most: Int = .max) -> String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.prefix(most).filter { $0.properties.generalCategory != .control }))
    }
}

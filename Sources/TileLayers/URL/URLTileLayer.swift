import Foundation
import HTTPClient
import MapGeometry
import Reactor
import Synchronization

/// Tiles from an upstream server: the server side of `GMSURLTileLayer`.
///
/// An image passes through with its bytes untouched. 204, 404, 410 and an empty 200 are "no tile"; everything else that
/// is not an image is unavailable (model.md 4.3). Zooms and bounds are the caller's: it asks only within them.
///
/// Thread rule: any thread.
public struct URLTileLayer: RevalidatingTileLayer {
    /// Pixels per point the layer can be asked for: 1…4 if its URL depends on the scale, else 1.
    public let scales: ClosedRange<Int>

    private let client: HTTPClient
    private let profile: UpstreamProfile
    private let report: @Sendable (TileCoordinate, SourceEvent) -> Void
    private let gate: ConcurrencyGate
    private let pause = UpstreamPause()
    private let url: @Sendable (TileCoordinate, Int) -> String?

    /// How a layer asks its upstream. The defaults are those of threats.md 2.
    public struct Options: Sendable {
        /// Sent as `User-Agent`; nil sends none.
        public var userAgent: String?
        /// Sent as `Referer`.
        public var referer: String?
        /// Sent with every request, in order, but not to another origin that a redirect leads to.
        public var headers: [(name: String, value: String)] = []
        /// The longest that a request may take, in seconds, redirects included. Waiting for a place comes before it.
        public var timeout = 10.0
        /// Requests under way at once.
        public var maxConcurrent = 16
        /// Requests that wait for a place; one more is `.overloaded` at once.
        public var maxWaiting = 256
        /// The longest that a request waits for a place, in seconds; then it is `.overloaded`.
        public var patience = 5.0
        /// The most that a response may bring.
        public var limits = UpstreamLimits()
        /// Whether a redirect may lead to an address that is not public.
        public var allowPrivate = false
        /// A PEM file of the certificate authorities to trust instead of the system's.
        public var certificateAuthorities: String?
        /// Hears why a tile was not an image; called on any thread, must not block.
        public var report: @Sendable (TileCoordinate, SourceEvent) -> Void = { _, _ in }

        public init() {}
    }

    /// A layer whose URLs come from `template`, which is http or https. Throws for header fields that cannot be sent.
    public init(
        template: URLTemplate, client: HTTPClient, options: Options = Options()
    ) throws(UpstreamProfile.InvalidHeader) {
        precondition(template.scheme != .file, "a file template wants a FileTileLayer")
        try self.init(client: client, options: options, scales: template.scales) { template.url(at: $0, scale: $1) }
    }

    /// A layer whose URLs come from `urlConstructor`, called with x, y and zoom from any thread: the SDK's
    /// `tileLayerWithURLConstructor:`. Nil means that there is no tile, and the upstream is not asked. A URL that is
    /// neither http nor https is unavailable.
    public init(
        client: HTTPClient, options: Options = Options(), urlConstructor: @escaping @Sendable (Int, Int, Int) -> URL?
    ) throws(UpstreamProfile.InvalidHeader) {
        try self.init(client: client, options: options, scales: 1...1) { tile, _ in
            urlConstructor(Int(tile.x), Int(tile.y), Int(tile.z))?.absoluteString
        }
    }

    private init(
        client: HTTPClient, options: Options, scales: ClosedRange<Int>,
        url: @escaping @Sendable (TileCoordinate, Int) -> String?
    ) throws(UpstreamProfile.InvalidHeader) {
        var timeouts = UpstreamTimeouts()
        timeouts.total = options.timeout
        timeouts.connect = min(timeouts.connect, options.timeout)
        let referer = options.referer.map { [(name: "Referer", value: $0)] } ?? []
        profile = try UpstreamProfile(
            headers: referer + options.headers, userAgent: options.userAgent, timeouts: timeouts,
            limits: options.limits, allowPrivate: options.allowPrivate,
            certificateAuthorities: options.certificateAuthorities)
        gate = ConcurrencyGate(
            width: options.maxConcurrent, depth: options.maxWaiting, patience: options.patience)
        report = options.report
        self.client = client
        self.scales = scales
        self.url = url
    }

    public func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        guard scales.contains(scale), let url = url(coordinate, scale) else { return .result(.noTile, SourceTerms()) }
        if let seconds = pause.secondsLeft() { return paused(coordinate, seconds) }
        guard await gate.enter() else {
            report(coordinate, .overloaded)
            return .result(.unavailable(.overloaded), SourceTerms())
        }
        defer { gate.leave() }
        // The upstream may have asked for a pause while this request waited for its place.
        if let seconds = pause.secondsLeft() { return paused(coordinate, seconds) }
        let began = MonotonicTime.now()
        let response = await client.fetch(
            UpstreamRequest(
                url: url, profile: profile, etag: validators?.etag, lastModified: validators?.lastModified))
        let delay = Int(MonotonicTime.now().seconds(since: began))
        let answer = UpstreamAnswer(response, .init(now: time(nil), delay: delay, held: validators))
        if let seconds = answer.pause { pause.begin(seconds: seconds) }
        if let event = answer.event { report(coordinate, event) }
        return answer.answer
    }

    private func paused(_ coordinate: TileCoordinate, _ seconds: Int) -> SourceAnswer {
        report(coordinate, .paused(seconds: seconds))
        return .result(.unavailable(.upstreamStatus(429, retryAfter: seconds)), SourceTerms())
    }
}

/// A time in which an upstream wants no request (threats.md T34). A class to share one number.
private final class UpstreamPause: Sendable {
    private let end = Atomic(0)

    func begin(seconds: Int) {
        end.store(MonotonicTime.now().adding(seconds: Double(seconds)).nanoseconds, ordering: .relaxed)
    }

    /// Nil outside a pause; else at least 1.
    func secondsLeft() -> Int? {
        let end = MonotonicTime(nanoseconds: end.load(ordering: .relaxed))
        // Most layers are never paused: no clock is read for them.
        guard end != .zero else { return nil }
        let seconds = end.seconds(since: .now())
        return seconds > 0 ? Int(seconds.rounded(.up)) : nil
    }
}

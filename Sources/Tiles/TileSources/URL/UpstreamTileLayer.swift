import Foundation
import HTTPClient
import MapGeometry
import Raster
import Runtime
import Tiles

/// A layer that gets its tiles from an upstream server. This is the server side of `GMSURLTileLayer`.
///
/// The image of a 200 is passed on without changes. The statuses 204, 404 and 410 and an empty 200 mean "no tile". A
/// 304 confirms the cached answer. Any other response means that the tile is unavailable (docs/spec/model.md 4.3). The
/// layer does not check zooms and bounds, because its caller requests only tiles within them.
///
/// This is a class, so that callbacks of a request hold one reference instead of a copy. Thread rule: any thread.
package final class UpstreamTileLayer: TileLayer {
    /// The scales of the layer in pixels per point: 1…4 if its URL depends on the scale, otherwise only 1.
    package let scales: ClosedRange<Int>

    let client: HTTPClient
    let profiles: ProfileFollowingFiles
    private let report: @Sendable (TileCoordinate, SourceEvent) -> Void
    let membership: UpstreamHosts.Membership
    let rejected: RejectedImages
    private let redaction: Redaction
    let url: @Sendable (TileCoordinate, Int) -> String?
    /// Returns the URL with the layer's own values hidden.
    private let masked: @Sendable (TileCoordinate, Int) -> String?

    /// The options for requests to the upstream. The defaults are those of docs/spec/threats.md 2.
    package struct Options: Sendable {
        /// The `User-Agent` field. Nil: none is sent.
        package var userAgent: String?
        /// The `Referer` field. Nil: none is sent.
        package var referer: String?
        /// Header fields of each request, in order. The fields are not sent to another origin after a redirect.
        package var headers: [(name: String, value: String)] = []
        /// Maximum duration of a request in seconds, including redirects. The wait for a slot is not included.
        package var timeout = 10.0
        /// Maximum number of concurrent requests. The smallest number of all layers that share a host applies.
        package var maxConcurrent = 16
        /// The hosts that the layer shares with other layers. By default it shares none.
        package var hosts = UpstreamHosts()
        /// SHA-256 hashes of images that mean "not available", with 64 hexadecimal digits each. A cached image with
        /// such a hash is refused when it is revalidated. To remove it at once, clear the layer after adding the hash.
        package var rejectSHA256: [String] = []
        /// The size limits of a response.
        package var limits = UpstreamLimits()
        /// True if redirects, and names that were public before, may lead to addresses that are not public.
        package var allowPrivate = false
        /// The TLS authorities and the client certificate. Requests start checks for changed files, at most one every
        /// ten seconds.
        package var tls = TLSFiles()
        /// Called if such a file has changed and is now invalid. Runs on any thread and must not block.
        package var reportTLS: @Sendable (any Error) -> Void = { _ in }
        /// Called with events, mostly the reason why there is no image. Runs on any thread and must not block.
        package var report: @Sendable (TileCoordinate, SourceEvent) -> Void = { _, _ in }

        /// Makes the default options.
        package init() {}
    }

    /// Makes a layer with URLs from `template`, which must be http or https. Throws `CertificateFileError` for an
    /// invalid file, and `UpstreamProfile.InvalidHeaderError` for invalid header fields.
    package convenience init(
        template: URLTemplate, client: HTTPClient, options: Options = Options()
    ) throws {
        precondition(template.scheme != .file, "a file template wants a FileTileLayer")
        let membership = options.hosts.membership(of: template, width: options.maxConcurrent)
        try self.init(
            client: client, options: options, membership: membership, scales: template.scales,
            values: template.ownValues, masked: { template.maskedURL(at: $0, scale: $1) }
        ) { template.url(at: $0, scale: $1) }
    }

    /// Makes a layer with URLs from `urlConstructor`, like the SDK's `tileLayerWithURLConstructor:`. The function is
    /// called with x, y and zoom on any thread. If the function returns nil, there is no tile and the upstream is not
    /// asked. A URL that is neither http nor https gives an unavailable tile. The layer shares no hosts, and has one
    /// circuit breaker for all its URLs. Throws like the other initializer.
    package convenience init(
        client: HTTPClient, options: Options = Options(), urlConstructor: @escaping @Sendable (Int, Int, Int) -> URL?
    ) throws {
        let membership = options.hosts.membership(named: "constructor", width: options.maxConcurrent)
        try self.init(client: client, options: options, membership: membership, scales: 1...1) { tile, _ in
            urlConstructor(tile.x, tile.y, tile.z)?.absoluteString
        }
    }

    private init(
        client: HTTPClient, options: Options, membership: UpstreamHosts.Membership, scales: ClosedRange<Int>,
        values: [String] = [], masked: (@Sendable (TileCoordinate, Int) -> String?)? = nil,
        url: @escaping @Sendable (TileCoordinate, Int) -> String?
    ) throws {
        var timeouts = UpstreamTimeouts()
        timeouts.total = options.timeout
        timeouts.connect = min(timeouts.connect, options.timeout)
        let referer = options.referer.map { [(name: "Referer", value: $0)] } ?? []
        let scope = membership.host.scope
        profiles = try ProfileFollowingFiles(options.tls, onError: options.reportTLS) { [timeouts] tls in
            try UpstreamProfile(
                headers: referer + options.headers, userAgent: options.userAgent, timeouts: timeouts,
                limits: options.limits, allowPrivate: options.allowPrivate, scope: scope, tls: tls)
        }
        redaction = Redaction(values: values, headers: options.headers)
        rejected = RejectedImages(options.rejectSHA256)
        report = options.report
        self.client = client
        self.membership = membership
        self.scales = scales
        self.url = url
        self.masked = masked ?? url
    }

    /// Returns the URL of a tile with secrets hidden, for people. Nil if there is no tile.
    package func displayedURL(at coordinate: TileCoordinate, scale: Int) -> String? {
        scales.contains(scale) ? masked(coordinate, scale).map(redaction.redacted) : nil
    }

    /// The present state of the layer's host.
    package var upstreamStatus: UpstreamStatus { membership.host.status(now: .now()) }

    /// Reports whether the tile may be served. Returns false for an image whose hash is in `Options.rejectSHA256`. The
    /// hash is computed only if that list is not empty.
    package func accepts(_ tile: Tile) -> Bool { !rejected.contain(tile.bytes) }

    /// The function `requestAnswer` while the upstream has a free slot, otherwise nil.
    package var callback: Callback? { membership.host.hasFreeSlot ? requestAnswer : nil }

    /// Requests the tile from the upstream. Returns no tile if the layer does not have the scale, or if there is no URL
    /// for the tile. If the task is cancelled while it waits for a slot, the tile is unavailable.
    package func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        guard scales.contains(scale), let url = url(coordinate, scale) else { return .result(.noTile, SourceTerms()) }
        let trace = TraceContext.current
        switch await membership.host.enter(now: .now()) {
        case .refused(let refusal): return refused(refusal, coordinate)
        case .inside(let ticket, let began):
            return await withUnsafeContinuation { continuation in
                let question = Question(
                    url: url, coordinate: coordinate, trace: trace, ticket: ticket, began: began)
                ask(question, validators) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }

    /// Requests the tile, and calls `receive` with the answer. In contrast to `answer`, a request that waits for a slot
    /// cannot be cancelled.
    private func requestAnswer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?,
        _ receive: @escaping @Sendable (SourceAnswer) -> Void
    ) {
        guard scales.contains(scale), let url = url(coordinate, scale) else {
            return receive(.result(.noTile, SourceTerms()))
        }
        // Read the trace now: `enter` may call back on the thread of another request, which has another trace.
        let trace = TraceContext.current
        membership.host.enter(now: .now()) { [self] entry in
            switch entry {
            case .refused(let refusal): receive(refused(refusal, coordinate))
            case .inside(let ticket, let began):
                let question = Question(
                    url: url, coordinate: coordinate, trace: trace, ticket: ticket, began: began)
                ask(question, validators, receive)
            }
        }
    }

    /// One request for the upstream, which has a slot of the host.
    private struct Question {
        let url: String
        let coordinate: TileCoordinate
        /// The trace of the request that came first.
        let trace: TraceContext?
        let ticket: CircuitBreaker.Ticket
        let began: MonotonicTime
    }

    /// Sends a request that already has a slot, and frees the slot at the end. The timeout counts from the time when
    /// the slot was given. If a 304 response confirms another version than the cached one, sends a second request
    /// without conditions.
    private func ask(
        _ question: Question, _ held: Validators?, _ receive: @escaping @Sendable (SourceAnswer) -> Void
    ) {
        let sent = MonotonicTime.now()
        let request = UpstreamRequest(
            url: question.url, profile: profiles.profile(now: sent), etag: held?.etag,
            lastModified: held?.lastModified, fields: question.trace?.fields ?? [], began: question.began)
        client.fetch(request) { [self] response in
            let now = MonotonicTime.now()
            if case .success(let response) = response, response.wasRetried { report(question.coordinate, .retried) }
            let answer = UpstreamAnswer(
                response,
                UpstreamAnswer.Context(
                    now: time(nil), delay: Int(now.seconds(since: sent)), held: held, rejected: rejected))
            // This happens at most once: a 304 to a request without conditions is only an unexpected status.
            if answer.isOfAnotherVersion { return ask(question, nil, receive) }
            // The tile matters only after an error or a failure.
            let tile = answer.verdict == .answered ? 0 : question.url.hashValue
            var departure = UpstreamHost.Departure(
                ticket: question.ticket, verdict: answer.verdict, tile: tile, pause: answer.pause,
                outcome: UpstreamOutcome(answer.answer), began: question.began)
            if departure.outcome == .tile || departure.outcome == .notModified {
                (departure.source, departure.url) = (self, question.url)
            }
            membership.host.leave(departure, now: now)
            if let event = answer.event { report(question.coordinate, event) }
            receive(answer.answer)
        }
    }

    private func refused(_ refusal: UpstreamHost.Refusal, _ coordinate: TileCoordinate) -> SourceAnswer {
        let (event, reason): (SourceEvent, Unavailability)
        var terms = SourceTerms()
        switch refusal {
        // Usually no client waits for the tile any more. If one does, the loader asks again.
        case .abandoned: return .result(.unavailable(.overloaded), SourceTerms())
        case .overloaded(let seconds):
            terms.retryAfter = seconds
            membership.host.note(.overloaded)
            (event, reason) = (.overloaded, .overloaded)
        case .paused(let seconds):
            membership.host.note(.paused)
            (event, reason) = (.paused(seconds: seconds), .upstreamDown(retryAfter: seconds))
        case .down(let seconds):
            membership.host.note(.open)
            (event, reason) = (.down(seconds: seconds), .upstreamDown(retryAfter: seconds))
        }
        report(coordinate, event)
        return .result(.unavailable(reason), terms)
    }
}

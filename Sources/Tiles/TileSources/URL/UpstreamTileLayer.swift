import Foundation
import HTTPClient
import MapGeometry
import Raster
import Runtime
import Tiles

/// Tiles from an upstream server: the server side of `GMSURLTileLayer`.
///
/// An image passes through with its bytes untouched. 204, 404, 410 and an empty 200 are "no tile"; everything else that
/// is not an image is unavailable (docs/spec/model.md 4.3). Zooms and bounds are the caller's: it asks only within them.
///
/// A class, so that the callbacks of a request under way hold one reference and not a copy of all this. Thread rule: any
/// thread.
package final class UpstreamTileLayer: TileLayer {
    /// Pixels per point the layer can be asked for: 1…4 if its URL depends on the scale, else 1.
    package let scales: ClosedRange<Int>

    let client: HTTPClient
    let profiles: ProfileFollowingFiles
    private let report: @Sendable (TileCoordinate, SourceEvent) -> Void
    let membership: UpstreamHosts.Membership
    let rejected: RejectedImages
    private let redaction: Redaction
    let url: @Sendable (TileCoordinate, Int) -> String?
    /// The same for people.
    private let masked: @Sendable (TileCoordinate, Int) -> String?

    /// How a layer asks its upstream. The defaults are those of docs/spec/threats.md 2.
    package struct Options: Sendable {
        /// Sent as `User-Agent`; nil sends none.
        package var userAgent: String?
        /// Sent as `Referer`.
        package var referer: String?
        /// Sent with every request, in order, but not to another origin that a redirect leads to.
        package var headers: [(name: String, value: String)] = []
        /// The longest that a request may take, in seconds, redirects included. Waiting for a slot comes before it.
        package var timeout = 10.0
        /// Requests under way at once; of layers that share a host, the smallest counts for all.
        package var maxConcurrent = 16
        /// The hosts that the layer shares with others; by itself it shares none.
        package var hosts = UpstreamHosts()
        /// Images that stand for "not available", by their SHA-256: 64 hexadecimal digits each. One that a cache holds
        /// since before it was listed is refused when it is next asked about; to be rid of it at once, clear the layer
        /// afterwards.
        package var rejectSHA256: [String] = []
        /// The most that a response may bring.
        package var limits = UpstreamLimits()
        /// Whether redirects, and a name that was public before, may lead to an address that is not public.
        package var allowPrivate = false
        /// The authorities to trust over TLS, and the client certificate. A file that changes is read again within ten
        /// seconds.
        package var tls = TLSFiles()
        /// Called where such a file has changed and is wrong now; on any thread, must not block.
        package var reportTLS: @Sendable (any Error) -> Void = { _ in }
        /// Called with the reason why a tile was not an image; on any thread, must not block.
        package var report: @Sendable (TileCoordinate, SourceEvent) -> Void = { _, _ in }

        /// The defaults.
        package init() {}
    }

    /// A layer whose URLs come from `template`, which is http or https. Throws `TLSFileError` for a file that is wrong, and
    /// `UpstreamProfile.InvalidHeaderError` for header fields that cannot be sent.
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

    /// A layer whose URLs come from `urlConstructor`, called with x, y and zoom from any thread: the SDK's
    /// `tileLayerWithURLConstructor:`. Nil means that there is no tile, and the upstream is not asked. A URL that is
    /// neither http nor https is unavailable. The layer shares its hosts with no other, and has one breaker for all its
    /// URLs. Throws as the other one.
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

    /// What the upstream is asked for, with secrets hidden: for people. Nil where there is no tile.
    package func displayedURL(at coordinate: TileCoordinate, scale: Int) -> String? {
        scales.contains(scale) ? masked(coordinate, scale).map(redaction.redacted) : nil
    }

    /// What is known of the layer's host now.
    package var upstreamStatus: UpstreamStatus { membership.host.status(now: .now()) }

    /// False for an image that is listed in `Options.rejectSHA256`. Hashes the tile where any are.
    package func accepts(_ tile: Tile) -> Bool { !rejected.contain(tile.bytes) }

    /// `requestAnswer`, as long as the upstream has a free slot.
    package var callback: Callback? { membership.host.hasFreeSlot ? requestAnswer : nil }

    /// Asks the upstream once; no tile at a scale that the layer does not have, and where the URL is nil. A task that is
    /// cancelled while it waits for a slot gives up: unavailable.
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

    /// The same by a callback. Who waits for a slot stays in the queue.
    private func requestAnswer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?,
        _ receive: @escaping @Sendable (SourceAnswer) -> Void
    ) {
        guard scales.contains(scale), let url = url(coordinate, scale) else {
            return receive(.result(.noTile, SourceTerms()))
        }
        // Whoever leaves the host lets the next one in, in whose name this must not be sent.
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

    /// What the upstream is asked, once it is inside its host.
    private struct Question {
        let url: String
        let coordinate: TileCoordinate
        /// That of the request which asked first.
        let trace: TraceContext?
        let ticket: CircuitBreaker.Ticket
        let began: MonotonicTime
    }

    /// Sends a request, for which there is time until the timeout has passed since the question began, and another one where
    /// its answer is about another version than is held. Leaves the host then.
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
            // Once: without conditions, no 304 is about anything.
            if answer.isOfAnotherVersion { return ask(question, nil, receive) }
            // Which tile it was matters only where it failed.
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
        // Nobody waits for it, or the loader asks again for who does.
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

import Bytes
import Dispatch
import Glibc
import HTTPClient
import Runtime
import Synchronization
import Tiles

/// Reads ranges of bytes from a file on an HTTP server. All requests respect the limits and the circuit breaker of the
/// server's host.
///
/// The first response with bytes decides which version of the file is read. If a later response comes from another
/// version, its bytes are not used.
///
/// This is a class because it owns the connection to the host. Thread rule: any task may call these functions. `bytes`
/// suspends its caller and blocks no thread.
package final class RemoteFile: Sendable {
    /// The version of a file, as the server states it: the entity tag, the time of the last change and the length (RFC
    /// 9110 8.8). A fact that the server does not send is nil.
    package struct Version: Sendable, Hashable {
        package var etag: String?
        package var lastModified: String?
        /// Length of the file in bytes. Nil if the server does not send the length.
        package var length: Int?

        /// Header fields of a request that make the server refuse to send bytes of another version: `If-Match` with the
        /// entity tag, or else `If-Unmodified-Since` (RFC 9110 13.1.1, 13.1.4). A weak entity tag is left out, because
        /// `If-Match` never matches a weak tag.
        var conditions: [(name: String, value: String)] {
            if let etag, etag.hasPrefix("\"") { return [("If-Match", etag)] }
            return lastModified.map { [("If-Unmodified-Since", $0)] } ?? []
        }

        /// Reports whether this version and `other` can be the same version. Compares only the facts (entity tag, time
        /// of the last change, length) that both versions have.
        func agrees(with other: Version) -> Bool {
            func agree<Fact: Equatable>(_ first: Fact?, _ second: Fact?) -> Bool {
                first == nil || second == nil || first == second
            }
            return agree(etag, other.etag) && agree(lastModified, other.lastModified) && agree(length, other.length)
        }
    }

    /// The result of reading a range.
    package enum Outcome: Sendable {
        /// The bytes of the range. If the range reaches beyond the end of the file, there are fewer bytes than
        /// requested.
        case bytes(SharedBytes)
        /// The server now has another version of the file than at the first response, so its bytes are not used.
        case changed
        case unavailable(Unavailability, SourceEvent?, retryAfter: Int? = nil)
    }

    /// A function that returns the header fields that authorise a request. `time` is the time of the request in seconds
    /// since 1970.
    package typealias Authorization = @Sendable (_ time: Int) -> [(name: String, value: String)]

    private let url: String
    private let client: HTTPClient
    private let membership: UpstreamHosts.Membership
    private let profiles: ProfileFollowingFiles
    private let authorization: Authorization?
    private let keepsDots: Bool
    private let memory: MemoryBudget?
    private let state = Mutex(State())
    /// The callers of `bytes`.
    let waiters = Waiters<Outcome>()
    private let longestWait: Double

    private struct State {
        var version: Version?
        var batches = RangeBatches<Waiters<Outcome>.ID>()
    }

    /// Seconds between the first waiting range and its fetch. Other ranges can join the fetch during this time, which
    /// is short compared with the duration of a request.
    private static let joiningTime = 0.002

    /// Makes a reader of the file at `url`, but opens no connection. `options` are the options of a URL layer, of which
    /// `referer`, `rejectSHA256` and `report` have no effect. `authorization` returns header fields for each request.
    /// `keepsDots` is true for an object in an S3 store, whose key may contain `..`. If a fetch serves several ranges,
    /// `memory` counts each range of more than 64 KiB. Throws `CertificateFileError` for an invalid certificate file,
    /// and `UpstreamProfile.InvalidHeaderError` for invalid header fields.
    package init(
        url: String, client: HTTPClient, options: UpstreamTileLayer.Options, authorization: Authorization? = nil,
        keepsDots: Bool = false, memory: MemoryBudget? = nil
    ) throws {
        self.url = url
        self.client = client
        (self.authorization, self.keepsDots, self.memory) = (authorization, keepsDots, memory)
        membership = options.hosts.membership(ofURL: url, width: options.maxConcurrent)
        let scope = membership.host.scope
        var timeouts = UpstreamTimeouts()
        timeouts.total = options.timeout
        timeouts.connect = min(timeouts.connect, options.timeout)
        longestWait = options.timeout + options.hosts.rules.queueTimeout + 1
        profiles = try ProfileFollowingFiles(options.tls, onError: options.reportTLS) { [timeouts] tls in
            try UpstreamProfile(
                headers: options.headers, userAgent: options.userAgent, timeouts: timeouts, limits: options.limits,
                allowPrivate: options.allowPrivate, scope: scope, tls: tls)
        }
    }

    /// The version of the file that this object reads. Nil before the first response with bytes.
    package var version: Version? { state.withLock { $0.version } }

    /// Reads `range`. If several calls request ranges within two milliseconds, one HTTP request fetches the ranges that
    /// lie at most 16 KiB apart, up to 1 MiB.
    package func bytes(_ range: ByteRange) async -> Outcome {
        let id = waiters.begin()
        if state.withLock({ $0.batches.add(range, for: id) }) {
            let trace = TraceContext.current
            Self.joining.asyncAfter(deadline: .now() + Self.joiningTime) { [weak self] in self?.send(trace) }
        }
        return await waiters.wait(.waits(id), until: MonotonicTime.now().adding(seconds: longestWait)) { _, reason in
            // The fetch goes on for other callers.
            .unavailable(reason == .late ? .timeout : .overloaded, nil)
        }
    }

    private static let joining = DispatchQueue(label: "ranges")

    private func send(_ trace: TraceContext?) {
        let (batches, version) = state.withLock { ($0.batches.take(), $0.version) }
        for (number, range) in batches { ask(for: range, number: number, version, trace) }
    }

    private func ask(for range: ByteRange, number: Int, _ version: Version?, _ trace: TraceContext?) {
        membership.host.enter(now: .now()) { [self] entry in
            switch entry {
            case .refused(let refusal): end(number, range, refused(refusal))
            case .inside(let ticket, let began):
                var request = UpstreamRequest(
                    url: url, profile: profiles.profile(now: began),
                    fields: (version?.conditions ?? []) + (authorization?(time(nil)) ?? [])
                        + (trace?.fields ?? []), began: began)
                (request.range, request.keepsDots) = (range, keepsDots)
                client.fetch(request) { [self] response in
                    let answer = answer(to: response, version)
                    membership.host.leave(answer.departure(ticket, url: url, began: began), now: .now())
                    end(number, range, answer.outcome)
                }
            }
        }
    }

    /// Ends the fetch of `range` with this `number`. Gives each caller of the fetch its part of the fetched bytes, or
    /// the failure in `outcome`.
    private func end(_ number: Int, _ range: ByteRange, _ outcome: Outcome) {
        for (id, wish) in state.withLock({ $0.batches.end(number) }) {
            guard case .bytes(let bytes) = outcome, wish != range else {
                waiters.end(id, with: outcome)
                continue
            }
            let start = wish.first - range.first
            let part = bytes.part(start..<start + wish.count)
            if part.count > HeldBytes.uncounted, let memory { part.keep(memory.holding(part.count)) }
            waiters.end(id, with: .bytes(part))
        }
    }

    private func refused(_ refusal: UpstreamHost.Refusal) -> Outcome {
        switch refusal {
        case .abandoned: return .unavailable(.overloaded, nil)
        case .overloaded(let seconds):
            membership.host.note(.overloaded)
            return .unavailable(.overloaded, .overloaded, retryAfter: seconds)
        case .paused(let seconds):
            membership.host.note(.paused)
            return .unavailable(.upstreamDown(retryAfter: seconds), .paused(seconds: seconds))
        case .down(let seconds):
            membership.host.note(.open)
            return .unavailable(.upstreamDown(retryAfter: seconds), .down(seconds: seconds))
        }
    }

    // MARK: Responses

    /// The result of an HTTP request: `outcome` for the callers, and three facts for the host. `verdict` is for the
    /// circuit breaker, `pause` is the number of seconds without requests, and the metrics count `count`.
    private struct Answer {
        let outcome: Outcome
        var verdict = CircuitBreaker.Verdict.answered
        var pause: Int?
        var count: UpstreamOutcome?

        func departure(_ ticket: CircuitBreaker.Ticket, url: String, began: MonotonicTime) -> UpstreamHost.Departure {
            UpstreamHost.Departure(
                ticket: ticket, verdict: verdict, tile: verdict == .answered ? 0 : url.hashValue, pause: pause,
                outcome: count, began: began)
        }
    }

    private func answer(to response: Result<UpstreamResponse, UpstreamError>, _ version: Version?) -> Answer {
        guard case .success(let response) = response, ![404, 410].contains(response.status) else {
            return failure(response)
        }
        switch response.status {
        case 206: return Answer(outcome: part(response), count: .tile)
        case 412: return Answer(outcome: .changed, count: .status)
        // The file is shorter than its directory says.
        case 416 where version != nil: return Answer(outcome: .changed, count: .status)
        default: return failure(.success(response))
        }
    }

    /// Returns the bytes of a response with status 206. The first such response sets the version of the file. Returns
    /// `changed` if a later response comes from another version.
    private func part(_ response: UpstreamResponse) -> Outcome {
        let found = Version(
            etag: response.headers.etag, lastModified: response.headers.lastModified,
            length: response.headers.contentRange?.length)
        let isKnown = state.withLock { state in
            let version = state.version ?? found
            state.version = version
            return version.agrees(with: found)
        }
        return isKnown ? .bytes(response.body) : .changed
    }

    /// Returns the answer for a failed request, or for a response without bytes of the range. Status 404 or 410 means
    /// that the whole file is missing, because of a mistake in the configuration or on the server. The status says
    /// nothing about a single tile.
    private func failure(_ response: Result<UpstreamResponse, UpstreamError>) -> Answer {
        if case .success(let response) = response, [404, 410].contains(response.status) {
            return Answer(
                outcome: .unavailable(
                    .upstreamStatus(response.status, retryAfter: nil), .status(response.status, retryAfter: nil)),
                count: .status)
        }
        let judged = UpstreamAnswer(response, UpstreamAnswer.Context(now: time(nil)))
        let reason: Unavailability =
            if case .unavailable(let reason) = judged.answer.result { reason } else { .unreachable }
        return Answer(
            outcome: .unavailable(reason, judged.event), verdict: judged.verdict, pause: judged.pause,
            count: UpstreamOutcome(.result(.unavailable(reason), SourceTerms())))
    }
}

extension SharedBytes {
    /// Returns a copy of the bytes at the positions in `range`. Positions after the last byte are left out.
    func part(_ range: Range<Int>) -> SharedBytes {
        defer { withExtendedLifetime(self) {} }
        return SharedBytes(UnsafeRawBufferPointer(rebasing: buffer[range.clamped(to: 0..<count)]))
    }
}

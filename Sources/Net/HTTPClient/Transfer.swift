import Bytes
import CLibcurl
import Runtime

/// A request in progress, with its redirects, its deadline and the bytes received so far. A transfer is used again for
/// later requests.
///
/// A class because it owns an easy handle, which is libcurl's object for one request. Thread rule: the reactor's queue.
final class Transfer: DeadlineHandler {
    typealias Outcome = Result<UpstreamResponse, UpstreamError>
    typealias Receiver = @Sendable (Outcome) -> Void

    enum Next {
        /// The handle is set up for another hop or a retry, and must be added again.
        case again
        case done(Outcome)
    }

    let easy: UnsafeMutableRawPointer
    unowned let loop: TransferLoop

    private var url = ""
    private let target: TargetURL
    var profile: UpstreamProfile?
    /// The limits of `profile`.
    var limits = UpstreamLimits()
    /// Receives the outcome. Nil if there is no request.
    private var receiver: Receiver?
    /// Outcome of the request, until `receiver` is called.
    private var outcome: Outcome?
    /// Index in the loop's list of all transfers.
    var index = 0
    /// Next transfer in the list of ended transfers or of idle transfers.
    var next: Transfer?
    private var started = MonotonicTime.zero
    /// True if the handle is set up with the profile's client certificate.
    var showsCertificate = false
    /// True if the handle has other header lines than the profile's.
    var hasOtherHeaders = false
    /// The profile's header lines together with the request's own lines. Nil if the request has no own lines.
    var ownLines: UnsafeMutablePointer<curl_slist>?
    /// True if the current hop sends conditions such as `If-None-Match`.
    var isConditional = false
    var forcesFresh = false
    /// True if the handle is set up for a request with `content`, which may have no bytes.
    var hasContent = false
    /// The range that the handle requests, also from a redirect's target.
    var range: ByteRange?
    /// Nil if the request is not traced.
    var tracing: Tracing?

    let head = ResponseHead()
    let body: BodyBuffer
    /// Bytes of the body that arrived since its start or its last pause, over any number of the reactor's turns.
    var bytesOfTurn = 0
    /// True if libcurl was told to wait for the next turn.
    var isPaused = false
    /// Bytes of a body that is not kept.
    var discarded = 0
    /// Error that a callback found. It takes precedence over libcurl's code, which then only says that the callback
    /// aborted.
    var fault: UpstreamError?
    var hop = Hop()
    /// True if a request was sent twice. Applies to all hops together: a redirect does not allow another retry.
    var hasRetried = false

    var deadline = MonotonicTime.distantFuture
    private(set) var watchedTick = DeadlineWheel.notWatched

    /// The state of the current hop. The first hop is the original request, and each redirect adds another hop.
    struct Hop {
        /// 0 for the configured URL, plus 1 for each redirect.
        var number = 0
        var url = ""
        /// True if the hop goes to another origin than the configured URL.
        var isElsewhere = false
        /// The addresses that may be connected to.
        var reach = Reach.anywhere
        /// Number of times that the request was sent.
        var sent = 0
        /// True if a socket was opened for a new connection since this hop last sent a request.
        var isFresh = false
        /// True if the request must be sent again on a new connection.
        var wantsRetry = false
    }

    enum Reach {
        case anywhere
        case publicOnly
        /// The addresses that the profile's `HostScope` allows.
        case scope
    }

    /// Creates a transfer that is ready for its first request. Returns nil if libcurl has no memory.
    init?(loop: TransferLoop) {
        guard let target = TargetURL() else { return nil }
        guard let easy = curl_easy_init() else {
            target.free()
            return nil
        }
        self.target = target
        self.easy = easy
        self.loop = loop
        body = BodyBuffer(memory: loop.memory)
        configure()
    }

    /// Frees the handle. The transfer must not be released before this call.
    func free() {
        curl_easy_cleanup(easy)
        target.free()
    }

    static func of(_ easy: UnsafeMutableRawPointer) -> Transfer? {
        var context: UnsafeMutableRawPointer?
        curl_get_pointer(easy, CURLINFO_PRIVATE, &context)
        return from(context)
    }

    // MARK: One request

    func begin(_ request: UpstreamRequest, _ receiver: @escaping Receiver) {
        self.receiver = receiver
        url = request.url
        if profile !== request.profile { apply(request.profile) }
        if hasOtherHeaders { restoreHeaders(request.profile) }
        isConditional = false
        if request.hasOwnLines { addLines(request) }
        setContent(request.content)
        if range != request.range { setRange(request.range) }
        forceFreshConnection(false)
        if let receive = request.onTrace { beginTracing(receive) }
        setURL(request.url, target.parts(of: request.url, keepsDots: request.keepsDots))
        hop = Hop()
        hop.url = request.url
        hop.reach = reach(isConfigured: true)
        hasRetried = false
        resetResponse()
        let now = MonotonicTime.now()
        started = request.began ?? now
        let timeouts = request.profile.timeouts
        deadline = min(now.adding(seconds: timeouts.firstByte), started.adding(seconds: timeouts.total))
        loop.reactor.deadlines.watch(self)
    }

    /// True if a request has begun and not ended.
    var isUnderWay: Bool { receiver != nil && outcome == nil }

    /// Ends the request and stores its outcome.
    func end(with outcome: Outcome) {
        self.outcome = outcome
        if tracing != nil { endTracing() }
        body.discard()
        isPaused = false
        head.reset()
        if ownLines != nil { dropOwnLines() }
    }

    /// Returns the receiver and the outcome, and removes both. Returns nil if they were already taken.
    func takeOutcome() -> (receiver: Receiver, outcome: Outcome)? {
        guard let receiver, let outcome else { return nil }
        self.receiver = nil
        self.outcome = nil
        return (receiver, outcome)
    }

    private func resetResponse() {
        head.reset()
        body.discard()
        discarded = 0
        bytesOfTurn = 0
        isPaused = false
        fault = nil
    }

    func setWatchedTick(_ tick: Int) { watchedTick = tick }

    func deadlinePassed() {
        guard isUnderWay, let profile else { return }
        let end = started.adding(seconds: profile.timeouts.total)
        var firstByte: curl_off_t = 0
        curl_get_size(easy, CURLINFO_STARTTRANSFER_TIME_T, &firstByte)
        if hop.number > 0 || firstByte > 0, end > .now() {
            deadline = end
            return loop.reactor.deadlines.watch(self)
        }
        // No request was sent yet. Either libcurl's connect timeout is about to expire, or another timeout is shorter.
        if hop.number == 0, hop.sent == 0 { return loop.abandon(self, with: .timeout(.connect)) }
        loop.abandon(self, with: .timeout(end > .now() ? .firstByte : .total))
    }

    // MARK: The end of a hop

    /// Decides how the request continues after a hop has ended: with another hop, with a retry, or with a final result.
    /// `code` is libcurl's result of the hop.
    func completed(_ code: CURLcode) -> Next {
        if hop.wantsRetry {
            hop.wantsRetry = false
            forceFreshConnection(true)
            resetResponse()
            return .again
        }
        forceFreshConnection(false)
        guard code == CURLE_OK, fault == nil else {
            return follow(outcome(orElse: fault ?? failure(code)))
        }
        return follow(response())
    }

    /// Status of a response whose body is kept.
    var keptStatus: Int { range == nil ? 200 : 206 }

    /// Returns the response if its head is complete, its body is not kept, and no callback has found an error.
    /// Otherwise returns `failure`.
    func outcome(orElse failure: UpstreamError) -> Outcome {
        guard head.isComplete, head.status != keptStatus, fault == nil else { return .failure(failure) }
        return response()
    }

    private func response() -> Outcome {
        guard head.isComplete else { return .failure(.short) }
        let (status, headers, body) = (head.status, head.takeHeaders(), body.take())
        if range != nil, status == 206, body.count != headers.contentRange?.count { return .failure(.short) }
        return .success(
            UpstreamResponse(
                status: status, headers: headers, body: body, wasConditional: isConditional,
                isFromElsewhere: hop.isElsewhere, wasRetried: hasRetried))
    }

    /// Prepares the next hop if `outcome` is a redirect to follow. Otherwise returns the final result of the request.
    private func follow(_ outcome: Outcome) -> Next {
        guard case .success(let response) = outcome, [301, 302, 303, 307, 308].contains(response.status),
            let profile, !hasContent
        else { return .done(outcome) }
        var location: UnsafeMutablePointer<CChar>?
        curl_get_string(easy, CURLINFO_REDIRECT_URL, &location)
        // A redirect without a target is treated like any other response.
        guard let location else { return .done(outcome) }
        guard let first = Origin(url), let source = Origin(hop.url) else { return .done(.failure(.badURL)) }
        let next = String(cString: location)
        let target = Origin(next)
        let number = hop.number + 1
        let fault = Redirect.fault(
            from: source, to: target, configured: first, hop: number, limit: profile.limits.redirects)
        if let fault {
            return .done(.failure(.redirect(fault)))
        }
        setURL(next, nil)
        hop = Hop()
        hop.number = number
        hop.url = next
        hop.isElsewhere = target != first
        hop.reach = reach(isConfigured: !hop.isElsewhere)
        if hop.isElsewhere { withholdHeaders() }
        resetResponse()
        return .again
    }

    /// Returns the addresses that a hop may connect to. `isConfigured` is true for a hop to the configured origin.
    private func reach(isConfigured: Bool) -> Reach {
        guard let profile, !profile.allowPrivate else { return .anywhere }
        guard isConfigured else { return .publicOnly }
        return profile.scope.map { $0.allowsAnything ? .anywhere : .scope } ?? .anywhere
    }
}

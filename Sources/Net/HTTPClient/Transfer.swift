import Bytes
import CLibcurl
import Runtime

/// One request under way: its hops, its deadline, and what came so far. Used again for later requests.
///
/// A class to own libcurl's easy handle. Thread rule: the reactor's queue.
final class Transfer: DeadlineHandler {
    typealias Outcome = Result<UpstreamResponse, UpstreamError>
    typealias Receiver = @Sendable (Outcome) -> Void

    enum Next {
        /// The handle is set up for another hop and must be added again.
        case again
        case done(Outcome)
    }

    let easy: UnsafeMutableRawPointer
    unowned let loop: TransferLoop

    private var url = ""
    private let target: TargetURL
    var profile: UpstreamProfile?
    /// The profile's.
    var limits = UpstreamLimits()
    /// Who waits for the outcome; nil while there is no request.
    private var receiver: Receiver?
    /// What became of the request, until the receiver is told.
    private var outcome: Outcome?
    /// Its index in the loop's list of all.
    var index = 0
    /// The next one of those that have ended, or that are idle.
    var next: Transfer?
    private var started = MonotonicTime.zero
    /// Whether the handle has a certificate of the layer's.
    var showsCertificate = false
    /// Whether the handle has other header lines than the profile's.
    var hasOtherHeaders = false
    /// The profile's header lines and the request's own; nil for a request without any of these.
    var ownLines: UnsafeMutablePointer<curl_slist>?
    /// Whether the hop under way carries the conditions.
    var isConditional = false
    var forcesFresh = false
    /// Whether the handle sends content, by a method of its own.
    var hasContent = false
    /// Nil for a request that nobody wants to be told of.
    var tracing: Tracing?

    let head = ResponseHead()
    let body: BodyBuffer
    /// Bytes of the body in the turn of the reactor.
    var bytesOfTurn = 0
    /// Whether libcurl was told to wait for the next turn.
    var isPaused = false
    /// Bytes of a body that is not kept.
    var discarded = 0
    /// What a callback found wrong. It outranks libcurl's code, which then only says that we broke off.
    var fault: UpstreamError?
    var hop = Hop()
    /// Whether a request went out twice. Once for all hops together: a redirect is no attempt, and brings no new one.
    var hasRetried = false

    var deadline = MonotonicTime.distantFuture
    private(set) var watchedTick = DeadlineWheel.notWatched

    /// What is known of the hop under way.
    struct Hop {
        /// 0 for the configured URL, then one more per redirect.
        var number = 0
        var url = ""
        /// Whether it goes to another origin than the configured URL's.
        var isElsewhere = false
        /// Which addresses may be connected to.
        var reach = Reach.anywhere
        /// Requests sent.
        var sent = 0
        /// Whether a connection was opened for the request under way.
        var isFresh = false
        /// Whether the request must be sent once more, on a new connection.
        var wantsRetry = false
    }

    enum Reach {
        case anywhere
        case publicOnly
        /// What the profile's scope allows.
        case scope
    }

    /// Nil if libcurl has no memory.
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

    /// Frees the handle. The transfer can only be dropped after it.
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
        forceFreshConnection(false)
        if let receive = request.onTrace { beginTracing(receive) }
        setURL(request.url, target.parts(of: request.url))
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

    /// Whether a request has begun that has not ended.
    var isUnderWay: Bool { receiver != nil && outcome == nil }

    /// Forgets the request, but for what became of it.
    func end(with outcome: Outcome) {
        self.outcome = outcome
        if tracing != nil { endTracing() }
        body.discard()
        isPaused = false
        head.reset()
        if ownLines != nil { dropOwnLines() }
    }

    /// Gives away what became of the request, and who waits for it; nil where that was done.
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
        // Nothing was sent yet: libcurl's own limit of the connection is about to pass, or the total is shorter.
        if hop.number == 0, hop.sent == 0 { return loop.abandon(self, with: .timeout(.connect)) }
        loop.abandon(self, with: .timeout(end > .now() ? .firstByte : .total))
    }

    // MARK: The end of a hop

    /// What follows from libcurl's `code` for the hop.
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

    /// The response if its status is known and its body does not matter, else `failure`.
    func outcome(orElse failure: UpstreamError) -> Outcome {
        guard head.isComplete, head.status != 200, fault == nil else { return .failure(failure) }
        return response()
    }

    private func response() -> Outcome {
        guard head.isComplete else { return .failure(.short) }
        return .success(
            UpstreamResponse(
                status: head.status, headers: head.takeHeaders(), body: body.take(), wasConditional: isConditional,
                isFromElsewhere: hop.isElsewhere, wasRetried: hasRetried))
    }

    /// Goes to where a redirect points.
    private func follow(_ outcome: Outcome) -> Next {
        guard case .success(let response) = outcome, [301, 302, 303, 307, 308].contains(response.status),
            let profile, !hasContent
        else { return .done(outcome) }
        var location: UnsafeMutablePointer<CChar>?
        curl_get_string(easy, CURLINFO_REDIRECT_URL, &location)
        // A redirect without a place to go is an answer like any other.
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

    /// Where a hop to the configured origin, or to another, may lead.
    private func reach(isConfigured: Bool) -> Reach {
        guard let profile, !profile.allowPrivate else { return .anywhere }
        guard isConfigured else { return .publicOnly }
        return profile.scope.map { $0.allowsAnything ? .anywhere : .scope } ?? .anywhere
    }
}

import Bytes
import HTTPClient
import Raster
import Tiles

/// Interprets the response of an upstream to a request for a tile (docs/spec/model.md 4.3): a tile, no tile, or a
/// problem.
struct UpstreamAnswer {
    let answer: SourceAnswer
    /// The event for the log. Nil for a tile, for a confirmed tile and for an empty 200.
    let event: SourceEvent?
    /// Seconds during which the upstream wants no requests.
    private(set) var pause: Int?
    /// The meaning of the response for the upstream's health.
    private(set) var verdict = CircuitBreaker.Verdict.answered

    /// True for a 304 about another version than the cached one. The upstream must be asked again without conditions.
    private(set) var isOfAnotherVersion = false

    /// Maximum pause in seconds that an upstream can ask for (docs/spec/threats.md T34).
    static let longestWait = 300

    /// The facts besides the response that its interpretation needs, for example its time.
    struct Context {
        /// Time of the response in seconds since 1970.
        let now: Int
        /// Seconds between the request and its response.
        var delay = 0
        /// The validators in the request.
        var held: Validators?
        /// The images that mean "not available".
        var rejected = RejectedImages([])
    }

    init(_ outcome: Result<UpstreamResponse, UpstreamError>, _ context: Context) {
        switch outcome {
        case .failure(let failure):
            self.init(
                .unavailable(Self.unavailability(failure)), .failure(failure), SourceTerms(trouble: "\(failure)"))
            verdict = failure.verdict
        case .success(let response): self.init(response, context)
        }
    }

    private init(_ response: UpstreamResponse, _ context: Context) {
        switch response.status {
        case 200:
            let modified = response.headers.lastModified.flatMap { Self.date($0, now: context.now) }
            let (result, event) = TileResult.judging(
                response.body, lastModified: modified, rejecting: context.rejected)
            guard event == nil else {
                self.init(result, event, SourceTerms(trouble: event.flatMap(Self.trouble)))
                return
            }
            var terms = SourceTerms(response.headers, now: context.now, delay: context.delay)
            // The validators of a response from another origin are not kept: the next request would send them to the
            // configured origin, where they may mean another version.
            if !response.isFromElsewhere {
                terms.validators = Self.validators(response.headers, lastModified: modified)
            }
            self.init(result, nil, terms)
        case 204, 404, 410:
            let terms = SourceTerms(response.headers, now: context.now, delay: context.delay)
            self.init(.noTile, .absent(status: response.status), terms)
        case 304 where response.wasConditional && Self.isStrong(response.headers.etag, otherThan: context.held?.etag):
            self.init(
                .unavailable(.upstreamStatus(304, retryAfter: nil)), .status(304, retryAfter: nil))
            isOfAnotherVersion = true
        case 304 where response.wasConditional:
            var terms = SourceTerms(response.headers, now: context.now, delay: context.delay)
            let modified = response.headers.lastModified.flatMap { Self.date($0, now: context.now) }
            let news = Self.validators(response.headers, lastModified: modified)
            // A field that the response lacks keeps its value (RFC 9111 3.2).
            terms.validators = Validators(
                etag: news?.etag ?? context.held?.etag, lastModified: news?.lastModified ?? context.held?.lastModified)
            self.init(.notModified(terms), nil)
        default:
            let wait = response.headers.retryAfter.flatMap { Self.retryAfter($0, now: context.now) }
            self.init(
                .unavailable(.upstreamStatus(response.status, retryAfter: wait)),
                .status(response.status, retryAfter: wait))
            if response.status == 429 || response.status == 503 { pause = wait }
            if response.status >= 500 { verdict = .erred }
        }
    }

    private init(_ result: TileResult, _ event: SourceEvent?, _ terms: SourceTerms = SourceTerms()) {
        self.init(.result(result, terms), event)
    }

    private init(_ answer: SourceAnswer, _ event: SourceEvent?) {
        self.answer = answer
        self.event = event
    }

    /// Returns the problem with bytes that are no valid image. Nil for other events.
    private static func trouble(_ event: SourceEvent) -> String? {
        if case .notAnImage(let error) = event { "\(error)" } else { nil }
    }

    /// Returns the validators of a response. Leaves out a tag that is too long, and a `Last-Modified` that is not a
    /// date.
    private static func validators(_ headers: UpstreamHeaders, lastModified: Int?) -> Validators? {
        let etag = headers.etag.flatMap { (1...SourceTerms.longestTag).contains($0.utf8.count) ? $0 : nil }
        return Validators(etag: etag, lastModified: lastModified == nil ? nil : headers.lastModified)
    }

    /// Reports whether `tag` is a strong tag of another version than `held`. Only a strong tag tells which version a
    /// 304 is about (RFC 9111 4.3.4). A weak `held` tag of the same version counts as equal.
    private static func isStrong(_ tag: String?, otherThan held: String?) -> Bool {
        guard let tag = tag?.utf8, let held = held?.utf8, !tag.isEmpty, !tag.starts(with: "W/".utf8) else {
            return false
        }
        return !tag.elementsEqual(held.starts(with: "W/".utf8) ? held.dropFirst(2) : held[...])
    }

    private static func unavailability(_ failure: UpstreamError) -> Unavailability {
        switch failure {
        case .timeout: .timeout
        case .tooLarge(.body, _), .badEncoding: .notAnImage
        case .noMemory: .overloaded
        case .connect, .tls, .redirect, .denied, .tooLarge(.head, _), .badHead, .short, .range, .badURL, .other:
            .unreachable
        }
    }

    private static func date(_ text: String, now: Int) -> Int? {
        HTTPDate.parse(text.utf8, now: now)
    }

    /// Parses seconds or a date (RFC 9110 10.2.3). Returns 0…`longestWait` seconds.
    private static func retryAfter(_ text: String, now: Int) -> Int? {
        if let seconds = ASCII.decimal(text.utf8) { return min(seconds, longestWait) }
        return date(text, now: now).map { min(max($0 - now, 0), longestWait) }
    }
}

extension TileResult {
    /// Checks the bytes of an image from any source. Returns a tile, or no tile if there are no bytes. If the bytes are
    /// not an image, or are a rejected image, returns an unavailable result and the event for the log.
    static func judging(
        _ bytes: SharedBytes, lastModified: Int?, rejecting rejected: RejectedImages
    ) -> (TileResult, SourceEvent?) {
        guard bytes.count > 0 else { return (.noTile, nil) }
        do throws(ImageHeaderError) {
            let header = try ImageHeader(parsing: bytes)
            let tile = Tile(
                bytes: bytes, format: header.format, width: header.width, height: header.height,
                lastModified: lastModified)
            return rejected.contain(bytes) ? (.unavailable(.placeholder), .placeholder) : (.tile(tile), nil)
        } catch {
            return (.unavailable(.notAnImage), .notAnImage(error))
        }
    }
}

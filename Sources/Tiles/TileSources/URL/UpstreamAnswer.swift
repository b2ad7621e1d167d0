import Bytes
import HTTPClient
import Raster
import Tiles

/// What an upstream's answer means for a tile (docs/spec/model.md 4.3). Pure.
struct UpstreamAnswer {
    let answer: SourceAnswer
    /// The event for the log; nil for a tile, and for an empty body.
    let event: SourceEvent?
    /// Seconds in which the upstream wants no request at all.
    private(set) var pause: Int?
    /// What it says about the upstream's health.
    private(set) var verdict = CircuitBreaker.Verdict.answered

    /// It is a 304 about another version than the one that is held: the upstream must be asked again, without
    /// conditions.
    private(set) var isOfAnotherVersion = false

    /// The most that an upstream can ask to wait, in seconds (docs/spec/threats.md T34).
    static let longestWait = 300

    /// When a response came, and to which request.
    struct Context {
        /// Seconds since 1970.
        let now: Int
        /// Seconds between the request and its response.
        var delay = 0
        /// What the request asked about.
        var held: Validators?
        /// The images that stand for "not available".
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
            // The next request with them would go to the configured origin, to which they may mean another version.
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

    /// What is wrong with an image, in words.
    private static func trouble(_ event: SourceEvent) -> String? {
        if case .notAnImage(let error) = event { "\(error)" } else { nil }
    }

    /// A tag that is too long, and a `Last-Modified` that is no date, would not be understood when it is sent back.
    private static func validators(_ headers: UpstreamHeaders, lastModified: Int?) -> Validators? {
        let etag = headers.etag.flatMap { (1...SourceTerms.longestTag).contains($0.utf8.count) ? $0 : nil }
        return Validators(etag: etag, lastModified: lastModified == nil ? nil : headers.lastModified)
    }

    /// Whether `tag` is a strong one that does not name what `held` does. Only a strong tag tells which version a 304
    /// is about (RFC 9111 4.3.4); a weak one that is held for the same version is as good.
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
        case .connect, .tls, .redirect, .denied, .tooLarge(.head, _), .badHead, .short, .badURL, .other: .unreachable
        }
    }

    private static func date(_ text: String, now: Int) -> Int? {
        HTTPDate.parse(text.utf8, now: now)
    }

    /// Seconds, or a date (RFC 9110 10.2.3); within 0…`longestWait`.
    private static func retryAfter(_ text: String, now: Int) -> Int? {
        if let seconds = ASCII.decimal(text.utf8) { return min(seconds, longestWait) }
        return date(text, now: now).map { min(max($0 - now, 0), longestWait) }
    }
}

extension TileResult {
    /// What `bytes` mean, wherever they come from: a tile, none if there are none, or no image; and what there is to
    /// say about it.
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

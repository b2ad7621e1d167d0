import Bytes
import HTTPClient
import Raster

/// What an upstream's answer means for a tile (model.md 4.3). Pure.
struct UpstreamAnswer {
    let result: TileResult
    /// What there is to say about it; nil for a tile, and for an empty body.
    let event: SourceEvent?
    /// Seconds in which the upstream wants no request at all.
    var pause: Int?

    /// The most that an upstream can ask to wait, in seconds (threats.md T34).
    static let longestWait = 300

    /// `now` in seconds since 1970.
    init(_ answer: Result<UpstreamResponse, UpstreamFailure>, now: Int) {
        switch answer {
        case .failure(let failure): self.init(.unavailable(Self.unavailability(failure)), .failure(failure))
        case .success(let response): self.init(response, now: now)
        }
    }

    private init(_ response: UpstreamResponse, now: Int) {
        switch response.status {
        case 200:
            let lastModified = response.headers.lastModified.flatMap { Self.date($0, now: now) }
            self.init(image: response.body, lastModified: lastModified)
        case 204, 404, 410:
            self.init(.noTile, .absent(status: response.status))
        default:
            let wait = response.headers.retryAfter.flatMap { Self.retryAfter($0, now: now) }
            self.init(
                .unavailable(.upstreamStatus(response.status, retryAfter: wait)),
                .status(response.status, retryAfter: wait))
            if response.status == 429 { pause = wait }
        }
    }

    /// What `bytes` mean, wherever they come from: a tile, none if there are none, or no image.
    init(image bytes: SharedBytes, lastModified: Int?) {
        guard bytes.count > 0 else {
            self.init(.noTile, nil)
            return
        }
        do throws(ImageHeaderError) {
            let header = try ImageHeader(parsing: bytes)
            let tile = Tile(
                bytes: bytes, format: header.format, width: header.width, height: header.height,
                lastModified: lastModified)
            self.init(.tile(tile), nil)
        } catch {
            self.init(.unavailable(.notAnImage), .notAnImage(error))
        }
    }

    private init(_ result: TileResult, _ event: SourceEvent?) {
        self.result = result
        self.event = event
    }

    private static func unavailability(_ failure: UpstreamFailure) -> Unavailability {
        switch failure {
        case .timeout: .timeout
        case .tooLarge(.body, _), .badEncoding: .notAnImage
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

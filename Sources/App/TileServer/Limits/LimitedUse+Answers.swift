import Configuration
import HTTPServer

/// Makes the responses to clients that exceed a limit (RFC 6585 4).
extension LimitedUse {
    /// Returns the response 429 to a client that exceeds `limit`. `wait` is the number of seconds until the client has
    /// enough tokens again.
    func refusal(_ limit: ClientRate, wait: Int) -> Response {
        let wait = max(wait, 1)
        // In the fields of draft-ietf-httpapi-ratelimit-headers, `q` is the burst, and `w` is the time to refill the
        // empty bucket.
        let window = max(Int(min(Double(limit.burst) / limit.rate, 1e9).rounded(.up)), 1)
        let policy = "\"\(self)\";q=\(limit.burst);w=\(window)\(unit)"
        return Problem(
            .tooManyRequests, code, title,
            fields: [
                ("Retry-After", "\(wait)"), ("RateLimit-Policy", policy), ("RateLimit", "\"\(self)\";r=0;t=\(wait)"),
            ]
        ).response(common: CommonFields.limited)
    }

    private var code: String {
        switch self {
        case .requests: "too-many-requests"
        case .misses: "too-many-misses"
        case .pixels: "too-many-pixels"
        }
    }

    private var title: String {
        switch self {
        case .requests: "This client sends too many requests."
        case .misses: "This client asks for too many tiles that are not in the cache."
        case .pixels: "This client asks for too many images."
        }
    }

    /// The unit of the quota. The draft defines no unit for pixels.
    private var unit: String {
        switch self {
        case .requests, .misses: ""
        case .pixels: ";qu=\"pixels\""
        }
    }
}

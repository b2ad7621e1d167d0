import Configuration
import HTTPServer

/// The answer to who asks for too much (RFC 6585 4).
extension LimitedUse {
    /// `wait`: seconds until there is enough again.
    func refusal(_ limit: ClientRate, wait: Int) -> Response {
        let wait = max(wait, 1)
        // draft-ietf-httpapi-ratelimit-headers: a bucket has its burst in each window, which is as long as filling it takes.
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

    /// The draft's own units are requests and bytes.
    private var unit: String {
        switch self {
        case .requests, .misses: ""
        case .pixels: ";qu=\"pixels\""
        }
    }
}

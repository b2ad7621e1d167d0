import Glibc

/// Why a connection ended.
enum RedisFault: Error, Equatable {
    case unknownHost
    /// By the error's number.
    case unreachable(Int32)
    case timeout
    case closed
    /// Redis answers, and serves nothing: by the code of its error, such as `LOADING` or `NOAUTH`.
    case refused(String)
    case garbage
    case tooLarge
    /// Whoever had it has closed it.
    case given

    /// What becomes of the commands that waited.
    var error: RedisError {
        switch self {
        case .unknownHost, .refused, .given: .unavailable
        case .unreachable, .closed: .closed
        case .timeout: .timeout
        case .garbage: .protocolViolation
        case .tooLarge: .tooLarge
        }
    }

    /// Another try at once would come to the same.
    var isLasting: Bool {
        switch self {
        case .timeout, .refused, .unknownHost: true
        case .unreachable, .closed, .garbage, .tooLarge, .given: false
        }
    }

    /// For the log.
    var why: String {
        switch self {
        case .unknownHost: "unknown host"
        case .unreachable(let code): String(cString: strerror(code))
        case .timeout: "timeout"
        case .closed: "closed"
        case .refused(let code): code
        case .garbage: "not Redis"
        case .tooLarge: "too large"
        case .given: "closed here"
        }
    }
}

import Glibc

/// The reason why a connection to Redis has ended.
enum RedisFault: Error, Equatable {
    case unknownHost
    /// The system's error number.
    case unreachable(Int32)
    case timeout
    case closed
    /// Redis refused the greeting, several commands in a row, or the command of a stream reader. The value is the code
    /// of its error, such as `LOADING` or `NOAUTH`.
    case refused(String)
    case garbage
    case tooLarge
    /// The owner closed the connection.
    case given

    /// The error for the commands that waited.
    var error: RedisError {
        switch self {
        case .unknownHost, .refused, .given: .unavailable
        case .unreachable, .closed: .closed
        case .timeout: .timeout
        case .garbage: .protocolViolation
        case .tooLarge: .tooLarge
        }
    }

    /// True if one such fault opens the circuit.
    var isLasting: Bool {
        switch self {
        case .timeout, .refused, .unknownHost: true
        case .unreachable, .closed, .garbage, .tooLarge, .given: false
        }
    }

    /// Text for the log.
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

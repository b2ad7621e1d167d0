import Foundation
import Glibc
import HTTPServer

/// The sockets that a service manager has bound and passes to this process: socket activation, by the variables of
/// sd_listen_fds(3).
package struct PassedSockets: Sendable {
    /// For requests.
    package internal(set) var requests: [ListeningSocket] = []
    /// Those that are called `metrics` (`FileDescriptorName=`).
    package internal(set) var metrics: [ListeningSocket] = []

    private static let first: Int32 = 3
    /// A unit has a handful.
    private static let most: Int32 = 64

    /// Takes those that `environment` names over, which programs that this one starts are not to hear of. None where it means
    /// another process. Throws where one of them is no TCP socket that listens.
    package static func take(
        from environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ListeningSocketError) -> PassedSockets {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
        var sockets = PassedSockets()
        let count = count(in: environment, pid: getpid())
        for (index, isForMetrics) in areForMetrics(in: environment, count: count).enumerated() {
            let socket = try ListeningSocket(descriptor: first + Int32(index))
            if isForMetrics { sockets.metrics.append(socket) } else { sockets.requests.append(socket) }
        }
        return sockets
    }

    /// Of each of `count` sockets, whether it is for metrics. Names are separated by colons; a missing one is any other.
    static func areForMetrics(in environment: [String: String], count: Int32) -> [Bool] {
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<Int(count)).map { $0 < names.count && names[$0] == "metrics" }
    }

    /// How many there are.
    static func count(in environment: [String: String], pid: pid_t) -> Int32 {
        guard environment["LISTEN_PID"] == "\(pid)", let text = environment["LISTEN_FDS"],
            text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let count = Int32(text)
        else { return 0 }
        return min(count, most)
    }
}

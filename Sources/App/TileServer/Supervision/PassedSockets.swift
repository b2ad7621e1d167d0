import Foundation
import Glibc
import HTTPServer

/// The listening sockets that a service manager such as systemd has opened and passed to this process. This is socket
/// activation with the environment variables of sd_listen_fds(3).
package struct PassedSockets: Sendable {
    /// Sockets for plain HTTP.
    package internal(set) var requests: [ListeningSocket] = []
    /// Sockets with the name `https` (`FileDescriptorName=`).
    package internal(set) var secure: [ListeningSocket] = []
    /// Sockets with the name `metrics`.
    package internal(set) var metrics: [ListeningSocket] = []

    private static let first: Int32 = 3
    /// Maximum number of sockets. A unit normally has only a few.
    private static let most: Int32 = 64

    /// Takes the sockets that the variables in `environment` name. Removes the variables afterwards, so that child
    /// processes do not see them. Returns no sockets if the variables are meant for another process. Throws if a socket
    /// is not a listening TCP socket.
    package static func take(
        from environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ListeningSocketError) -> PassedSockets {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
        var sockets = PassedSockets()
        let count = count(in: environment, pid: getpid())
        for (index, use) in uses(in: environment, count: count).enumerated() {
            let socket = try ListeningSocket(descriptor: first + Int32(index))
            switch use {
            case .plain: sockets.requests.append(socket)
            case .https: sockets.secure.append(socket)
            case .metrics: sockets.metrics.append(socket)
            }
        }
        return sockets
    }

    /// The use of a socket. The raw value is the name of the socket.
    enum Use: String {
        case plain, https, metrics
    }

    /// Returns the use of each of `count` sockets. Names are separated by colons. A socket without a name, or with
    /// another name, is for plain HTTP.
    static func uses(in environment: [String: String], count: Int32) -> [Use] {
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<Int(count)).map { $0 < names.count ? Use(rawValue: String(names[$0])) ?? .plain : .plain }
    }

    /// Returns the number of sockets that were passed to the process `pid`, at most `most`.
    static func count(in environment: [String: String], pid: pid_t) -> Int32 {
        guard environment["LISTEN_PID"] == "\(pid)", let text = environment["LISTEN_FDS"],
            text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let count = Int32(text)
        else { return 0 }
        return min(count, most)
    }
}

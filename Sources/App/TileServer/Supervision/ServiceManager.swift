import Foundation
import Glibc

/// Tells the service manager that started this process about the state of the server, for example that it is ready. The
/// service manager is systemd, with the datagrams of sd_notify(3). A message that cannot be sent is lost, and the
/// server continues. Thread rule: any thread; no call waits.
package final class ServiceManager: Sendable {
    private let descriptor: Int32
    private let path: [UInt8]

    /// Returns the manager at the socket `NOTIFY_SOCKET`, and removes the variable, so that child processes do not see
    /// it. Nil if the variable is not set, or if its socket cannot be used.
    package static func ofEnvironment() -> ServiceManager? {
        let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] ?? ""
        unsetenv("NOTIFY_SOCKET")
        return ServiceManager(path: path)
    }

    /// Opens a socket to `path`: a path in the file system, or a name in the abstract namespace with a leading `@`
    /// (unix(7)). Nil if `path` is neither of these or too long for a socket address, or if the system has no socket.
    init?(path: String) {
        var path = Array(path.utf8)
        guard path.count > 1, path[0] == UInt8(ascii: "/") || path[0] == UInt8(ascii: "@"),
            path.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else { return nil }
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Reports that the server is ready, at the start or after a reload.
    package func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// Reports that a reload has begun. `ready` reports its end.
    func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)\nSTATUS=Reading the configuration")
    }

    /// Reports that the server is stopping. Asks the manager to wait for `time`, at most a day, and for ten more
    /// seconds for the last writes.
    func stopping(within time: Duration) {
        let microseconds = Int64(min(time.inSeconds, 86_400) * 1_000_000) &+ 10_000_000
        send("STOPPING=1\nSTATUS=Answering requests in progress\nEXTEND_TIMEOUT_USEC=\(microseconds)")
    }

    /// Reports that the server is alive.
    func ping() { send("WATCHDOG=1") }

    /// The status line for `systemctl status`.
    package static func status(layers: Int, maps: Int) -> String { "Serving \(layers) layers and \(maps) maps" }

    /// The clock of the service manager, which does not count time in sleep mode.
    private static var monotonicMicroseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec &* 1_000_000 &+ time.tv_nsec / 1_000
    }

    private func send(_ text: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // The length includes all bytes of an abstract name. A path needs a final zero, which is there already.
        let length = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + path.count)
        var text = text
        text.withUTF8 { bytes in
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
                }
            }
        }
    }
}

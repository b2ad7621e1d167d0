import Foundation
import Glibc

/// The service manager that started this process and wants to know how it is: systemd, by the datagrams of sd_notify(3).
///
/// A class to own the socket. Thread rule: any thread; nothing here waits. What cannot be sent is lost: the service goes on.
package final class ServiceManager: Sendable {
    private let descriptor: Int32
    private let path: [UInt8]

    /// The one that `NOTIFY_SOCKET` names, which programs that this one starts are not to hear of; nil where there is none.
    package static func ofEnvironment() -> ServiceManager? {
        let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] ?? ""
        unsetenv("NOTIFY_SOCKET")
        return ServiceManager(path: path)
    }

    /// `path`: of a socket in the file system, or with `@` in front one of the abstract namespace (unix(7)). Nil where it is
    /// neither, or too long for an address.
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

    /// The server serves, or does again.
    package func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// The configuration is read again; `ready` says when that is done.
    func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)\nSTATUS=Reading the configuration")
    }

    /// The server stops, and takes no longer than `time` and some seconds for its last writes.
    func stopping(within time: Duration) {
        let microseconds = Int64(min(time.inSeconds, 86_400) * 1_000_000) &+ 10_000_000
        send("STOPPING=1\nSTATUS=Answering requests in progress\nEXTEND_TIMEOUT_USEC=\(microseconds)")
    }

    /// The server is alive.
    func ping() { send("WATCHDOG=1") }

    /// What is served, in a line for `systemctl status`.
    package static func status(layers: Int, maps: Int) -> String { "Serving \(layers) layers and \(maps) maps" }

    /// The clock of the manager, which does not count sleep.
    private static var monotonicMicroseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec &* 1_000_000 &+ time.tv_nsec / 1_000
    }

    private func send(_ text: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // An abstract name is all bytes up to the length; that of a file ends with a zero, which is there already.
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

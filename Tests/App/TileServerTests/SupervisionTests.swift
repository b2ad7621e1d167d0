import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer
@testable import TileServer

/// Tests of messages to a service manager and of sockets passed by it (sd_notify(3), sd_listen_fds(3)).
@Suite(.blocking) struct SupervisionTests {
    /// A service manager with a notification socket. It is a class because `deinit` closes the socket.
    private final class Manager {
        private let descriptor: Int32

        init(_ name: [UInt8]) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
            let length = socklen_t(2 + name.count)
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(code == 0)
            var time = timeval(tv_sec: 30, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        func message() -> [String] {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return String(decoding: bytes[..<max(count, 0)], as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    @Test func notifiesAManagerByPathAndAbstractName() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/notify"
        let name = "tileserver-test-\(UUID())"
        for (address, bytes) in [(path, Array(path.utf8)), ("@\(name)", [0] + Array(name.utf8))] {
            let manager = try Manager(bytes)
            let notifier = try #require(ServiceManager(path: address))
            notifier.ready(ServiceManager.status(layers: 2, maps: 1))
            #expect(manager.message() == ["READY=1", "STATUS=Serving 2 layers and 1 maps"])
            notifier.reloading()
            let reloading = manager.message()
            #expect(reloading.first == "RELOADING=1")
            let clock = try #require(reloading.first { $0.hasPrefix("MONOTONIC_USEC=") }?.split(separator: "=").last)
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            let told = try #require(Int(clock))
            #expect(told <= now.tv_sec * 1_000_000 + now.tv_nsec / 1_000 && told > (now.tv_sec - 60) * 1_000_000)
            notifier.stopping(within: .seconds(15))
            let stopping = manager.message()
            #expect(stopping.first == "STOPPING=1" && stopping.last == "EXTEND_TIMEOUT_USEC=25000000")
            notifier.ping()
            #expect(manager.message() == ["WATCHDOG=1"])
        }
    }

    @Test func continuesWithoutAManager() throws {
        for path in ["", "/", "@", "relative", "vsock:2:1", "/" + String(repeating: "x", count: 107)] {
            #expect(ServiceManager(path: path) == nil, "\(path)")
        }
        let longest = "/" + String(repeating: "x", count: 106)
        // No manager listens at this path.
        try #require(ServiceManager(path: longest)).ping()
    }

    @Test(
        arguments: [
            ([:], nil), (["WATCHDOG_USEC": "30000000"], 30), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "+5"], nil), (["WATCHDOG_USEC": "-5"], nil), (["WATCHDOG_USEC": ""], nil),
            (["WATCHDOG_USEC": "99999999999999999999"], nil),
            (["WATCHDOG_USEC": "500000", "WATCHDOG_PID": "7"], 0.5),
            (["WATCHDOG_USEC": "500000", "WATCHDOG_PID": "8"], nil),
        ] as [([String: String], Double?)])
    func readsTheWatchdogInterval(environment: [String: String], seconds: Double?) {
        #expect(Watchdog.seconds(in: environment, pid: 7) == seconds)
    }

    /// The watchdog sends no ping while a turn does not end.
    @Test func pingsAfterACompletedTurn() async throws {
        let (gate, pings, turns) = (Gate(), Count(), Count())
        let watchdog = Watchdog(
            seconds: 0.02,
            turn: {
                if turns.add() == 3 { await gate.pass() }
            }, ping: { _ = pings.add() })
        #expect(eventuallyBlocking { turns.value >= 3 })
        usleep(100_000)
        #expect(turns.value == 3 && pings.value == 2)
        gate.open()
        #expect(eventuallyBlocking { pings.value >= 5 })
        withExtendedLifetime(watchdog) {}
    }

    private final class Count: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }

        func add() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// The watchdog's turn needs every event loop to run once.
    @Test func waitsForEveryEventLoop() async throws {
        let layer = CountingLayer()
        try await withEndpoint(.socket, layer, { $0.server.reactors = 2 }) { endpoint in
            let (held, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            endpoint.server.server.workers[1].reactor.post {
                held.signal()
                released.wait()
            }
            held.wait()
            let turns = Count()
            let turn = Task {
                await endpoint.server.server.settle()
                _ = turns.add()
            }
            // By then, the other event loop has run.
            await withCheckedContinuation { done in endpoint.server.server.workers[0].reactor.post { done.resume() } }
            #expect(turns.value == 0)
            released.signal()
            await turn.value
        }
    }

    @Test func recognizesSocketsForHTTPSByTheirName() {
        let names = ["LISTEN_FDNAMES": "https:http:https:metrics:HTTPS:https2"]
        #expect(PassedSockets.uses(in: names, count: 6) == [.https, .plain, .https, .metrics, .plain, .plain])
    }

    @Test func recognizesAMetricsSocketByItsName() {
        let names = ["LISTEN_FDNAMES": "tileserver.socket:metrics::xmetrics"]
        #expect(PassedSockets.uses(in: names, count: 5) == [.plain, .metrics, .plain, .plain, .plain])
        #expect(PassedSockets.uses(in: [:], count: 2) == [.plain, .plain])
    }

    @Test(
        arguments: [
            ([:], 0), (["LISTEN_PID": "7", "LISTEN_FDS": "2"], 2), (["LISTEN_PID": "8", "LISTEN_FDS": "2"], 0),
            (["LISTEN_FDS": "2"], 0), (["LISTEN_PID": "7", "LISTEN_FDS": "-1"], 0),
            (["LISTEN_PID": "7", "LISTEN_FDS": "+1"], 0), (["LISTEN_PID": "7", "LISTEN_FDS": ""], 0),
            (["LISTEN_PID": "7", "LISTEN_FDS": "99999999999"], 0), (["LISTEN_PID": "7", "LISTEN_FDS": "65"], 64),
        ] as [([String: String], Int32)])
    func countsPassedSockets(environment: [String: String], count: Int32) {
        #expect(PassedSockets.count(in: environment, pid: 7) == count)
    }
}

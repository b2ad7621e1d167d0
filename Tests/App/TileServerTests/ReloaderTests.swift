import Configuration
import Dispatch
import EventLog
import Synchronization
import TestSupport
import Testing

@testable import TileServer

/// Tests of reloads that hang and are abandoned (docs/spec/threats.md T48b).
@Suite(.blocking) final class ReloaderTests: Sendable {
    private let lines = LogLines()
    private let served = Mutex<[Int]>([])

    private func configuration(_ port: Int) -> Configuration {
        var configuration = Configuration(layers: [])
        configuration.server.port = port
        return configuration
    }

    /// Returns a reloader that reads its configurations from `load`. `load` gets the number of earlier reloads. It
    /// returns a port that tells the configurations apart. A normal reload is faster than `limit`.
    private func reloader(limit: Double = 2, _ load: @escaping @Sendable (Int) -> Int) -> Reloader {
        let count = Atomic(0)
        let file = ConfigurationFile(path: nil) { _ in
            self.configuration(load(count.wrappingAdd(1, ordering: .relaxed).oldValue))
        }
        let reloader = Reloader(file: file, manager: nil, log: lines.log, limit: limit)
        reloader.setServe { configuration in
            self.served.withLock { $0.append(configuration.server.port ?? 0) }
            return ReloadReport(layers: 0, maps: 0, needsRestart: [])
        }
        return reloader
    }

    private func isGivenUp(_ reloader: Reloader) async -> Bool {
        do throws(ReloadError) {
            _ = try await reloader.reload()
            return false
        } catch {
            return if case .hangs(_, isServing: false) = error { true } else { false }
        }
    }

    @Test func abandonsAHangingReloadAndContinues() async throws {
        let (gate, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let reloader = reloader { number in
            guard number == 0 else { return number }
            gate.wait()
            ended.signal()
            return number
        }
        #expect(await isGivenUp(reloader))
        #expect(lines.all.contains { $0.contains("config_error") && $0.contains("could not be read within 2 s") })
        _ = try await reloader.reload()
        // The first reload finally reads its file. Its configuration is not served.
        gate.signal()
        #expect(ended.wait(timeout: .now() + Patience.seconds) == .success)
        _ = try await reloader.reload()
        #expect(served.withLock { $0 } == [1, 2])
    }

    @Test func refusesAReloadWhileFourHang() async throws {
        let gate = DispatchSemaphore(value: 0)
        let reloader = reloader(limit: 0.2) { number in
            if number < 4 { gate.wait() }
            return number
        }
        for _ in 0..<4 { #expect(await isGivenUp(reloader)) }
        let error = await #expect(throws: ReloadError.self) { try await reloader.reload() }
        #expect(error.map { "\($0)" }?.hasPrefix("earlier reloads still wait") == true)
        for _ in 0..<4 { gate.signal() }
    }

    /// A reload that already creates layers cannot be abandoned.
    @Test func reportsThatLayersAreStillBeingCreated() async throws {
        let gate = DispatchSemaphore(value: 0)
        let reloader = reloader { $0 }
        reloader.setServe { _ in
            gate.wait()
            return ReloadReport(layers: 0, maps: 0, needsRestart: [])
        }
        let error = await #expect(throws: ReloadError.self) { try await reloader.reload() }
        #expect(error.map { "\($0)" }?.contains("are served when they are ready") == true)
        #expect(error?.response.status == .serviceUnavailable)
        gate.signal()
    }
}

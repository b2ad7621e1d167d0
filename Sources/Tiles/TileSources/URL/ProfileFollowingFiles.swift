import Dispatch
import HTTPClient
import Runtime
import Synchronization

/// The profile of a layer, which becomes another one when its PEM files have changed.
///
/// A class for what it knows of the files. Thread rule: any thread; no caller waits for a file.
final class ProfileFollowingFiles: Sendable {
    private struct State {
        var profile: UpstreamProfile
        var identity: [FileIdentity?]
        var nextCheck: MonotonicTime
    }

    private let files: TLSFiles
    private let make: @Sendable (UpstreamTLS) throws -> UpstreamProfile
    private let onError: @Sendable (any Error) -> Void
    private let state: Mutex<State>
    private static let queue = DispatchQueue(label: "TLS files", qos: .utility)
    /// Seconds between two checks of the files.
    private static let interval = 10.0

    /// Reads the files at once; throws what is wrong with them, or what `make` throws. `onError` is called with what is wrong
    /// with files that changed: the last that were right stay in force.
    init(
        _ files: TLSFiles, onError: @escaping @Sendable (any Error) -> Void,
        make: @escaping @Sendable (UpstreamTLS) throws -> UpstreamProfile
    ) throws {
        self.files = files
        self.make = make
        self.onError = onError
        // Before the files are read: the next check sees a change in between.
        let identity = files.identity
        state = Mutex(
            State(
                profile: try make(try files.read()), identity: identity,
                nextCheck: MonotonicTime.now().adding(seconds: Self.interval)))
    }

    /// For a request that goes out now. Every ten seconds it also starts a check of the files in the background.
    func profile(now: MonotonicTime) -> UpstreamProfile {
        let (profile, isDue) = state.withLock { state in
            let isDue = files != TLSFiles() && now >= state.nextCheck
            if isDue { state.nextCheck = now.adding(seconds: Self.interval) }
            return (state.profile, isDue)
        }
        if isDue { Self.queue.async { [weak self] in self?.check() } }
        return profile
    }

    /// Reads the files again if they have changed. Blocks.
    func check() {
        let identity = files.identity
        guard state.withLock({ $0.identity != identity }) else { return }
        do {
            let profile = try make(try files.read())
            state.withLock { ($0.profile, $0.identity) = (profile, identity) }
        } catch {
            // Reported once for each change: a file that is half written is soon whole.
            state.withLock { $0.identity = identity }
            onError(error)
        }
    }
}

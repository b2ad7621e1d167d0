import Dispatch
import HTTPClient
import Runtime
import Synchronization

/// Holds the request profile of a layer, which includes its TLS certificates. If the PEM files with the certificates
/// change, a new profile is made.
///
/// This is a class because it remembers the state of the files. Thread rule: any thread. No caller waits for a file.
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
    /// Minimum seconds between two checks of the files.
    private static let interval = 10.0

    /// Reads the files now, and throws if they are invalid or `make` throws. If the files change later and are then
    /// invalid, calls `onError` and continues to use the last valid files.
    init(
        _ files: TLSFiles, onError: @escaping @Sendable (any Error) -> Void,
        make: @escaping @Sendable (UpstreamTLS) throws -> UpstreamProfile
    ) throws {
        self.files = files
        self.make = make
        self.onError = onError
        // Take the identity before the files are read. The next check then sees a change that happens in between.
        let identity = files.identity
        state = Mutex(
            State(
                profile: try make(try files.read()), identity: identity,
                nextCheck: MonotonicTime.now().adding(seconds: Self.interval)))
    }

    /// Returns the profile for a request that goes out now. Also starts a check of the files in the background, at most
    /// every ten seconds.
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
            // Report each change once: a file that is half written is soon complete.
            state.withLock { $0.identity = identity }
            onError(error)
        }
    }
}

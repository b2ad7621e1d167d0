import Dispatch
import HTTPClient
import Reactor
import Synchronization

/// The profile of a layer, which becomes another one when its PEM files have changed.
///
/// A class for what it knows of the files. Thread rule: any thread; nobody waits for a file.
final class ProfileFollowingFiles: Sendable {
    private struct State {
        var profile: UpstreamProfile
        var identity: [FileIdentity?]
        var nextLook: MonotonicTime
    }

    private let files: TLSFiles
    private let make: @Sendable (UpstreamTLS) throws -> UpstreamProfile
    private let onTrouble: @Sendable (any Error) -> Void
    private let state: Mutex<State>
    private static let queue = DispatchQueue(label: "TLS files", qos: .utility)
    /// Seconds between two looks at the files.
    private static let interval = 10.0

    /// Reads the files at once; throws what is wrong with them, or what `make` throws. `onTrouble` hears of files that
    /// changed and are wrong now: the last that were right stay in force.
    init(
        _ files: TLSFiles, onTrouble: @escaping @Sendable (any Error) -> Void,
        make: @escaping @Sendable (UpstreamTLS) throws -> UpstreamProfile
    ) throws {
        self.files = files
        self.make = make
        self.onTrouble = onTrouble
        // Before the files are read: a change in between is seen at the next look.
        let identity = files.identity
        state = Mutex(
            State(
                profile: try make(try files.read()), identity: identity,
                nextLook: MonotonicTime.now().adding(seconds: Self.interval)))
    }

    /// For a request that goes out now. Every ten seconds it has somebody look at the files behind that.
    func profile(now: MonotonicTime) -> UpstreamProfile {
        let (profile, isDue) = state.withLock { state in
            let isDue = files != TLSFiles() && now >= state.nextLook
            if isDue { state.nextLook = now.adding(seconds: Self.interval) }
            return (state.profile, isDue)
        }
        if isDue { Self.queue.async { [weak self] in self?.look() } }
        return profile
    }

    /// Reads the files again if they have changed. Blocks.
    func look() {
        let identity = files.identity
        guard state.withLock({ $0.identity != identity }) else { return }
        do {
            let profile = try make(try files.read())
            state.withLock { ($0.profile, $0.identity) = (profile, identity) }
        } catch {
            // Said once for each change; half a file is soon followed by the whole.
            state.withLock { $0.identity = identity }
            onTrouble(error)
        }
    }
}

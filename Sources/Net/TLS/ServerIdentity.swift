import Synchronization

/// The certificates that a server shows from now on. New files replace them while the server runs, and sessions that
/// have begun go on with the earlier ones. Thread rule: any thread.
package final class ServerIdentity: Sendable {
    private let current: Mutex<TLSContext>

    package init(_ context: TLSContext) {
        current = Mutex(context)
    }

    /// The certificates for new connections.
    package var context: TLSContext { current.withLock { $0 } }

    /// Replaces the certificates, and returns the earlier ones. The caller releases them without a lock.
    package func replace(by context: TLSContext) -> TLSContext {
        current.withLock { current in
            defer { current = context }
            return current
        }
    }
}

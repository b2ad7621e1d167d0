import Dispatch

/// Calls a handler when the process receives a certain signal, until the object is released. Several signals in quick
/// succession may lead to one call.
package final class SignalSource: @unchecked Sendable {
    // Invariant behind @unchecked: `source` is only kept alive, and never used after `init`.
    private let source: any DispatchSourceSignal

    /// Calls `handler` on a queue of its own after the signal `number`. When `init` returns, the signal no longer has
    /// its default effect. A signal that was blocked and pending before is handled too.
    package init(_ number: Int32, handler: @escaping @Sendable () -> Void) {
        // The code does not ignore the signal first, as kqueue requires: an ignored signal would be lost. On Linux the
        // source installs a signal handler.
        source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "signal \(number)"))
        let isHeard = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isHeard.signal() }
        source.setEventHandler(handler: handler)
        source.activate()
        isHeard.wait()
    }
}

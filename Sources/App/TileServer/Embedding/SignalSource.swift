import Dispatch

/// Calls back for a signal. A class to own the source, which is active as long as this lives.
package final class SignalSource: @unchecked Sendable {
    // Invariant behind @unchecked: `source` is only kept alive, never touched again.
    private let source: any DispatchSourceSignal

    /// Calls `handler` on a queue of its own for each signal `number`. When this returns, the signal no longer does what it does
    /// by default, and one that was sent before, and has waited because it was blocked, is heard too.
    package init(_ number: Int32, handler: @escaping @Sendable () -> Void) {
        // To ignore the signal meanwhile, as kqueue wants, would lose one: on Linux the source installs a handler.
        source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "signal \(number)"))
        let isHeard = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isHeard.signal() }
        source.setEventHandler(handler: handler)
        source.activate()
        isHeard.wait()
    }
}

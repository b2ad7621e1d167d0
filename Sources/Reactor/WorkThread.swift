import CLinux
import Dispatch
import Glibc

/// A thread that may block and compute without taking one of Dispatch's.
enum WorkThread {
    /// Room for the stacks of image libraries, which is taken only as far as it is used.
    private static let stackBytes = 2 << 20

    /// Runs `body` on a new thread. `niceness` is added to that of the process; on Linux each thread has one of its own
    /// (sched(7)), and nobody but root takes it back, so a thread keeps it.
    static func start(label: String, niceness: Int32, _ body: @escaping @Sendable () -> Void) {
        let start = Start(label: label, niceness: niceness, body: body)
        let argument = Unmanaged.passRetained(start).toOpaque()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument)
        guard status != 0 else { return }
        // The system has no thread to give: the work must be done all the same.
        Unmanaged<Start>.fromOpaque(argument).release()
        DispatchQueue.global().async(execute: body)
    }

    /// A class to be handed through C.
    private final class Start: Sendable {
        private let label: String
        private let niceness: Int32
        private let body: @Sendable () -> Void

        init(label: String, niceness: Int32, body: @escaping @Sendable () -> Void) {
            self.label = label
            self.niceness = niceness
            self.body = body
        }

        func run() {
            linux_name_thread(label)
            // Fails nowhere but where it is forbidden; then the thread is like any other.
            if niceness > 0 { _ = nice(niceness) }
            body()
        }
    }
}

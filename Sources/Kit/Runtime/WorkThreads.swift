import CLinux
import Dispatch
import Glibc
import Synchronization

/// A pool of threads for work that blocks or computes. A new thread starts if work arrives, no thread is idle, and the
/// pool has fewer than `most` threads. After the owner calls `end`, the threads do the queued work and end.
///
/// The pool does not use Dispatch's concurrent queues. These queues share as many threads as there are cores, so long
/// computations in one queue delay the other queues.
///
/// A class because it owns the threads. Thread rule: any thread.
final class WorkThreads: Sendable {
    private struct State {
        var waiting = FIFO<@Sendable () -> Void>()
        var threads = 0
        var idle = 0
        var isOver = false
    }

    private let label: String
    private let most: Int
    private let niceness: Int32
    private let state = Mutex(State())
    private let wakeup = DispatchSemaphore(value: 0)

    /// Creates a pool of up to `most` threads. `label` is their name in thread lists. `niceness` in 0…19 lowers the
    /// threads' priority on busy cores. On Linux each thread has its own niceness (sched(7)). New threads inherit
    /// the niceness, and a process without privileges cannot lower it again. Work on a nice thread must therefore not
    /// start threads or submit work to Dispatch.
    init(label: String, most: Int, niceness: Int32 = 0) {
        self.label = label
        self.most = most
        self.niceness = niceness
    }

    var isNice: Bool { niceness > 0 }

    /// Runs `work` on one of the threads as soon as a thread is free. Returns at once.
    func run(_ work: @escaping @Sendable () -> Void) {
        enum Decision { case wake, start, wait }
        let decision = state.withLock { state -> Decision in
            state.waiting.append(work)
            if state.idle > 0 {
                state.idle -= 1
                return .wake
            }
            // All threads are busy. Each checks the queue before it goes idle.
            guard state.threads < most else { return .wait }
            state.threads += 1
            return .start
        }
        switch decision {
        case .wake: wakeup.signal()
        case .start: start()
        case .wait: break
        }
    }

    /// Ends the threads when the queued work is done.
    func end() {
        let idle = state.withLock { state in
            state.isOver = true
            defer { state.idle = 0 }
            return state.idle
        }
        for _ in 0..<idle { wakeup.signal() }
    }

    private func start() {
        let argument = Unmanaged.passRetained(self).toOpaque()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                if let argument { Unmanaged<WorkThreads>.fromOpaque(argument).takeRetainedValue().live() }
                return nil
            }, argument)
        guard status != 0 else { return }
        Unmanaged<WorkThreads>.fromOpaque(argument).release()
        // The system refused another thread. The work runs on a Dispatch thread instead.
        state.withLock { $0.threads -= 1 }
        DispatchQueue.global().async { while let work = self.state.withLock({ $0.waiting.popFirst() }) { work() } }
    }

    /// Runs queued work on the calling thread until `end` is called and no work is queued.
    private func live() {
        linux_name_thread(label)
        // If setpriority(2) is forbidden, the thread keeps the niceness of the thread that started it.
        let which = __priority_which_t(PRIO_PROCESS.rawValue)
        let process = getpriority(which, id_t(getpid()))
        _ = setpriority(which, 0, Self.niceness(ofProcess: process, adding: niceness))
        while let work = next() { work() }
    }

    /// Returns the niceness of a thread. Dispatch gives its threads a niceness by quality of service, 0 or less,
    /// whatever the process has. A process below 0 must not lift these threads above the reactors on Dispatch.
    static func niceness(ofProcess process: Int32, adding added: Int32) -> Int32 { max(process, 0) + added }

    /// Returns the next work for the calling thread, and blocks the thread until there is some. Returns nil if the
    /// thread should end.
    private func next() -> (@Sendable () -> Void)? {
        while true {
            let (work, ends) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
                if let work = state.waiting.popFirst() { return (work, false) }
                if state.isOver { return (nil, true) }
                state.idle += 1
                return (nil, false)
            }
            if work != nil || ends { return work }
            wakeup.wait()
        }
    }
}

import CLinux
import Dispatch
import Glibc
import Synchronization

/// Threads of one purpose, which may block and compute: they come with the work, wait for more, and end with their owner.
///
/// Not Dispatch's: all its concurrent queues share as many threads as there are cores, and what computes in one of them keeps
/// the others waiting.
///
/// A class to own the threads. Thread rule: any thread.
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

    /// At most `most` threads, which `label` names in lists of threads. `niceness` in 0…19 is added to that of the process: how
    /// far they stand back where the cores are busy. On Linux each thread has one of its own (sched(7)), which the
    /// threads that it starts inherit and nobody but root takes back: what runs on a nice thread must not start any, nor
    /// give Dispatch work.
    init(label: String, most: Int, niceness: Int32 = 0) {
        self.label = label
        self.most = most
        self.niceness = niceness
    }

    var isNice: Bool { niceness > 0 }

    /// Runs `work` on one of the threads, as soon as one is free.
    func run(_ work: @escaping @Sendable () -> Void) {
        enum Decision { case wake, start, wait }
        let decision = state.withLock { state -> Decision in
            state.waiting.append(work)
            if state.idle > 0 {
                state.idle -= 1
                return .wake
            }
            // All are at work, and look here before they rest.
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

    /// Ends the threads once they have nothing to do.
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
        // The system has no thread to give: the work must be done all the same.
        state.withLock { $0.threads -= 1 }
        DispatchQueue.global().async { while let work = self.state.withLock({ $0.waiting.popFirst() }) { work() } }
    }

    /// The life of one thread.
    private func live() {
        linux_name_thread(label)
        // That of the first thread is the process's; whoever starts this one may have another, since Dispatch gives some of its
        // threads one by their quality of service. Where it is forbidden the thread keeps what it has.
        let which = __priority_which_t(PRIO_PROCESS.rawValue)
        _ = setpriority(which, 0, getpriority(which, id_t(getpid())) + niceness)
        while let work = next() { work() }
    }

    /// Waits for work; nil where the thread is to end.
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

import CLinux
import Dispatch
import Glibc
import Synchronization

/// An event loop that serves many sockets on one thread at a time. The loop is a serial Dispatch queue with one epoll
/// descriptor, which watches all sockets. When a socket is ready, a `DispatchSource` wakes the queue, and the loop
/// calls the handler of the socket.
///
/// A class because it owns the epoll descriptor. A reactor is also a `TaskExecutor`: a `Task(executorPreference:
/// reactor)` runs on its queue. An asynchronous response can therefore do without a thread switch.
///
/// Thread rule: `post`, `enqueue`, `makeTimer` and `isCurrent` on any thread, all other methods only on the reactor's
/// queue.
public final class Reactor: TaskExecutor, @unchecked Sendable {
    // Invariant behind @unchecked: mutable state is used only on `queue`, except `mailbox` and `owner`, which
    // synchronise themselves.
    let queue: DispatchQueue
    private let epoll: Int32
    private let source: any DispatchSourceRead
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private let ready = UnsafeMutablePointer<epoll_event>.allocate(capacity: Reactor.batch)

    private let mailbox = Mailbox()
    /// The work that is running. The array is reused for its capacity.
    ///
    /// `taken` and `turns` are not checked for exclusive access. The checks cost 3 % of a cached tile, and no work runs
    /// during an access.
    @exclusivity(unchecked) private var taken: [Mailbox.Work] = []
    /// An eventfd that interrupts `epoll_wait` when another thread adds work.
    private let interrupt: Int32
    /// The thread that runs `drain`, or 0 if none does.
    private let owner = Atomic<UInt>(0)

    /// Handlers that asked for another turn.
    @exclusivity(unchecked) private var turns = FIFO<any ResumableHandler>()

    /// Deadlines of this reactor's handlers.
    public let deadlines: DeadlineWheel

    /// Start time of the current round of events or of the current postponed turn. Cached, because most handlers need
    /// the time.
    public var now: MonotonicTime { roundTime }
    /// Private, so that the compiler sees all writes and omits exclusivity checks on reads.
    private var roundTime = MonotonicTime.now()

    private static let batch = 64
    /// Maximum rounds of events per turn on the queue, so that a busy network does not starve other work on the queue.
    private static let roundsPerTurn = 32
    /// Seconds per round for postponed turns, at least one turn. After that, new events are served.
    private static let secondsForTurns = 0.002
    /// Milliseconds to wait for the next event before the queue's thread is given back. Under load the next event
    /// arrives sooner: this saves three of four context switches and 4 % of the CPU of a cached tile (64 connections,
    /// one core).
    private static let linger: Int32 = 1
    private static let interruptSlot = UInt64(UInt32.max)

    private struct Slot {
        var handler: (any ReactorHandler)?
        var generation: UInt32 = 0
    }

    /// Creates an event loop that waits for events at once. `label` is the name of its Dispatch queue. Throws
    /// `ReactorError` if the system refuses a descriptor.
    public init(label: String) throws {
        queue = DispatchQueue(label: label)
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else {
            let code = errno
            ready.deallocate()
            throw ReactorError(call: "epoll_create1", code: code)
        }
        interrupt = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard interrupt >= 0 else {
            let code = errno
            close(epoll)
            ready.deallocate()
            throw ReactorError(call: "eventfd", code: code)
        }
        // Edge-triggered: each write is an event, so the counter need not be read.
        var event = epoll_event()
        event.events = Readiness.readable.rawValue | Trigger.edge.rawValue
        event.data.u64 = Self.interruptSlot
        epoll_ctl(epoll, EPOLL_CTL_ADD, interrupt, &event)
        source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
        deadlines = DeadlineWheel(queue: queue)
        // Weak, because the owner may release the reactor while an event is in flight.
        deadlines.onWake = { [weak self] in self?.drain() }
        source.setEventHandler { [weak self] in self?.drain() }
        let descriptors = (epoll, interrupt)
        source.setCancelHandler {
            close(descriptors.0)
            close(descriptors.1)
        }
        source.activate()
    }

    deinit {
        source.cancel()
        ready.deallocate()
    }

    // MARK: Descriptors

    /// Watches `descriptor` and calls `handler` on its events until `unregister`. The reactor keeps `handler` alive
    /// until then.
    public func register(
        _ descriptor: Int32, for interest: Readiness, trigger: Trigger, handler: any ReactorHandler
    ) throws(ReactorError) -> Registration {
        let index = freeSlots.popLast() ?? slots.count
        if index == slots.count { slots.append(Slot()) }
        slots[index].handler = handler
        let registration = Registration(
            descriptor: descriptor, slot: UInt32(index), generation: slots[index].generation, trigger: trigger)
        do throws(ReactorError) {
            try control(EPOLL_CTL_ADD, registration, interest)
        } catch {
            release(index)
            throw error
        }
        return registration
    }

    /// Changes the events that `registration` waits for.
    public func modify(_ registration: Registration, for interest: Readiness) throws(ReactorError) {
        try control(EPOLL_CTL_MOD, registration, interest)
    }

    /// Stops watching a descriptor. Call this before the descriptor is closed. Pending events are dropped.
    public func unregister(_ registration: Registration) {
        let index = Int(registration.slot)
        guard slots[index].generation == registration.generation else { return }
        // A failure means that the descriptor has already left epoll.
        _ = epoll_ctl(epoll, EPOLL_CTL_DEL, registration.descriptor, nil)
        release(index)
    }

    private func release(_ index: Int) {
        slots[index].handler = nil
        slots[index].generation &+= 1
        freeSlots.append(index)
    }

    private func control(
        _ operation: Int32, _ registration: Registration, _ interest: Readiness
    ) throws(ReactorError) {
        var event = epoll_event()
        event.events = interest.rawValue | registration.trigger.rawValue
        event.data.u64 = UInt64(registration.generation) << 32 | UInt64(registration.slot)
        guard epoll_ctl(epoll, operation, registration.descriptor, &event) == 0 else {
            throw ReactorError(call: "epoll_ctl", code: errno)
        }
    }

    // MARK: Turns

    /// Schedules one more turn of `handler`, after the current or the next batch of events, and after the handlers that
    /// already wait. A handler with more work than fits into a turn calls this once per further turn. The
    /// reactor keeps `handler` alive until then.
    public func postpone(_ handler: any ResumableHandler) {
        turns.append(handler)
    }

    /// Gives each waiting handler one turn, and stops early when `secondsForTurns` are over.
    private func resumeTurns() {
        var waiting = turns.count
        guard waiting > 0 else { return }
        roundTime = .now()
        let end = now.adding(seconds: Self.secondsForTurns)
        repeat {
            turns.popFirst()?.resume()
            waiting -= 1
            roundTime = .now()
        } while waiting > 0 && now < end
    }

    // MARK: Work from elsewhere

    /// Runs `work` on this reactor's queue, after the work that is already queued.
    public func post(_ work: @escaping @Sendable () -> Void) {
        submit(.block(work))
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        submit(.job(UnownedJob(job)))
    }

    /// Creates a timer whose handler runs inside this reactor. The timer does nothing until the caller schedules it.
    /// The caller keeps and cancels the timer.
    public func makeTimer(_ handler: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.post(handler) }
        timer.schedule(deadline: .distantFuture)
        timer.activate()
        return timer
    }

    /// True if the caller runs inside this reactor.
    public var isCurrent: Bool {
        owner.load(ordering: .relaxed) == UInt(pthread_self())
    }

    private func submit(_ work: Mailbox.Work) {
        switch mailbox.add(work, isInside: isCurrent) {
        case .none: break
        case .interrupt: eventfd_write(interrupt, 1)
        case .schedule: queue.async { self.drain() }
        }
    }

    // MARK: The loop

    private func drain() {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        defer { owner.store(0, ordering: .relaxed) }
        for round in 1...Self.roundsPerTurn {
            roundTime = .now()
            let start = now
            let hasRun = runMailbox()
            let count = epoll_wait(epoll, ready, Int32(Self.batch), hasRun || turns.count > 0 ? 0 : Self.linger)
            // EINTR counts as no event: the source fires again while events are ready.
            for index in 0..<Int(max(count, 0)) { serve(ready[index]) }
            resumeTurns()
            // Deadlines expire after the events, and as of `start`: data that arrived before is read by now, even if
            // this reactor was delayed. A full batch may leave events behind, which are served first, except in the
            // last round.
            if count < Self.batch || round == Self.roundsPerTurn { deadlines.expire(start) }
            if count <= 0, !hasRun, turns.count == 0 { return rest(goesOn: false) }
        }
        rest(goesOn: true)
    }

    /// Gives the queue's thread back. `goesOn` is true if more events may be ready. The reactor then gets another turn,
    /// behind other work on the queue.
    private func rest(goesOn: Bool) {
        deadlines.arm(now)
        if mailbox.close(schedules: goesOn) { queue.async { self.drain() } }
    }

    private func serve(_ event: epoll_event) {
        guard event.data.u64 != Self.interruptSlot else { return }
        let slot = Int(truncatingIfNeeded: event.data.u64 & 0xFFFF_FFFF)
        guard slots[slot].generation == UInt32(truncatingIfNeeded: event.data.u64 >> 32) else { return }
        slots[slot].handler?.isReady(Readiness(rawValue: event.events))
    }

    /// Runs the work in the mailbox. Work that arrives during this call runs after the next events. Returns false if
    /// there was no work. In this case, new work interrupts the wait for events.
    private func runMailbox() -> Bool {
        mailbox.take(into: &taken)
        guard !taken.isEmpty else { return false }
        for item in taken {
            switch item {
            case .block(let block): block()
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
        taken.removeAll(keepingCapacity: true)
        return true
    }
}

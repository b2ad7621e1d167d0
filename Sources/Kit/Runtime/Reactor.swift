import CLinux
import Dispatch
import Glibc
import Synchronization

/// One thread's worth of readiness: a serial Dispatch queue, one epoll descriptor that holds all its descriptors, and
/// one long-lived `DispatchSource` on that epoll descriptor, whose handler serves ready descriptors in place.
///
/// A class to own the epoll descriptor. It is also a `TaskExecutor`: a `Task(executorPreference: reactor)` runs on
/// its queue, so an asynchronous answer needs no hop to another thread.
///
/// Thread rule: `post`, `enqueue` and `stop` from any thread; everything else only on the reactor's queue.
public final class Reactor: TaskExecutor, @unchecked Sendable {
    // Invariant behind @unchecked: all mutable state below is touched only on `queue`, except `mailbox` and `owner`,
    // which synchronise themselves.
    let queue: DispatchQueue
    private let epoll: Int32
    private let source: any DispatchSourceRead
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private let ready = UnsafeMutablePointer<epoll_event>.allocate(capacity: Reactor.batch)

    private let mailbox = Mailbox()
    /// Work being run; kept for its capacity.
    private var taken: [Mailbox.Work] = []
    /// Interrupts the wait for events when work comes from elsewhere.
    private let interrupt: Int32
    /// The thread that is inside `drain`, 0 if none is.
    private let owner = Atomic<UInt>(0)

    /// Handlers whose turns were cut short.
    private var turns = FIFO<any ResumableHandler>()

    /// Deadlines of this reactor's handlers.
    public let deadlines: DeadlineWheel

    /// The time of the current round of events; read once per round, and for each turn that goes on, since most handlers need
    /// it.
    public var now: MonotonicTime { roundTime }
    /// Not public, so that the compiler sees all that changes it, and checks no look at it against that.
    private var roundTime = MonotonicTime.now()

    private static let batch = 64
    /// Rounds served before the queue gets its turn, so that posted work is not starved by a busy network.
    private static let roundsPerTurn = 32
    /// Seconds for which turns go on in a round, one of them at least: then new events have theirs.
    private static let secondsForTurns = 0.002
    /// Milliseconds to wait for the next event before the queue's thread is given back. Under load the next event
    /// comes sooner: that spares three of four context switches and 4 % of the CPU of a cached tile (64 connections,
    /// one core).
    private static let linger: Int32 = 1
    private static let interruptSlot = UInt64(UInt32.max)

    private struct Slot {
        var handler: (any ReactorHandler)?
        var generation: UInt32 = 0
    }

    /// Throws `ReactorError` where the system has no descriptor left.
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
        // Edge-triggered: each write is an event, and the counter need not be read.
        var event = epoll_event()
        event.events = Readiness.readable.rawValue | Trigger.edge.rawValue
        event.data.u64 = Self.interruptSlot
        epoll_ctl(epoll, EPOLL_CTL_ADD, interrupt, &event)
        source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
        deadlines = DeadlineWheel(queue: queue)
        // Weak, because whoever made the reactor owns it, and may drop it while an event is on its way.
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

    /// Watches `descriptor`; `handler` hears of it until `unregister`. The reactor keeps `handler` alive meanwhile.
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

    /// Changes what `registration` waits for.
    public func modify(_ registration: Registration, for interest: Readiness) throws(ReactorError) {
        try control(EPOLL_CTL_MOD, registration, interest)
    }

    /// Forgets a descriptor. Call it before the descriptor is closed; events already under way are dropped.
    public func unregister(_ registration: Registration) {
        let index = Int(registration.slot)
        guard slots[index].generation == registration.generation else { return }
        // A failure means that the descriptor left epoll already, which is what is wanted.
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

    /// Has `handler` go on, after the events that are ready now and the handlers that wait already. A handler that has more
    /// to do than one turn may take calls this once for each further turn. The reactor keeps `handler` alive until then.
    public func postpone(_ handler: any ResumableHandler) {
        turns.append(handler)
    }

    /// Lets the handlers go on that wait now, one turn each, and stops when the time for that is over.
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

    /// Runs `work` on this reactor's queue, after what it is doing now.
    public func post(_ work: @escaping @Sendable () -> Void) {
        submit(.block(work))
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        submit(.job(UnownedJob(job)))
    }

    /// A timer whose handler runs inside this reactor. It waits until it is scheduled; the caller keeps and cancels
    /// it.
    public func makeTimer(_ handler: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.post(handler) }
        timer.schedule(deadline: .distantFuture)
        timer.activate()
        return timer
    }

    /// Whether the caller runs inside this reactor.
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
            // EINTR counts as no event: the source fires again as long as something is ready.
            for index in 0..<Int(max(count, 0)) { serve(ready[index]) }
            resumeTurns()
            // After the events: what came in time was read by now, however long this reactor was held up. As of `start`:
            // nobody has looked for what came after it. A full batch may leave events behind, which are served first unless
            // there is no end of them.
            if count < Self.batch || round == Self.roundsPerTurn { deadlines.expire(start) }
            if count <= 0, !hasRun, turns.count == 0 { return rest(goesOn: false) }
        }
        rest(goesOn: true)
    }

    /// Gives the queue's thread back. `goesOn`: there may be more events, and others' turn on the queue comes before
    /// them.
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

    /// Runs the work that is waiting now, and not what that work adds: events have their turn before it. False if
    /// there was none; then the mailbox interrupts the wait for events when some comes.
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

import Dispatch

/// An object with a deadline, such as a connection. All members are used on one reactor's queue only.
public protocol DeadlineHandler: AnyObject {
    /// Time at which to call `deadlinePassed`. The deadline may move at any time. A move to a later time needs no call,
    /// and a move to an earlier time needs a call of `watch`.
    var deadline: MonotonicTime { get }
    /// The tick under which the wheel holds this handler, or `DeadlineWheel.notWatched`.
    var watchedTick: Int { get }
    /// Sets `watchedTick`. Only the wheel calls this. A settable property in the protocol would make each read slower,
    /// because Swift then checks for simultaneous access.
    func setWatchedTick(_ tick: Int)
    func deadlinePassed()
}

/// Watches the deadlines of many handlers, such as the timeouts of connections. The resolution is a quarter second.
/// Watching and unwatching are O(1), and a wheel without handlers does no work.
///
/// This is a hashed timing wheel (Varghese and Lauck 1987). Time is divided into ticks, and each slot of the wheel has
/// the handlers of one tick. If a handler's deadline moves to a later time, the handler first stays in its slot. It
/// moves to another slot when the old tick comes. A busy connection therefore only writes one number per request. A
/// class because it owns the timer.
public final class DeadlineWheel {
    public static let notWatched = -1

    private static let tickLength = 250_000_000
    private static let slotCount = 512

    private var slots = [[any DeadlineHandler]](repeating: [], count: DeadlineWheel.slotCount)
    private var count = 0
    private var lastTick = MonotonicTime.now().nanoseconds / DeadlineWheel.tickLength
    private var armedTick = Int.max
    private let timer: any DispatchSourceTimer
    var onWake: () -> Void = {}

    init(queue: DispatchQueue) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        // Weak, because the reactor owns the wheel and may be released while a timer event is in flight.
        timer.setEventHandler { [weak self] in
            self?.armedTick = .max
            self?.onWake()
        }
        timer.schedule(deadline: .distantFuture)
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    /// Holds `handler` until its deadline passes. Call this once, and again each time the deadline moves to an earlier
    /// time.
    public func watch(_ handler: any DeadlineHandler) {
        // Uses the tick after the deadline's tick, so that a handler is never called early and about one tick late at
        // most.
        let wanted = max(handler.deadline.nanoseconds / Self.tickLength + 1, lastTick + 1)
        // A deadline beyond the wheel's range uses the farthest slot, and moves on from there.
        let tick = min(wanted, lastTick + Self.slotCount - 1)
        guard handler.watchedTick == Self.notWatched || tick < handler.watchedTick else { return }
        handler.setWatchedTick(tick)
        slots[tick % Self.slotCount].append(handler)
        count += 1
    }

    /// Stops watching `handler`. The wheel keeps the handler alive until the handler's tick comes or `dropUnwatched` is
    /// called.
    public func unwatch(_ handler: any DeadlineHandler) {
        handler.setWatchedTick(Self.notWatched)
    }

    /// Removes all handlers that were unwatched, without waiting for their ticks. For an owner that shuts down.
    public func dropUnwatched() {
        guard count > 0 else { return }
        for slot in slots.indices { slots[slot].removeAll { $0.watchedTick == Self.notWatched } }
        count = slots.reduce(0) { $0 + $1.count }
    }

    /// Calls `deadlinePassed` of each handler whose tick has come and whose deadline has passed. A handler whose
    /// deadline has moved to a later time is put into a later slot.
    func expire(_ now: MonotonicTime) {
        let current = now.nanoseconds / Self.tickLength
        guard current > lastTick else { return }
        let first = max(lastTick + 1, current - Self.slotCount + 1)
        defer { lastTick = current }
        guard count > 0 else { return }
        for tick in first...current where !slots[tick % Self.slotCount].isEmpty {
            // A handler that moves beyond `current` must not land in a slot that this loop has yet to empty: the loop
            // would drop the handler.
            lastTick = tick
            let due = slots[tick % Self.slotCount]
            slots[tick % Self.slotCount] = []
            count -= due.count
            for handler in due where handler.watchedTick != Self.notWatched && handler.watchedTick <= current {
                handler.setWatchedTick(Self.notWatched)
                if handler.deadline <= now { handler.deadlinePassed() } else { watch(handler) }
            }
        }
    }

    /// Sets the timer to the next tick that has handlers.
    func arm(_ now: MonotonicTime) {
        guard count > 0 else { return }
        var tick = lastTick + 1
        while slots[tick % Self.slotCount].isEmpty { tick += 1 }
        guard tick < armedTick else { return }
        armedTick = tick
        timer.schedule(
            deadline: DispatchTime.now() + .nanoseconds(max(tick * Self.tickLength - now.nanoseconds, 0)),
            leeway: .milliseconds(20))
    }
}

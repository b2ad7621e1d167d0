import Dispatch

/// Something that must happen by a time. All members are used on one reactor's queue only.
public protocol DeadlineHandler: AnyObject {
    /// When to call `deadlinePassed`. May move at any time; moving it later costs nothing, moving it earlier needs
    /// `watch`.
    var deadline: MonotonicTime { get }
    /// The tick under which the wheel holds this handler, or `DeadlineWheel.notWatched`.
    var watchedTick: Int { get }
    /// Has the wheel set `watchedTick`. A method and no `set`, with which each look at the property would be checked against
    /// another access that is under way.
    func setWatchedTick(_ tick: Int)
    func deadlinePassed()
}

/// Deadlines of many handlers at a resolution of a quarter second, O(1) each, without work while nothing is due.
///
/// A hashed timing wheel (Varghese and Lauck 1987): a handler whose deadline moved later is found on its old tick and
/// moved on then, so that a busy connection writes one number per request and touches no list. A class to own the
/// timer.
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
        // Weak, because the reactor owns the wheel, and may be dropped while the timer's event is on its way.
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

    /// Holds `handler` until its deadline passed. Needed once, and again whenever the deadline moved to an earlier
    /// time.
    public func watch(_ handler: any DeadlineHandler) {
        // The tick after the deadline's: never early, at most one tick late.
        let wanted = max(handler.deadline.nanoseconds / Self.tickLength + 1, lastTick + 1)
        // Beyond the wheel's horizon a handler waits in the farthest slot and is moved on from there.
        let tick = min(wanted, lastTick + Self.slotCount - 1)
        guard handler.watchedTick == Self.notWatched || tick < handler.watchedTick else { return }
        handler.setWatchedTick(tick)
        slots[tick % Self.slotCount].append(handler)
        count += 1
    }

    /// Forgets `handler`; its entry, which keeps it alive, goes when its tick comes.
    public func unwatch(_ handler: any DeadlineHandler) {
        handler.setWatchedTick(Self.notWatched)
    }

    /// Lets go of all handlers that were unwatched, without waiting for their ticks: for an owner that ends.
    public func dropUnwatched() {
        guard count > 0 else { return }
        for slot in slots.indices { slots[slot].removeAll { $0.watchedTick == Self.notWatched } }
        count = slots.reduce(0) { $0 + $1.count }
    }

    /// Calls the handlers whose deadline passed.
    func expire(_ now: MonotonicTime) {
        let current = now.nanoseconds / Self.tickLength
        guard current > lastTick else { return }
        let first = max(lastTick + 1, current - Self.slotCount + 1)
        defer { lastTick = current }
        guard count > 0 else { return }
        for tick in first...current where !slots[tick % Self.slotCount].isEmpty {
            // A handler that is moved on must not land in a slot that this loop still empties.
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

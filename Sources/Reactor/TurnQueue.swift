/// Goes on where its turn ended, one turn at a time. Called on the reactor's queue only.
public protocol ResumableHandler: AnyObject {
    func resume()
}

/// The handlers that have more to do and wait for another turn: first in, first out.
struct TurnQueue {
    private var handlers: [any ResumableHandler] = []
    private var next = 0

    var count: Int { handlers.count - next }

    mutating func append(_ handler: any ResumableHandler) {
        handlers.append(handler)
    }

    /// Nil where none waits.
    mutating func popFirst() -> (any ResumableHandler)? {
        guard next < handlers.count else { return nil }
        defer {
            next += 1
            // Amortised O(1): the array is shortened when half of it is done with.
            if next * 2 >= handlers.count {
                handlers.removeFirst(next)
                next = 0
            }
        }
        return handlers[next]
    }
}

import EventLog
import Glibc
import Logging
import Runtime

/// Assigns each new connection (a newcomer) to a worker, and makes room for it if the server is full.
///
/// Below the limit, newcomers are assigned to the workers in turn. At the limit, a worker first closes one of its
/// overdue connections, such as an idle one (`ClosableConnections`). If it has none, the other workers are asked one
/// after the other. If no worker has one, all workers are asked for a young connection. If nothing can be closed, the
/// newcomer is refused. A few slots are reserved for newcomers from this machine.
///
/// Each worker looks only at its own connections. They represent all connections well, because newcomers are assigned
/// in turn. The workers therefore need no common list, and requests cost no extra time. Thread rule: `place` on the
/// first worker's queue.
final class Admission: Sendable {
    private let workers: [Worker]
    private let limit: Int
    private let open: OpenConnections
    private let refusal: Response

    /// Maximum number of newcomers above the limit that wait for a worker. Beyond it, the first worker makes room at
    /// once, or the newcomer gets a reserved slot or is refused. This keeps the number of waiting descriptors small,
    /// even if a worker is slow.
    private static let most = 64

    /// `limit` is at least 1. `refusal` is the response if there is no slot.
    init(workers: [Worker], limit: Int, open: OpenConnections, refusal: Response) {
        self.workers = workers
        self.limit = limit
        self.open = open
        self.refusal = refusal
    }

    /// Assigns `newcomer` to a worker or refuses it. The worker at `index` is asked first. If more than `most`
    /// newcomers wait, only the first worker is asked.
    func place(_ newcomer: Newcomer, at index: Int) {
        open.add()
        if open.ordinaryCount <= limit {
            run(at: index) { $0.adopt(newcomer) }
        } else if open.ordinaryCount <= limit + Self.most {
            run(at: index) { _ in self.squeeze(newcomer, at: index, asked: 1) }
        } else if workers[0].closeOne(.overdue, for: newcomer.network)
            || workers[0].closeOne(.young, for: newcomer.network)
        {
            workers[0].adopt(newcomer)
        } else if newcomer.isLoopback, open.takeReserved() {
            run(at: index) { $0.adopt(newcomer, isReserved: true) }
        } else {
            workers[0].refuse(newcomer, with: refusal)
        }
    }

    /// Asks the worker at `index` to close a connection, and gives its slot to `newcomer`. If a slot is free by then,
    /// nothing is closed. Runs on that worker's queue. In the first round, the workers are asked for an overdue
    /// connection, and in the second for a young one. `asked` counts the workers that were asked in both rounds,
    /// including this one.
    private func squeeze(_ newcomer: Newcomer, at index: Int, asked: Int) {
        let worker = workers[index]
        // Other connections may have closed meanwhile.
        if open.ordinaryCount <= limit
            || worker.closeOne(asked <= workers.count ? .overdue : .young, for: newcomer.network)
        {
            worker.adopt(newcomer)
        } else if asked < 2 * workers.count {
            let next = (index + 1) % workers.count
            run(at: next) { _ in self.squeeze(newcomer, at: next, asked: asked + 1) }
        } else if newcomer.isLoopback {
            reserve(newcomer, at: index, asked: 1)
        } else {
            worker.refuse(newcomer, with: refusal)
        }
    }

    /// Gives a newcomer from this machine a reserved slot: a free one, or the slot of an overdue connection that is
    /// reserved too. Runs on the queue of the worker at `index`, like `squeeze`.
    private func reserve(_ newcomer: Newcomer, at index: Int, asked: Int) {
        let worker = workers[index]
        if open.takeReserved() || worker.closeOneReserved() && open.takeReserved() {
            worker.adopt(newcomer, isReserved: true)
        } else if asked < workers.count {
            let next = (index + 1) % workers.count
            run(at: next) { _ in self.reserve(newcomer, at: next, asked: asked + 1) }
        } else {
            worker.refuse(newcomer, with: refusal)
        }
    }

    private func run(at index: Int, _ work: @escaping @Sendable (Worker) -> Void) {
        let worker = workers[index]
        if worker.reactor.isCurrent { work(worker) } else { worker.reactor.post { work(worker) } }
    }
}

import EventLog
import Glibc
import Logging
import Runtime

/// Places newcomers. Below the limit the workers get them in turn. At the limit the worker whose turn it is closes one of its
/// overdue connections (`ClosableConnections`). If it has none, the next worker is asked. If no worker has one, all are asked
/// once more for a young connection. If all connections are being answered, the newcomer is refused, unless it comes from
/// this machine and a reserved slot is free or has an overdue connection.
///
/// Each worker judges by its own connections, which are a fair sample since they were dealt out in turn: so no list is shared,
/// and a request costs nothing for it. Thread rule: `place` on the first worker's queue.
final class Admission: Sendable {
    private let workers: [Worker]
    private let limit: Int
    private let open: OpenConnections
    private let refusal: Response

    /// The most newcomers that wait for a worker. Beyond it the first worker makes room at once, or the newcomer is refused:
    /// so waiting newcomers hold few descriptors, even if a worker is held up.
    private static let most = 64

    /// `limit` is at least 1. `refusal` answers whom there is no place for.
    init(workers: [Worker], limit: Int, open: OpenConnections, refusal: Response) {
        self.workers = workers
        self.limit = limit
        self.open = open
        self.refusal = refusal
    }

    /// Takes over `newcomer`, whose turn is that of the worker at `index`.
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

    /// Runs on the queue of the worker at `index`, which is the worker number `asked` to be asked: each worker once for an
    /// overdue connection, then each once for a young one.
    private func squeeze(_ newcomer: Newcomer, at index: Int, asked: Int) {
        let worker = workers[index]
        // Others may have left since.
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

    /// Gives a newcomer from this machine a reserved slot: a free one, or the slot of an overdue connection. Runs on the
    /// queue of the worker at `index`, as `squeeze` does.
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

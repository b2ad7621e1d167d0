import EventLog
import Glibc
import Logging
import Reactor

/// Places newcomers. Below the limit the workers get them in turn. At the limit the worker whose turn it is closes a connection of
/// its own that is overdue (`ClosableConnections`); where it has none the next worker is asked. Where none has, all are asked once
/// more in the same way for a young one. Where all connections are being answered the newcomer is refused, unless it comes from
/// this machine and a kept place is free or held by a connection that is overdue.
///
/// Each worker judges by its own connections, which are a fair sample since they were dealt out in turn: so no list is shared,
/// and a request costs nothing for it. Thread rule: `place` on the first worker's queue.
final class Admission: Sendable {
    private let workers: [Worker]
    private let limit: Int
    private let open: OpenConnections
    private let refusal: Response

    /// Newcomers that may wait for a worker at a time: beyond them the first worker has to make room at once, or one is refused, so
    /// that their descriptors stay few whatever holds a worker up.
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

    /// On the queue of the worker at `index`, which is the one to be asked when as many were asked as `asked` says: each of them
    /// once for an overdue connection, then each once for a young one.
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

    /// Gives a newcomer from this machine a kept place: a free one, or that of an overdue connection. On the queue of the worker at
    /// `index`, as `squeeze` is.
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

import CLibcurl
import Dispatch
import Runtime

/// Drives libcurl's transfers by the reactor's readiness and one timer (`curl_multi_socket_action`).
///
/// A class to own the multi handle. Thread rule: the reactor's queue, but for `init`.
final class TransferLoop: @unchecked Sendable {
    // Invariant behind @unchecked: everything is touched only inside `reactor`.
    let reactor: Reactor
    /// Where bodies are counted.
    let memory: MemoryBudget
    private let multi: UnsafeMutableRawPointer
    private var sockets = SocketTable()
    /// Each of which knows its index here.
    private var all: [Transfer] = []
    /// The first of those that wait for a request.
    private var idle: Transfer?
    private var idleCount = 0
    /// Those whose outcomes nobody has been told yet, in the order in which they ended.
    private var firstEnded: Transfer?
    private var lastEnded: Transfer?
    private var isSettling = false
    private var timer: (any DispatchSourceTimer)?
    /// When libcurl wants to be called; nil if it does not.
    private var wanted: MonotonicTime?
    /// When the timer fires. It is left as it is when libcurl moves its wish to later.
    private var armed = MonotonicTime.distantFuture
    private var isShutDown = false

    /// Idle easy handles kept, about 10 KiB each.
    private static let maxIdle = 64

    init(reactor: Reactor, maxIdleConnections: Int, memory: MemoryBudget) {
        _ = Libcurl.isReady
        guard let multi = curl_multi_init() else { preconditionFailure("no memory for libcurl") }
        self.reactor = reactor
        self.memory = memory
        self.multi = multi
        let context = Unmanaged.passUnretained(self).toOpaque()
        curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maxIdleConnections)
        curl_multi_set_on_socket(
            multi,
            { _, descriptor, what, context, _ in
                TransferLoop.from(context)?.watch(descriptor, what)
                return 0
            }, context)
        curl_multi_set_on_timer(
            multi,
            { _, milliseconds, context in
                TransferLoop.from(context)?.wake(inMilliseconds: milliseconds)
                return 0
            }, context)
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> TransferLoop? {
        context.map { Unmanaged<TransferLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Calls `receiver` with what becomes of `request`, once, and never from inside of libcurl.
    func start(_ request: UpstreamRequest, _ receiver: @escaping Transfer.Receiver) {
        guard !isShutDown, let transfer = takeIdle() ?? makeTransfer() else {
            return receiver(.failure(.other(code: Int(CURLE_FAILED_INIT.rawValue))))
        }
        transfer.begin(request, receiver)
        add(transfer)
        settle()
    }

    /// Ends `transfer` from outside libcurl's callbacks.
    func abandon(_ transfer: Transfer, with failure: UpstreamError) {
        curl_multi_remove_handle(multi, transfer.easy)
        finish(transfer, transfer.outcome(orElse: failure))
        settle()
    }

    /// Ends everything and frees libcurl's handles. The loop can only be dropped after it.
    func shutDown() {
        guard !isShutDown else { return }
        isShutDown = true
        for transfer in all where transfer.isUnderWay {
            curl_multi_remove_handle(multi, transfer.easy)
            finish(transfer, .failure(.other(code: Int(CURLE_ABORTED_BY_CALLBACK.rawValue))))
        }
        while let transfer = takeIdle() { drop(transfer) }
        // Closes the idle connections, which calls `close` for each.
        curl_multi_cleanup(multi)
        sockets.forgetAll()
        timer?.cancel()
        timer = nil
        _ = tellEnded()
    }

    // MARK: Transfers

    private func add(_ transfer: Transfer) {
        guard curl_multi_add_handle(multi, transfer.easy) != CURLM_OK else { return }
        finish(transfer, .failure(.other(code: Int(CURLE_FAILED_INIT.rawValue))))
    }

    private func finish(_ transfer: Transfer, _ result: Transfer.Outcome) {
        transfer.end(with: result)
        if let lastEnded { lastEnded.next = transfer } else { firstEnded = transfer }
        lastEnded = transfer
    }

    private func makeTransfer() -> Transfer? {
        guard let transfer = Transfer(loop: self) else { return nil }
        transfer.index = all.count
        all.append(transfer)
        return transfer
    }

    private func takeIdle() -> Transfer? {
        guard let transfer = idle else { return nil }
        idle = transfer.next
        transfer.next = nil
        idleCount -= 1
        return transfer
    }

    /// Keeps `transfer`, which is in no list but that of all, for another request.
    private func keep(_ transfer: Transfer) {
        guard idleCount < Self.maxIdle, !isShutDown else { return drop(transfer) }
        transfer.next = idle
        idle = transfer
        idleCount += 1
    }

    private func drop(_ transfer: Transfer) {
        if let last = all.popLast(), last !== transfer {
            last.index = transfer.index
            all[transfer.index] = last
        }
        transfer.free()
    }

    /// Begins the next turn of a transfer that waits for it.
    func goOn(_ transfer: Transfer) {
        let code = curl_easy_pause(transfer.easy, CURLPAUSE_CONT)
        // What it had kept for the transfer was refused. libcurl says so here alone, and watches the socket no more.
        guard code == CURLE_OK else { return abandon(transfer, with: transfer.fault ?? transfer.failure(code)) }
        settle()
    }

    func act(on descriptor: Int32, _ mask: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, descriptor, mask, &running)
        settle()
    }

    /// Does what libcurl wants done at once, takes in the transfers that are done, tells of them, and sets the timer for the
    /// rest.
    private func settle() {
        // Who is told of an outcome may start another request: the loop below goes on with that.
        guard !isSettling else { return }
        isSettling = true
        repeat {
            repeat { runDueTimers() } while collect()
        } while tellEnded()
        isSettling = false
        arm()
    }

    /// Tells of the transfers that ended; false where none did.
    private func tellEnded() -> Bool {
        guard firstEnded != nil else { return false }
        while let transfer = firstEnded {
            firstEnded = transfer.next
            if firstEnded == nil { lastEnded = nil }
            transfer.next = nil
            let told = transfer.takeOutcome()
            // Before the receiver is told, which may send another request.
            keep(transfer)
            if let told { told.receiver(told.outcome) }
        }
        return true
    }

    private func runDueTimers() {
        // libcurl may want to be called again at once, some times in a row but not for ever.
        for _ in 0..<16 {
            // The round's time: what comes due in the round has its turn in the next one.
            guard let due = wanted, due == .zero || due <= reactor.now else { return }
            wanted = nil
            var running: Int32 = 0
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
            if wanted == nil { askForTimeout() }
        }
    }

    /// libcurl says nothing when its next timeout equals the last one it told, so it is asked after each.
    private func askForTimeout() {
        var milliseconds = 0
        guard curl_multi_timeout(multi, &milliseconds) == CURLM_OK else { return }
        wake(inMilliseconds: milliseconds)
    }

    /// Takes in what is done; true if a transfer goes on with another hop.
    private func collect() -> Bool {
        var goesOn = false
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // The message is gone once the handle is removed.
            let code = curl_message_result(message)
            curl_multi_remove_handle(multi, easy)
            guard let transfer = Transfer.of(easy) else { continue }
            switch transfer.completed(code) {
            case .again:
                goesOn = true
                add(transfer)
            case .done(let result):
                finish(transfer, result)
            }
        }
        return goesOn
    }

    // MARK: Time

    private func wake(inMilliseconds milliseconds: Int) {
        switch milliseconds {
        case ..<0: wanted = nil
        case 0: wanted = .zero
        default: wanted = .now().adding(seconds: Double(milliseconds) / 1000)
        }
    }

    private func arm() {
        guard let wanted, wanted < armed else { return }
        armed = wanted
        let timer = self.timer ?? reactor.makeTimer { [weak self] in self?.timerFired() }
        self.timer = timer
        let delay = max(wanted.nanoseconds - MonotonicTime.now().nanoseconds, 0)
        timer.schedule(deadline: .now() + .nanoseconds(delay), leeway: .milliseconds(1))
    }

    private func timerFired() {
        armed = .distantFuture
        settle()
    }

    // MARK: Sockets

    /// libcurl's wish for one of its sockets; called from inside libcurl.
    private func watch(_ descriptor: Int32, _ what: Int32) {
        if what == CURL_POLL_REMOVE {
            if sockets[descriptor]?.rest() == false { sockets[descriptor] = nil }
            return
        }
        var interest: Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        if let socket = sockets[descriptor] { return socket.watch(interest) }
        let socket = UpstreamSocket(descriptor, loop: self, isOurs: false)
        sockets[descriptor] = socket
        socket.watch(interest)
    }

    /// Notes a socket that we opened for libcurl, so that we hear of its end too.
    func opened(_ descriptor: Int32) {
        sockets[descriptor] = UpstreamSocket(descriptor, loop: self, isOurs: true)
    }

    /// Closes a socket that we opened for libcurl; called from inside libcurl.
    func close(_ descriptor: Int32) {
        sockets[descriptor]?.forget()
        sockets[descriptor] = nil
        closeDescriptor(descriptor)
    }
}

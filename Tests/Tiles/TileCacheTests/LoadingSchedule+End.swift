import TestSupport

@testable import TileCache

/// Ends a schedule, and checks what it has left.
extension LoadingSchedule {
    /// Lets all tasks go on until each waits for a step.
    func settle() async {
        for _ in 0..<2 {
            for _ in 0..<6 { await Task.yield() }
            // Purges walk through memory on this queue.
            waitForSweeper()
        }
        for _ in 0..<6 { await Task.yield() }
        ledger.note(inFlight)
    }

    /// In an order that is the same in each run.
    var inFlight: [InFlightFetch] { loader.fetches.all.sorted { $0.place < $1.place } }

    private func waitForSweeper() { loader.sweeper.sync {} }

    private var isOver: Bool {
        layer.calls.count == 0 && gate.visits.count == 0 && loader.fetches.all.isEmpty
            && ledger.with { state in
                state.requests.allSatisfy { $0.answers > 0 } && state.clears.allSatisfy { $0.ended != nil }
            }
    }

    /// Answers all that still waits, and what comes of that.
    func end() async {
        say("end")
        openStore()
        for _ in 0..<200 {
            await settle()
            if isOver { return }
            answerGate()
            await answerSource()
        }
    }

    func check() {
        let inFlight = loader.fetches.all.count
        ledger.with { state in
            if inFlight > 0 || state.fetches.contains(where: { $0.result == nil }) {
                state.broken.append("each fetch ends")
            }
            for request in state.requests where request.answers == 0 {
                state.broken.append("a request for \(request.coordinate) gets an answer")
            }
            if state.clears.contains(where: { $0.ended == nil }) { state.broken.append("each clear ends") }
            if state.passes.contains(where: { $0.value == 0 }) {
                state.broken.append("the gate is left with each pass")
            }
        }
    }

    /// Drops all that this schedule holds of its tiles; what memory holds is not counted in the budget.
    func forget() async {
        requests = []
        ledger.with { $0.fetches = [] }
        store?.with { ($0.records, $0.kept) = ([:], []) }
        await settle()
        if budget.used != 0 { ledger.breaks("\(budget.used) bytes of tiles are counted that nobody holds") }
    }
}

extension InFlightFetch {
    fileprivate var place: String { "\(key.coordinate) \(key.generation)" }
}

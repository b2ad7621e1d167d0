import TestSupport

@testable import TileCache

/// Ends a schedule and checks the state after it.
extension LoadingSchedule {
    /// Lets all tasks continue until each task waits for a step.
    func settle() async {
        for _ in 0..<2 {
            for _ in 0..<6 { await Task.yield() }
            // Purges walk through memory on the sweeper's queue.
            waitForSweeper()
        }
        for _ in 0..<6 { await Task.yield() }
        ledger.note(inFlight)
    }

    /// The fetches in flight, sorted so that each run has the same order.
    var inFlight: [InFlightFetch] { loader.fetches.all.sorted { $0.place < $1.place } }

    private func waitForSweeper() { loader.sweeper.sync {} }

    private var isOver: Bool {
        layer.calls.count == 0 && gate.visits.count == 0 && loader.fetches.all.isEmpty
            && ledger.with { state in
                state.requests.allSatisfy { $0.answers > 0 } && state.clears.allSatisfy { $0.ended != nil }
            }
    }

    /// Answers all waiting calls, and the calls that follow from them, until the schedule is over.
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

    /// Releases all tiles that this schedule holds. Then checks that no tile counts in the budget any more. Tiles in
    /// memory do not count.
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

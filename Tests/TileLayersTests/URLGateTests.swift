import Testing

@testable import TileLayers

@Suite struct URLGateTests {
    @Test func letsInAsManyAsItIsWide() async {
        let gate = ConcurrencyGate(width: 3, depth: 0, patience: 5)
        for _ in 0..<3 { #expect(await gate.enter()) }
        #expect(await !gate.enter())
        gate.leave()
        #expect(await gate.enter())
    }

    @Test func turnsAwayWhoWaitsTooLong() async {
        let gate = ConcurrencyGate(width: 1, depth: 8, patience: 0.05)
        #expect(await gate.enter())
        let start = ContinuousClock.now
        #expect(await !gate.enter())
        #expect((0.049..<5).contains((ContinuousClock.now - start) / .seconds(1)))
        // Its place in the queue is free again, and the gate still opens.
        gate.leave()
        #expect(await gate.enter())
    }

    @Test func servesInOrder() async {
        let gate = ConcurrencyGate(width: 1, depth: 100, patience: 5)
        #expect(await gate.enter())
        let order = Shared([Int]())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    guard await gate.enter() else { return }
                    order.change { $0.append(number) }
                    gate.leave()
                }
                // Until this one waits, the next one must not come.
                while gate.waitingCount <= number { await Task.yield() }
            }
            gate.leave()
        }
        #expect(order.value == Array(0..<20))
    }

    @Test func neverLetsInMoreThanItsWidth() async {
        let gate = ConcurrencyGate(width: 4, depth: 2000, patience: 5)
        let count = Shared((inside: 0, most: 0, admitted: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    guard await gate.enter() else { return }
                    count.change {
                        $0.inside += 1
                        $0.most = max($0.most, $0.inside)
                    }
                    await Task.yield()
                    count.change {
                        $0.inside -= 1
                        $0.admitted += 1
                    }
                    gate.leave()
                }
            }
        }
        #expect(count.value.most <= 4)
        #expect(count.value.admitted == 1000)
    }
}

import Synchronization
import TestSupport
import Testing

@testable import MapService

/// Tests of the ring buffer of events and of its readers.
@Suite struct EventHistoryTests {
    private func cleared(_ layer: String) -> ServiceChange {
        .cleared(ClearedArea(layer: layer, generation: 1, .all))
    }

    private func layer(_ event: TileServerEvent?) -> String? {
        guard case .cleared(let area) = event?.kind else { return nil }
        return area.layer
    }

    @Test func numbersEventsFromOne() throws {
        let history = EventHistory()
        #expect(history.last == 0 && history.events(after: 0, count: 9)?.isEmpty == true)
        for layer in ["a", "b", "c"] { history.add(cleared(layer)) }
        #expect(history.last == 3)
        let events = try #require(history.events(after: 1, count: 9))
        #expect(events.map(layer) == ["b", "c"])
        #expect(events.map { history.number(of: $0.id) } == [2, 3])
        #expect(history.events(after: 0, count: 2).map { $0.map(layer) } == ["a", "b"])
        for (number, count) in [(3, 2), (1, 0), (4, 1)] {
            #expect(history.events(after: number, count: count)?.isEmpty == true)
        }
    }

    @Test func dropsTheOldestEventsBeyondItsLimit() throws {
        let history = EventHistory()
        for number in 1...EventHistory.most + 100 { history.add(cleared("\(number)")) }
        #expect(history.events(after: 99, count: 1) == nil && history.events(after: 0, count: 1) == nil)
        let all = try #require(history.events(after: 100, count: .max))
        #expect(all.map(layer) == (101...EventHistory.most + 100).map { "\($0)" })
        #expect(history.number(of: history.id(1)) == 1)
    }

    @Test func refusesEventIDsOfOtherHistories() {
        let (history, other) = (EventHistory(), EventHistory())
        history.add(cleared("a"))
        other.add(cleared("a"))
        let id = history.id(1)
        #expect(history.number(of: id) == 1 && other.number(of: id) == nil)
        for wrong in ["", "1", "-", "-1", id + "0", "0" + id, history.id(2), history.id(-1), id + "-1", id + " "] {
            #expect(history.number(of: wrong) == nil, "\(wrong)")
        }
    }

    @Test func deliversAllEventsInOrderToEachReader() async {
        let history = EventHistory()
        history.add(cleared("before"))
        let events = TileServerEvents(history, after: nil)
        history.add(cleared("0"))
        await withTaskGroup(of: [String?].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var seen: [String?] = []
                    for await event in events { seen.append(layer(event)) }
                    return seen
                }
            }
            for number in 1..<500 {
                history.add(cleared("\(number)"))
                await Task.yield()
            }
            history.close()
            for await seen in group { #expect(seen == (0..<500).map { "\($0)" }) }
        }
    }

    @Test func resetsAReaderThatIsTooSlow() async throws {
        let history = EventHistory()
        var reader = TileServerEvents(history, after: nil).makeAsyncIterator()
        for number in 0...EventHistory.most { history.add(cleared("\(number)")) }
        let event = try #require(await reader.next())
        #expect(event.kind == .reset && history.number(of: event.id) == history.last)
        history.add(cleared("next"))
        #expect(layer(await reader.next()) == "next")
    }

    @Test func resumesAfterAKnownEvent() async throws {
        let history = EventHistory()
        for layer in ["a", "b"] { history.add(cleared(layer)) }
        var known = TileServerEvents(history, after: history.id(1)).makeAsyncIterator()
        #expect(layer(await known.next()) == "b")
        var unknown = TileServerEvents(history, after: "other-1").makeAsyncIterator()
        #expect(await unknown.next()?.kind == .reset)
        history.close()
        #expect(await unknown.next() == nil)
    }

    @Test func stopsACancelledReader() async {
        let history = EventHistory()
        let reader = Task {
            var count = 0
            for await _ in TileServerEvents(history, after: nil) { count += 1 }
            return count
        }
        reader.cancel()
        #expect(await reader.value == 0)
        // A task is also cancelled while it waits.
        let waiting = Task { await history.wait(after: 0) }
        await Task.yield()
        waiting.cancel()
        #expect(await waiting.value == false)
    }
}

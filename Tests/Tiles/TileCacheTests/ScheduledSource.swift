import Bytes
import MapGeometry
import Runtime
import Synchronization
import Tiles

@testable import TileCache

/// A source that answers when the schedule decides, in a task or by callback.
final class ScheduledSource: TileLayer {
    struct Question: Sendable {
        let coordinate: TileCoordinate
        let held: String?
        let time: Int
        /// True if the schedule may call back twice, like a faulty layer. The request must still get exactly one
        /// answer.
        let mayBeAnsweredTwice: Bool
        let fetch: ObjectIdentifier?
    }

    let calls = HeldCalls<Question, SourceAnswer>()
    private let ledger: ScheduleLedger
    private let isPrompt: Bool
    /// The label of the tile that the source does not accept.
    private let refused = Mutex<String?>(nil)
    private let fetches = Mutex<@Sendable () -> [InFlightFetch]>({ [] })

    init(_ ledger: ScheduleLedger, isPrompt: Bool) {
        self.ledger = ledger
        self.isPrompt = isPrompt
    }

    func follow(_ loader: TileLoader) { fetches.withLock { $0 = { [weak loader] in loader?.fetches.all ?? [] } } }

    func refuse(_ label: String?) { refused.withLock { $0 = label } }

    func accepts(_ tile: Tile) -> Bool { refused.withLock { $0 == nil || $0 != tile.label } }

    func answer(at coordinate: TileCoordinate, scale: Int, holding validators: Validators?) async -> SourceAnswer {
        let question = question(coordinate, validators, mayBeAnsweredTwice: false)
        // Half of the questions end when their tasks are cancelled, as if no upstream was asked. The other questions
        // continue.
        let gaveUp: SourceAnswer? = question.time.isMultiple(of: 2) ? .failure(.overloaded) : nil
        return await calls.wait(question, cancelled: gaveUp)
    }

    var callback: Callback? {
        guard isPrompt else { return nil }
        return { [self] coordinate, _, validators, receive in
            calls.hold(question(coordinate, validators, mayBeAnsweredTwice: true), receive)
        }
    }

    private func question(_ coordinate: TileCoordinate, _ validators: Validators?, mayBeAnsweredTwice: Bool) -> Question
    {
        ledger.note(fetches.withLock { $0 }())
        let time = WorkTime.current
        let (fetch, isOver) = ledger.with { state -> (ObjectIdentifier?, Bool) in
            let fetch = state.fetches.last { fetch in
                time.map { fetch.work?.time === $0 } ?? (fetch.key.coordinate == coordinate && fetch.result == nil)
            }
            guard let fetch else { return (nil, true) }
            let id = ObjectIdentifier(fetch)
            if !state.asked.insert(id).inserted { state.seen["asked: anew", default: 0] += 1 }
            return (id, fetch.result != nil && !state.late.contains(id))
        }
        if isOver { ledger.breaks("the source is not asked for a fetch that has ended") }
        if let fetch, calls.calls.contains(where: { $0.fetch == fetch }) {
            ledger.breaks("the source is asked once at a time for a fetch")
        }
        let held = validators?.etag.map { String($0.dropFirst().dropLast()) }
        if held != nil { ledger.saw("asked: with a stale tile") }
        return Question(
            coordinate: coordinate, held: held, time: ledger.tick(), mayBeAnsweredTwice: mayBeAnsweredTwice,
            fetch: fetch)
    }
}

extension Tile {
    /// The first line of the tile, which identifies a scheduled tile.
    var label: String { String(decoding: bytes.buffer.prefix { $0 != 10 }, as: UTF8.self) }
}

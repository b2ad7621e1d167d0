import Bytes
import MapGeometry
import TestSupport
import Tiles

@testable import TileCache

/// Answers calls that wait for the gate or the source.
extension LoadingSchedule {
    func answerGate() {
        guard let visit = gate.visits.take(&random) else { return }
        let turn: FillTurn
        switch random.number(below: 8) {
        case 0..<3 where !visit.call.request.isKnown:
            turn = .found(
                record(visit.call.key, made: visit.call.time, age: [0, 101, 300, 300][random.number(below: 4)]))
        case 0..<3: turn = .fetch(gate.pass())
        case 3: turn = .fetch(nil)
        case 4: turn = .look(gate.pass())
        case 5: turn = .look(nil)
        default:
            // Another node has just fetched the tile into the shared tier.
            let record = record(visit.call.key, made: ledger.tick(), age: 0)
            store?.with { $0.records[visit.call.key] = record }
            turn = .look(random.has(1, of: 2) ? gate.pass() : nil)
        }
        let kind = String("\(turn)".prefix { $0 != "(" })
        say("gate: \(kind)")
        ledger.saw("gate: \(kind), \(turn.pass == nil ? "no pass" : "pass")")
        visit.answer(turn)
    }

    func answerSource() async {
        guard let question = layer.calls.take(&random) else { return }
        let reads = store?.reads ?? 0
        let answer: SourceAnswer
        let label: String?
        switch random.number(below: 16) {
        case 0: (answer, label) = (.noTile(.lasting(100)), nil)
        case 1: (answer, label) = (.failure(.unreachable), nil)
        case 2: (answer, label) = (.failure(.upstreamDown(retryAfter: 7)), nil)
        case 3: (answer, label) = (.failure(.tooComplex), nil)
        case 4..<8 where question.call.held != nil, 4:
            (answer, label) = (.notModified(.lasting(100)), question.call.held)
        case let number:
            let tile = tile(question.call.coordinate, made: question.call.time)
            let terms = SourceTerms.lasting(100, etag: "\"\(tile.label)\"", ifError: 500)
            (answer, label) = (.result(.tile(tile), number == 8 ? .notStored : terms), tile.label)
        }
        say("source: \(label ?? "\(answer)")")
        let before = ledger.with { state in label.map { state.described[$0, default: 0] } ?? 0 }
        question.answer(answer)
        if question.call.mayBeAnsweredTwice, random.has(1, of: 4) {
            ledger.saw("source: twice")
            question.answer(random.has(1, of: 2) ? answer : .failure(.unreachable))
        }
        await settle()
        guard let label else { return }
        let described = ledger.with { $0.described[label, default: 0] } - before
        // Each record that was read from the store in the meantime was described too.
        if described > 1 + (store?.reads ?? 0) - reads { ledger.breaks("a fetch ends once with the answer \(label)") }
    }

    private func tile(_ coordinate: TileCoordinate, made time: Int) -> Tile {
        let label = "\(coordinate) #\(ledger.tick())"
        ledger.with { $0.made[label] = time }
        // Tiles of more than 64 KiB count in the memory budget.
        return Tile(random.has(1, of: 8) ? label + "\n" + String(repeating: " ", count: 66_000) : label)
    }

    private func record(_ key: StoreKey, made time: Int, age: Int) -> TileRecord {
        let tile = tile(key.coordinate, made: time)
        return TileRecord(
            content: .tile(tile, ContentHash(of: tile.bytes)),
            validators: Validators(etag: "\"\(tile.label)\"", lastModified: nil), born: clock.wall - age,
            life: TileLife(lifetime: 100, staleWhileRevalidate: 60, staleIfError: 500))
    }
}

extension SeededRandom {
    mutating func number(below end: Int) -> Int { Int.random(in: 0..<end, using: &self) }
    mutating func has(_ chances: Int, of all: Int) -> Bool { number(below: all) < chances }
}

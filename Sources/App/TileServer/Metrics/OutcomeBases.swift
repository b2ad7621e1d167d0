import HTTPServer
import MapService

/// What was counted under the numbers of layers before those layers had them: numbers are used again, and counts go on.
struct OutcomeBases: Sendable {
    /// By number; only of those under which something was counted.
    private var bases: [UInt16: [TileOutcome: Int]] = [:]

    /// Those of the layers of `next`, which are served instead of those of `last` from now on.
    func following(from last: LayerTable, to next: LayerTable, _ answers: AnswerTotals) -> OutcomeBases {
        var result = OutcomeBases()
        for number in next.layers.lazy.map(\.source.number) {
            if last[number: number] != nil {
                result.bases[number] = bases[number]
            } else {
                let counts = Self.counts(number, answers)
                if !counts.isEmpty { result.bases[number] = counts }
            }
        }
        return result
    }

    /// What was counted for the layer that has `number` now; no entry for what never came.
    func outcomes(of number: UInt16, _ answers: AnswerTotals) -> [TileOutcome: Int] {
        guard let base = bases[number] else { return Self.counts(number, answers) }
        return Self.counts(number, answers).reduce(into: [:]) { outcomes, counted in
            let count = counted.value - (base[counted.key] ?? 0)
            if count > 0 { outcomes[counted.key] = count }
        }
    }

    private static func counts(_ number: UInt16, _ answers: AnswerTotals) -> [TileOutcome: Int] {
        TileOutcome.allCases.reduce(into: [:]) { counts, outcome in
            let count = answers.results(outcome.rawValue, slot: number)
            if count > 0 { counts[outcome] = count }
        }
    }
}

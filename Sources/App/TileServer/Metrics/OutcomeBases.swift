import HTTPServer
import MapService

/// Corrects the counters of layers that got the layer number of a removed layer. The counters of a layer number are
/// never reset, so the counts of the removed layer are stored here and subtracted.
struct OutcomeBases: Sendable {
    /// The counts by layer number, only for numbers with counts.
    private var bases: [UInt16: [TileOutcome: Int]] = [:]

    /// Returns the counts to subtract when the layers of `next` replace the layers of `last`.
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

    /// Returns the counts of the layer that has `number` now. Outcomes without a count have no entry.
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

/// Limits how many threads one named layer can use. At most `layerWidth` pieces of the layer run or wait in `lanes`.
/// Further pieces of the layer wait in `heldLanes`, where they cannot start.
extension WorkSchedule {
    func isFull(_ layer: String) -> Bool {
        guard let layerWidth, !layer.isEmpty else { return false }
        return layerCounts[layer, default: 0] >= layerWidth
    }

    mutating func countLayer(_ layer: String, _ change: Int) {
        guard layerWidth != nil, !layer.isEmpty else { return }
        let count = layerCounts[layer, default: 0] + change
        layerCounts[layer] = count > 0 ? count : nil
    }

    /// Moves the layer's next held piece into `lanes`. Call this when a piece of `layer` has ended or was
    /// withdrawn from `lanes`.
    mutating func release(_ layer: String) {
        countLayer(layer, -1)
        let cost = cost
        guard let piece = heldLanes[layer]?.popFirst(cost) else { return }
        if heldLanes[layer]?.count == 0 { heldLanes[layer] = nil }
        countLayer(layer, 1)
        lanes[kind(of: piece)].append(piece, cost)
    }
}

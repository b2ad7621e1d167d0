extension LayerChange {
    /// Returns the changes from `before` to `next`: first the layers of `next` in their order, then the removed layers.
    static func between(_ before: LayerTable, _ next: LayerTable) -> [LayerChange] {
        let known = Dictionary(before.layers.map { ($0.id, $0) }) { first, _ in first }
        let served = Set(next.layers.map(\.id))
        let found = next.layers.compactMap { layer -> LayerChange? in
            guard let old = known[layer.id] else { return LayerChange(layer: layer.id, kind: .added) }
            return old.isAlike(layer) ? nil : LayerChange(layer: layer.id, kind: .changed)
        }
        let gone = before.layers.filter { !served.contains($0.id) }
        return found + gone.map { LayerChange(layer: $0.id, kind: .removed) }
    }
}

extension ServedLayer {
    /// Reports whether both layers are equal to a client. An unchanged layer keeps its object, but a map gets a new
    /// object with each configuration.
    fileprivate func isAlike(_ other: ServedLayer) -> Bool {
        guard self !== other else { return true }
        return !members.isEmpty && configured == other.configured && source.number == other.source.number
            && members.elementsEqual(other.members) { $0 === $1 }
    }
}

import Keys

extension LayerSource {
    /// Reads the source of a layer. Returns nil if the layer does not have exactly one source, or if the source is
    /// unclear. The layer then has a problem.
    static func read(_ section: inout MappingReader) -> LayerSource? {
        let found = kinds.filter { section.has($0.key) }
        guard found.count == 1, let kind = found.first else {
            // A key without a space after its colon has its own message already.
            let isClear = !section.keys.contains { key in kinds.contains { key.hasPrefix("\($0.key):") } }
            if found.isEmpty, isClear, section.isMapping {
                section.complain("a layer needs \(alternatives(kinds.map(\.wording)))")
            }
            for other in found.dropFirst() {
                section.refuse(
                    other.key, "a layer has one source, and this layer already has \(found[0].wording)")
            }
            section.acknowledge(kinds.flatMap { [$0.key] + $0.ownKeys })
            return nil
        }
        let own = kind.ownKeys
        for other in kinds where other.key != kind.key {
            // Some keys belong to more than one source.
            for foreign in other.ownKeys where !own.contains(foreign) && section.isSound(foreign) {
                section.refuse(foreign, "is a key for layers with \(other.wording); this layer has \(kind.wording)")
            }
        }
        return kind.read(&section)
    }
}

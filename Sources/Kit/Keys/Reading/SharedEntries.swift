/// Entries that are written once and apply to several mappings, such as defaults for all layers. An entry of a mapping
/// itself overrides the shared entry.
package struct SharedEntries {
    /// The key under which the shared entries are.
    let path: String
    private let entries: [SettingNode.Entry]

    /// Creates shared entries from the keys of `section` that were read or acknowledged and have no errors.
    package init(_ section: MappingReader) {
        path = section.path
        entries = section.entries.filter { section.known.contains($0.key) && section.isSound($0.key) }
    }

    /// Returns the entries of a mapping together with the shared entries. `own` are the mapping's own entries, which
    /// replace shared entries with the same key. If both have a mapping below the same key, the entries of these
    /// mappings are joined too.
    func joined(to own: [SettingNode.Entry]) -> ([SettingNode.Entry], MappingReader.Inherited) {
        var joined = own
        var keys: Set<String> = []
        for entry in entries {
            guard let index = own.firstIndex(where: { $0.key.utf8.elementsEqual(entry.key.utf8) }) else {
                joined.append(entry)
                keys.insert(entry.key)
                continue
            }
            guard case .mapping(let inner) = own[index].value.content, case .mapping(let shared) = entry.value.content
            else { continue }
            let names = Set(inner.map { Array($0.key.utf8) })
            joined[index].value.content = .mapping(inner + shared.filter { !names.contains(Array($0.key.utf8)) })
        }
        return (joined, MappingReader.Inherited(path: path, keys: keys))
    }
}

extension MappingReader {
    /// The keys that a mapping has from shared entries.
    struct Inherited {
        let path: String
        let keys: Set<String>
    }
}

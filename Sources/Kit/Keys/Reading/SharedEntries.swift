/// Keys and values that several mappings have, and that stand in one place; a mapping's own win.
package struct SharedEntries {
    /// The key of that place.
    let path: String
    private let entries: [SettingNode.Entry]

    /// Those of `section` that were read, and in which nothing was found wrong.
    package init(_ section: MappingReader) {
        path = section.path
        entries = section.entries.filter { section.known.contains($0.key) && section.isSound($0.key) }
    }

    /// `own`, and behind them what they lack, of mappings below a key too.
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
    /// What a mapping has from elsewhere.
    struct Inherited {
        let path: String
        let keys: Set<String>
    }
}

extension MappingReader {
    /// Has the unknown keys `names` told that they are `key` here.
    package mutating func tell(_ names: [String], of key: String) {
        for name in names { otherNames[name] = key }
    }

    /// Has keys that there are no more refused with the line to write in their place.
    mutating func tell(formerKeys: [String: String]) { self.formerKeys = formerKeys }

    /// Whether something is wrong, beyond what only looks so.
    var hasMistakes: Bool { problems.contains { !$0.isWarning } }

    /// Says that the value of `key` looks wrong, and may be right.
    package mutating func warn(_ key: String, _ message: String) {
        // Where it is shared, that was said once.
        if let inherited, inherited.keys.contains(key) { return }
        let place = entry(key)?.value.position ?? position
        problems.append(Problem(position: place, path: path(to: key), message: message, isWarning: true))
    }

    /// The numbers of the list that `key` has, or of the lists in that, which is not flat then; nil where it has anything else.
    package func numbers(in key: String) -> (numbers: [Double], isFlat: Bool)? {
        guard case .sequence(let nodes) = entry(key)?.value.content else { return nil }
        let flat = nodes.flatMap { node in
            if case .sequence(let inner) = node.content { inner } else { [node] }
        }
        let numbers = flat.compactMap { node -> Double? in
            guard case .scalar(let scalar) = node.content, scalar.looksNumeric else { return nil }
            return Double(scalar.text)
        }
        return numbers.count == flat.count ? (numbers, flat.count == nodes.count) : nil
    }

    /// What an unknown key may have been meant to be.
    func hint(for unknown: SettingNode.Entry) -> String {
        if unknown.key == "<<" { return " (merge keys are not supported)" }
        if let space = spaceHint(for: unknown.key) { return " (\(space))" }
        if let line = formerKeys[unknown.key] { return " (write \(line) in its place)" }
        if let name = otherNames[unknown.key] { return " (it is called \(name) here)" }
        return Keys.hint(for: unknown.key, among: known)
    }
}

extension SettingNode {
    /// What stands where keys and values should, and what to write in its place.
    func found(insteadOfList instead: String?) -> String {
        switch content {
        case .scalar(let scalar):
            let hint = scalar.isQuoted ? nil : spaceHint(for: scalar.text)
            return hint.map { "a text: \($0)" } ?? "a single value"
        case .sequence: return "a list" + (instead.map { "; write \($0)" } ?? "")
        case .mapping: return "keys and values"
        }
    }
}

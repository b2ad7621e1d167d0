extension ConfigurationErrors {
    /// The places in the reference that explain the wrong keys, in one line: at most three. Nil if the reference
    /// explains none of the keys.
    package var reference: String? {
        let anchors = Configuration.anchors
        var links: [String] = []
        for case let anchor? in problems.map({ $0.anchor(among: anchors) }) {
            let link = "docs/reference/configuration.md#\(anchor)"
            if !links.contains(link) { links.append(link) }
        }
        return links.isEmpty ? nil : "See " + links.prefix(3).joined(separator: ", ")
    }
}

extension ConfigurationProblem {
    /// Returns the anchor of the wrong key, or of the nearest key above it that has one.
    fileprivate func anchor(among anchors: Set<String>) -> String? {
        var keys = path.split(separator: ".").map { key in key.prefix { $0 != "[" } }
        // The names of layers and maps are not keys.
        if keys.count > 1, keys[0] == "layers" || keys[0] == "maps" { keys.remove(at: 1) }
        while !keys.isEmpty {
            let anchor = keys.joined(separator: ".")
            if anchors.contains(anchor) { return anchor }
            keys.removeLast()
        }
        return nil
    }
}

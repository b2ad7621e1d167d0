/// A list of tags to purge, oldest first, without duplicates. The tag of a whole layer replaces all other tags of that
/// layer. If the list becomes too long, each tag is replaced by the tag of its layer.
struct CDNTagList: Sendable, Equatable {
    /// Maximum number of tags before tags of whole layers replace them.
    static let most = 10_000

    private(set) var tags: [String] = []
    private var known: Set<String> = []

    init(_ tags: [String] = []) {
        add(tags)
    }

    var isEmpty: Bool { tags.isEmpty }
    var count: Int { tags.count }

    mutating func add(_ more: [String]) {
        for tag in more where !known.contains(tag) && !known.contains(tag.layerOfTag) {
            tags.append(tag)
            known.insert(tag)
        }
        let layers = Set(more.filter { $0 == $0.layerOfTag })
        let isTooMuch = tags.count > Self.most
        guard !layers.isEmpty || isTooMuch else { return }
        var kept: [String] = []
        known = []
        for tag in tags {
            let layer = tag.layerOfTag
            let tag = isTooMuch || layers.contains(layer) ? layer : tag
            if known.insert(tag).inserted { kept.append(tag) }
        }
        tags = kept
    }

    /// Removes the first tags and returns them for one request. Takes at most `most` tags. The tags and their
    /// separators have at most `bytes` bytes, except that a single tag may be longer.
    mutating func takeFirst(_ most: Int, bytes: Int) -> [String] {
        var (count, sum) = (0, 0)
        for tag in tags.prefix(most) {
            sum += tag.utf8.count + 1
            if count > 0, sum > bytes { break }
            count += 1
        }
        let taken = Array(tags.prefix(count))
        tags.removeFirst(count)
        known.subtract(taken)
        return taken
    }
}

extension String {
    /// The tag of the whole layer or map that this tag belongs to.
    fileprivate var layerOfTag: String { firstIndex(of: ".").map { String(self[..<$0]) } ?? self }
}

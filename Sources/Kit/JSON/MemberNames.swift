/// Finds a name that occurs twice in the same object. It stores the names of all objects that contain the current
/// position.
struct MemberNames {
    /// Up to this many names of an object are compared one by one. Further names are looked up by hash.
    private static let few = 8

    /// The first few names of each open object, outermost object first.
    private var names: [Name] = []
    private var objects: [Object] = []

    private struct Name {
        let range: Range<Int>
        let hash: Int
    }

    private struct Object {
        /// Index in `names` of the object's first name.
        let start: Int
        /// Start of each further name, by the name's hash.
        var others: [Int: Int] = [:]
    }

    mutating func beginObject() { objects.append(Object(start: names.count)) }

    mutating func endObject() {
        names.removeLast(names.count - objects.removeLast().start)
    }

    /// Adds a name to the innermost object. Returns false if the object already has the name. `name` is the range of
    /// the name in `bytes`.
    ///
    /// The time depends only on the length of the name, because names are compared byte by byte only if their hashes
    /// are equal.
    mutating func insert(_ name: Range<Int>, in bytes: [UInt8]) -> Bool {
        let last = objects.count - 1
        let start = objects[last].start
        let hash = Self.hash(of: bytes[name].unescaped)
        for known in names[start...] where known.hash == hash && Self.areEqual(known.range, name, in: bytes) {
            return false
        }
        guard names.count - start == Self.few else {
            names.append(Name(range: name, hash: hash))
            return true
        }
        // If two different names have the same hash, only the later one is kept. Hashes are seeded, so a client cannot
        // construct such names.
        guard let other = objects[last].others.updateValue(name.lowerBound, forKey: hash) else { return true }
        return !Self.areEqual(other..<bytes.endOfString(from: other), name, in: bytes)
    }

    private static func areEqual(_ first: Range<Int>, _ second: Range<Int>, in bytes: [UInt8]) -> Bool {
        let (first, second) = (bytes[first], bytes[second])
        if first.count == second.count, first == second { return true }
        let hasEscape = first.contains(UInt8(ascii: "\\")) || second.contains(UInt8(ascii: "\\"))
        return hasEscape && first.unescaped == second.unescaped
    }

    private static func hash(of name: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        name.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}

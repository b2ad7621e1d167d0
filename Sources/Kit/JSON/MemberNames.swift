/// The names that the objects around a place of a text have so far, so that one that stands there twice is found.
struct MemberNames {
    /// Of a few names each is compared with the others; of more, whether one was there is looked up.
    private static let few = 8

    /// The first few names of every object, the outermost object's first.
    private var names: [Name] = []
    private var objects: [Object] = []

    private struct Name {
        let range: Range<Int>
        let hash: Int
    }

    private struct Object {
        /// Where in `names` its own begin.
        let start: Int
        /// The names beyond the first few: by their hash, where each begins.
        var others: [Int: Int] = [:]
    }

    mutating func beginObject() { objects.append(Object(start: names.count)) }

    mutating func endObject() {
        names.removeLast(names.count - objects.removeLast().start)
    }

    /// Takes a name of the innermost object, which stands at `name` in `bytes`. False where the object has it already.
    ///
    /// Cost: the length of `name`, however long the others are. Only names of one hash are compared byte by byte.
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
        // Of two different names of one hash, which nobody can bring about, only the later is remembered.
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

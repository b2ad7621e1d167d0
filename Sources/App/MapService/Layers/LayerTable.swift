import Bytes
import Glibc

/// The layers by name, found from the bytes of a path without making a `String` of them.
package struct LayerTable: Sendable {
    /// In the order of the configuration.
    package let layers: [ServedLayer]
    private let names: [SharedBytes]
    /// Indices in `layers` by hash, with linear probing; -1 is free.
    private let slots: [Int32]
    /// Indices in `layers` by the number in the keys of their tiles.
    private let numbers: [UInt16: Int]

    /// Ids are unique.
    package init(_ layers: [ServedLayer]) {
        self.layers = layers
        names = layers.map { SharedBytes($0.id) }
        var count = 8
        while count < layers.count * 2 { count *= 2 }
        var slots = [Int32](repeating: -1, count: count)
        for (index, name) in names.enumerated() {
            var slot = Self.hash(name.buffer) & (count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (count - 1) }
            slots[slot] = Int32(index)
        }
        self.slots = slots
        numbers = Dictionary(layers.enumerated().map { ($1.source.number, $0) }) { first, _ in first }
    }

    /// The layer `id`, of which there is one at most.
    package subscript(id: String) -> ServedLayer? { layers.first { $0.id == id } }

    /// The layer whose tiles' keys have this number, of which there is one at most.
    package subscript(number number: UInt16) -> ServedLayer? {
        numbers[number].map { layers[$0] }
    }

    /// The index in `layers` of the layer with exactly this name.
    package func index(of name: UnsafeRawBufferPointer) -> Int? {
        // Longer than any id: not worth hashing.
        guard !name.isEmpty, name.count <= 64, let base = name.baseAddress else { return nil }
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            let known = names[index].buffer
            if known.count == name.count, let start = known.baseAddress, memcmp(start, base, name.count) == 0 {
                return index
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// FNV-1a, 32 bits.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hash: UInt32 = 0x811C_9DC5
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int(hash ^ hash >> 16)
    }
}

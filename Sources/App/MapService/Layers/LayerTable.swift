import Bytes
import Glibc

/// A table that finds a layer by its id or its number. `index(of:)` takes bytes of a URL path, so no `String` is
/// allocated for each request.
package struct LayerTable: Sendable {
    /// The layers in the order of the configuration.
    package let layers: [ServedLayer]
    private let names: [SharedBytes]
    /// A hash table with linear probing. Each slot has an index in `layers`, or -1 if it is free.
    private let slots: [Int32]
    /// Indices in `layers` by layer number. Cache keys contain the layer number.
    private let numbers: [UInt16: Int]

    /// Makes the table. The ids of `layers` must be unique.
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

    /// Returns the layer `id`. Nil if there is none.
    package subscript(id: String) -> ServedLayer? { layers.first { $0.id == id } }

    /// Returns the layer with this number in its cache keys. Nil if there is none.
    package subscript(number number: UInt16) -> ServedLayer? {
        numbers[number].map { layers[$0] }
    }

    /// Returns the index in `layers` of the layer with the id `name`, or nil if there is no such layer.
    package func index(of name: UnsafeRawBufferPointer) -> Int? {
        // No id is longer than 64 bytes, so a longer name needs no hash.
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

    /// Returns the 32-bit FNV-1a hash. Its upper half is mixed into its lower half.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hash: UInt32 = 0x811C_9DC5
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int(hash ^ hash >> 16)
    }
}

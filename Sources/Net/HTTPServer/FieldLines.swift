import Bytes

/// Builds header fields as complete lines. Each line includes its CRLF, so a response can copy the lines as they are.
public struct FieldLines: ~Copyable {
    private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 1)
    private var count = 0

    public init() {}

    deinit {
        storage.deallocate()
    }

    /// Returns `fields` as lines.
    public static func make(_ fields: [(name: String, value: String)]) -> SharedBytes {
        var lines = FieldLines()
        for field in fields { lines.add(field.name, field.value) }
        return lines.shared
    }

    /// The lines that were added so far.
    public var shared: SharedBytes {
        SharedBytes(UnsafeRawBufferPointer(rebasing: storage[..<count]))
    }

    /// Adds a line. Control bytes of `value` become spaces, except tabs, so that no value can forge a field.
    public mutating func add(_ name: String, _ value: String) {
        var value = value
        value.withUTF8 { text in
            add(name, count: text.count) { $0.copyMemory(from: UnsafeRawBufferPointer(text)) }
        }
    }

    /// Adds a line for the field `name`. `write` must write its value, which has `count` bytes. Control bytes in the
    /// value become spaces, except tabs.
    public mutating func add(_ name: String, count valueCount: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        var name = name
        name.withUTF8 { name in
            reserve(count + name.count + valueCount + 4)
            append(UnsafeRawBufferPointer(name))
        }
        storage[count] = UInt8(ascii: ":")
        storage[count + 1] = ASCII.space
        let value = UnsafeMutableRawBufferPointer(rebasing: storage[(count + 2)..<(count + 2 + valueCount)])
        write(value)
        Self.replaceControls(in: value)
        count += 2 + valueCount
        storage[count] = ASCII.cr
        storage[count + 1] = ASCII.lf
        count += 2
    }

    /// Without a branch for each byte, so that the compiler handles 16 bytes at once.
    private static func replaceControls(in value: UnsafeMutableRawBufferPointer) {
        let bytes = value.assumingMemoryBound(to: UInt8.self)
        for index in 0..<bytes.count {
            let byte = bytes[index]
            let isControl = (byte < 0x20) != (byte == ASCII.tab) || byte == 0x7F
            bytes[index] = isControl ? ASCII.space : byte
        }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    private mutating func reserve(_ capacity: Int) {
        guard capacity > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * capacity, alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        storage.deallocate()
        storage = larger
    }
}

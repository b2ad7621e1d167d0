import Synchronization

/// Bytes that never change and that many owners can share without a copy. For example, all responses with the same
/// cached body use the same `SharedBytes`.
///
/// A class because it owns the memory. The last reference frees it. Thread rule: any thread, because the bytes never
/// change after `init`.
public final class SharedBytes: @unchecked Sendable {
    // Invariant behind @unchecked: `storage` is written only until `init` ends, and freed only in `deinit` or by an
    // `init` that fails.
    private let storage: UnsafeMutableRawBufferPointer

    /// An instance without bytes.
    public static let empty = SharedBytes(capacity: 0) { _ in 0 }

    /// The object that `keep` keeps.
    private let companion = AtomicLazyReference<AnyObject>()

    /// The number of bytes.
    public let count: Int

    /// Creates a copy of `bytes`.
    public convenience init(_ bytes: UnsafeRawBufferPointer) {
        self.init(capacity: bytes.count) { target in
            target.copyMemory(from: bytes)
            return bytes.count
        }
    }

    /// Creates a copy of `bytes`.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(capacity: bytes.count) { target in
            target.copyBytes(from: bytes)
            return bytes.count
        }
    }

    /// Creates a copy of the UTF-8 form of `text`.
    public convenience init(_ text: String) {
        self.init(text.utf8)
    }

    /// Allocates `capacity` bytes and calls `fill` to write them. `fill` returns the number of valid bytes.
    package init(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows {
        storage = .allocate(byteCount: capacity, alignment: 16)
        do {
            let filled = try fill(storage)
            precondition(filled >= 0 && filled <= capacity, "fill returned a count beyond its buffer")
            count = filled
        } catch {
            storage.deallocate()
            throw error
        }
    }

    /// Takes ownership of `storage`, whose first `count` bytes are valid. It must come from
    /// `allocate(byteCount:alignment:)`, and other code must not write or free it afterwards.
    package init(adopting storage: UnsafeMutableRawBufferPointer, count: Int) {
        precondition(count >= 0 && count <= storage.count, "more valid bytes than there are")
        self.storage = storage
        self.count = count
    }

    deinit {
        storage.deallocate()
    }

    /// The bytes in place. Valid only while this object exists, so keep a reference together with the pointer.
    public var buffer: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: storage[..<count])
    }

    /// The object that was passed to `keep`, or nil.
    package var kept: AnyObject? { companion.load() }

    /// Keeps `object` alive until the bytes are freed. A second call does nothing.
    package func keep(_ object: some AnyObject & Sendable) {
        _ = companion.storeIfNil(object)
    }

    /// A copy of the bytes as an array.
    public var array: [UInt8] {
        Array(buffer)
    }

    /// The bytes as text. Invalid UTF-8 becomes replacement characters.
    public var text: String {
        String(decoding: buffer, as: UTF8.self)
    }
}

extension SharedBytes: Equatable {
    /// Reports whether both have equal bytes.
    public static func == (left: SharedBytes, right: SharedBytes) -> Bool {
        left === right || left.buffer.elementsEqual(right.buffer)
    }
}

import Synchronization

/// Immutable bytes with one owner count, so that a cached body is shared by every response that sends it.
///
/// A class to own one allocation. Thread rule: any thread, because the bytes never change after `init`.
public final class SharedBytes: @unchecked Sendable {
    // Invariant behind @unchecked: `storage` is written only inside `init` and freed only in `deinit`.
    private let storage: UnsafeMutableRawBufferPointer

    /// No bytes at all.
    public static let empty = SharedBytes(capacity: 0) { _ in 0 }

    /// See `keep`.
    private let companion = AtomicLazyReference<AnyObject>()

    /// The number of bytes.
    public let count: Int

    /// Copies `bytes`.
    public convenience init(_ bytes: UnsafeRawBufferPointer) {
        self.init(capacity: bytes.count) { target in
            target.copyMemory(from: bytes)
            return bytes.count
        }
    }

    /// Copies `bytes`.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(capacity: bytes.count) { target in
            target.copyBytes(from: bytes)
            return bytes.count
        }
    }

    /// Copies the UTF-8 form of `text`.
    public convenience init(_ text: String) {
        self.init(text.utf8)
    }

    /// Reserves `capacity` bytes and lets `fill` write them; `fill` returns how many of them are valid.
    public init(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows {
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

    /// Takes over `storage`, of which the first `count` bytes are valid. It must come from `allocate(byteCount:alignment:)`,
    /// and nobody else may write or free it from here on.
    public init(adopting storage: UnsafeMutableRawBufferPointer, count: Int) {
        precondition(count >= 0 && count <= storage.count, "more valid bytes than there are")
        self.storage = storage
        self.count = count
    }

    deinit {
        storage.deallocate()
    }

    /// Where the bytes lie. Valid only as long as this object is: keep a reference beside the pointer.
    public var buffer: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: storage[..<count])
    }

    /// The object given to `keep`, or nil.
    public var kept: AnyObject? { companion.load() }

    /// Keeps `object` until the bytes are freed. A second call changes nothing.
    public func keep(_ object: some AnyObject & Sendable) {
        _ = companion.storeIfNil(object)
    }

    /// The bytes as an array, copied.
    public var array: [UInt8] {
        Array(buffer)
    }

    /// The bytes as text, with replacement characters where they are not UTF-8.
    public var text: String {
        String(decoding: buffer, as: UTF8.self)
    }
}

extension SharedBytes: Equatable {
    /// Whether both hold the same bytes, compared unless they are one object.
    public static func == (left: SharedBytes, right: SharedBytes) -> Bool {
        left === right || left.buffer.elementsEqual(right.buffer)
    }
}

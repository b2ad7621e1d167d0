import Bytes

/// A piece of a streamed answer, made once for all streams that it is sent on: none of them keeps bytes of its own for it.
public struct StreamPiece: Sendable {
    let content: SharedBytes
    /// The same as a chunk, size and line ends included (RFC 9112 7.1).
    let chunk: SharedBytes

    /// Copies `content`.
    public init(_ content: SharedBytes) {
        self.content = content
        let size = Array("\(String(content.count, radix: 16))\r\n".utf8)
        chunk = SharedBytes(capacity: size.count + content.count + 2) { target in
            target.copyBytes(from: size)
            UnsafeMutableRawBufferPointer(rebasing: target[size.count...]).copyMemory(from: content.buffer)
            UnsafeMutableRawBufferPointer(rebasing: target[(size.count + content.count)...]).copyBytes(from: [13, 10])
            return target.count
        }
    }

    /// Copies the UTF-8 form of `text`.
    public init(_ text: String) { self.init(SharedBytes(text)) }

    /// Nothing: as a chunk it would end the answer.
    var isEmpty: Bool { content.count == 0 }
}

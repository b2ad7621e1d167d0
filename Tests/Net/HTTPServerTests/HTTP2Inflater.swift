import CNGHTTP2

/// Decodes the fields of responses (RFC 7541). A class, because it owns nghttp2's decoder.
final class HTTP2Inflater {
    private let pointer: OpaquePointer

    struct Failure: Error {
        let code: Int
    }

    init() throws {
        var made: OpaquePointer?
        let code = nghttp2_hd_inflate_new(&made)
        guard code == 0, let made else { throw Failure(code: Int(code)) }
        pointer = made
    }

    deinit { nghttp2_hd_inflate_del(pointer) }

    /// Returns the fields of a complete block.
    func fields(of block: [UInt8]) throws -> [HTTP2Field] {
        var fields: [HTTP2Field] = []
        var rest = block[...]
        while true {
            var found = nghttp2_nv()
            var flags: Int32 = 0
            let used = rest.withUnsafeBufferPointer {
                nghttp2_hd_inflate_hd2(pointer, &found, &flags, $0.baseAddress, $0.count, 1)
            }
            guard used >= 0 else { throw Failure(code: used) }
            rest = rest.dropFirst(used)
            if UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0 {
                let name = String(decoding: UnsafeBufferPointer(start: found.name, count: found.namelen), as: UTF8.self)
                let value = String(
                    decoding: UnsafeBufferPointer(start: found.value, count: found.valuelen), as: UTF8.self)
                fields.append(HTTP2Field(name, value))
            }
            if UInt32(flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 {
                nghttp2_hd_inflate_end_headers(pointer)
                return fields
            }
            guard used > 0 || UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0 else { throw Failure(code: 0) }
        }
    }
}

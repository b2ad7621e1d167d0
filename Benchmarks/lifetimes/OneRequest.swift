import Foundation

/// A request on its own connection. It holds no resources afterwards.
enum OneRequest {
    enum RequestError: Error {
        case system(String, Int32)
        case status(Int, String)
    }

    /// Returns the status of the response. Blocks.
    static func get(_ path: String, port: Int) throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw RequestError.system("socket", errno) }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw RequestError.system("connect", errno) }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw RequestError.system("send", errno)
        }
        var head: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let received = recv(descriptor, &chunk, chunk.count, 0)
            guard received > 0 else { break }
            if head.count < 12 { head += chunk[..<received] }
        }
        return Int(String(decoding: head.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0
    }
}

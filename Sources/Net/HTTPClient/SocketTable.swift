/// A table of libcurl's sockets. The index is the socket's descriptor, which is normally a small number.
struct SocketTable {
    private var sockets: [UpstreamSocket?] = []

    subscript(descriptor: Int32) -> UpstreamSocket? {
        get { sockets.indices.contains(Int(descriptor)) ? sockets[Int(descriptor)] : nil }
        set {
            guard descriptor >= 0 else { return }
            while sockets.count <= Int(descriptor) { sockets.append(nil) }
            sockets[Int(descriptor)] = newValue
        }
    }

    /// Removes all sockets from the reactor.
    mutating func forgetAll() {
        for socket in sockets { socket?.forget() }
        sockets = []
    }
}

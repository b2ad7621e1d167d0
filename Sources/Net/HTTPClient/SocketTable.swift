/// libcurl's sockets, indexed by descriptor. Descriptors are small numbers.
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

/// libcurl's sockets by their descriptors, which are small numbers.
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

    /// Takes all of them out of the reactor.
    mutating func forgetAll() {
        for socket in sockets { socket?.forget() }
        sockets = []
    }
}

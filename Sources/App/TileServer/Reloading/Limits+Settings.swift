import Configuration
import HTTPServer

extension Limits {
    init(_ settings: ServerLimits) {
        self.init()
        requestLine = settings.requestLine
        headerLine = settings.headerLine
        head = settings.head
        headerCount = settings.headerCount
        headTimeout = settings.headTimeout.inSeconds
        idleTimeout = settings.idleTimeout.inSeconds
        requestsPerConnection = settings.requestsPerConnection
        bodyDrain = settings.bodyDrain
        writeStall = settings.writeStall.inSeconds
        responseTimeout = settings.responseTimeout.inSeconds
        connections = settings.connections ?? connections
        listeners = settings.listeners
        drain = settings.drain.inSeconds
    }
}

import HTTPServer

/// The values that a process gets at its start besides the configuration, for example sockets from systemd.
package struct Launch: Sendable {
    /// The configuration file for reloads. Nil: there are no reloads.
    package var file: ConfigurationFile?
    /// Listening sockets for plain HTTP that the process received at its start. If `secureSockets` is empty too, the
    /// server binds the configured ports.
    package var sockets: [ListeningSocket] = []
    /// Listening sockets for HTTPS, which needs `server.https`.
    package var secureSockets: [ListeningSocket] = []
    /// Listening sockets for metrics. If there are any, `metrics.listen` is not bound and may be missing.
    package var metricsSockets: [ListeningSocket] = []
    /// The service manager that receives the status of the server.
    package var manager: ServiceManager?

    package init() {}
}

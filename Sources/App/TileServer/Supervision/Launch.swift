import HTTPServer

/// What a process that is a server and nothing else was started with, beside its configuration.
package struct Launch: Sendable {
    /// What is read again; nil: nothing.
    package var file: ConfigurationFile?
    /// Who listens already, for requests; empty: the configured address is bound.
    package var sockets: [ListeningSocket] = []
    /// The same for metrics; with one, `metrics.listen` is not bound, and need not be there.
    package var metricsSockets: [ListeningSocket] = []
    /// Who wants to know how the server is.
    package var manager: ServiceManager?

    package init() {}
}

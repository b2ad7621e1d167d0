import Configuration
import TLS

/// Replaces the configuration of a running server, without interrupting its clients.
extension TileServer {
    /// Reads the configuration file again, as SIGHUP, `POST /admin/reload` and `server.watch` do. Reloads run one after
    /// the other, but a reload that was given up may still run beside the next one. When the function returns, every
    /// later request to the main listener uses the content of the file, except for keys that need a restart
    /// (`ReloadReport.needsRestart`). Throws if the configuration has an error, and then changes nothing. Also throws
    /// if the reload takes too long (`ReloadError.hangs`), or if earlier reloads still hang (`.tooManyHang`).
    @discardableResult
    package func reload() async throws(ReloadError) -> ReloadReport {
        try await common.reloader.reload()
    }

    /// Replaces the configuration by `configuration`. Unchanged layers keep their tiles, and requests in progress
    /// finish with the old configuration. Some keys cannot change while a server runs, and keep their old values.
    /// Blocks.
    ///
    /// Throws if a certificate cannot be used, a layer cannot be made or a token cannot be written, and then changes
    /// nothing. Throws `TileServerError.stopped` if the server is stopping.
    @discardableResult
    package func reload(_ configuration: Configuration) throws -> ReloadReport {
        let show = try certificates(for: configuration)
        let made = try madeToken(for: configuration)
        do {
            try service.serve(configuration)
        } catch {
            made?.withdraw()
            throw error
        }
        show?()
        setWatch(configuration)
        let served = service.served.configuration
        return ReloadReport(
            layers: served.layers.count, maps: served.maps.count,
            needsRestart: configuration.keysThatNeedARestart(since: start))
    }

    /// Reads the certificates of `configuration`, and returns a function that shows them from then on. Returns nil
    /// without HTTPS: a port with TLS begins and ends only with a restart.
    private func certificates(
        for configuration: Configuration
    ) throws(CertificateFileError) -> (@Sendable () -> Void)? {
        guard let certificates = common.certificates, let https = configuration.server.https else { return nil }
        return try certificates.read(https.pairs)
    }

    /// Makes a token and writes it to its file, if the new configuration has no token but the old one had one.
    private func madeToken(for configuration: Configuration) throws(AdminTokenError) -> AdminToken? {
        let isMade = served.withLock { $0.token.isMade }
        guard configuration.admin.token.isEmpty, !isMade else { return nil }
        // `cache.directory` takes effect only after a restart, so the directory from the start is used.
        let token = AdminToken(madeFor: start.cache.directory)
        try token.publish(port: port, log)
        served.withLock { $0.madeToken = token }
        return token
    }

    /// Starts to watch the configuration file if `server.watch` is on, and stops if it is off. Does nothing without a
    /// file.
    func setWatch(_ configuration: Configuration) {
        watch.withLock { watch in
            guard configuration.server.watch, let file = launch.file else { return watch = nil }
            // A weak reference, because the server owns the watch.
            watch =
                watch
                ?? FileWatch(file) { [weak self] in
                    // Errors are logged by the reload itself.
                    _ = try? await self?.reload()
                }
        }
    }
}

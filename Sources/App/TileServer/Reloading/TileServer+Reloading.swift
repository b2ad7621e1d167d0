import Configuration

/// A configuration that takes the place of the one before.
extension TileServer {
    /// Reads the file that the configuration came from again, as SIGHUP, `POST /admin/reload` and `server.watch` have it done: one
    /// after the other. When this returns, every request is answered by what the file says. Throws where something is wrong with
    /// it; everything stays as it was then.
    @discardableResult
    package func reload() async throws(ReloadError) -> ReloadReport {
        try await common.reloader.reload()
    }

    /// Serves the layers of `configuration` from now on, as its keys say that can change while a server runs. Layers whose
    /// settings did not change keep their tiles, and requests under way are answered as they began. Throws where a layer cannot
    /// be made or a token not be written; everything stays as it was then, and `TileServerError.stopped` once the server stops.
    /// Blocks.
    @discardableResult
    package func reload(_ configuration: Configuration) throws -> ReloadReport {
        let made = try madeToken(for: configuration)
        do {
            try service.serve(configuration)
        } catch {
            made?.withdraw()
            throw error
        }
        setWatch(configuration)
        return ReloadReport(
            layers: configuration.layers.count, maps: configuration.maps.count,
            needsRestart: configuration.keysThatNeedARestart(since: start))
    }

    /// A new token, in its file, where the configuration before had one and this one has none.
    private func madeToken(for configuration: Configuration) throws(AdminTokenError) -> AdminToken? {
        let isMade = served.withLock { $0.token.isMade }
        guard configuration.admin.token.isEmpty, !isMade else { return nil }
        // The directory is one of those keys that wait for a restart.
        let token = AdminToken(madeFor: start.cache.directory)
        try token.publish(port: port, log)
        served.withLock { $0.madeToken = token }
        return token
    }

    /// Watches the file where `configuration` says so.
    func setWatch(_ configuration: Configuration) {
        watch.withLock { watch in
            guard configuration.server.watch, let file = launch.file else { return watch = nil }
            // Weakly: the watch is the server's.
            watch =
                watch
                ?? FileWatch(file) { [weak self] in
                    // What is wrong stands in the log.
                    _ = try? await self?.reload()
                }
        }
    }
}

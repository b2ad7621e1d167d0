import Bytes
import EventLog
import Foundation
import HTTPClient

extension CDNPurger {
    /// Creates a purger that sends its requests with the HTTP client `client`. The text `userAgent` names this server
    /// in each request.
    package convenience init(
        _ settings: CDNSettings.Purge?, log: EventLog, client: HTTPClient, userAgent: String, directory: String?,
        share: CDNShare?,
        isSettled: @escaping @Sendable () -> Bool
    ) {
        self.init(
            settings, log: log, isSettled: isSettled, directory: directory, share: share,
            now: { Int(Date.now.timeIntervalSince1970) },
            // The sleep does not throw, because nothing cancels this task.
            sleep: { try? await Task.sleep(for: .seconds($0)) },
            send: { await Self.send($0, client, userAgent) })
        guard share != nil else { return }
        Task { [weak self] in
            while await self?.lookAfterOthers() == true {
                // The sleep does not throw, because nothing cancels this task.
                try? await Task.sleep(for: .seconds(5))
            }
        }
    }

    private static func send(
        _ request: CDNPurgeRequest, _ client: HTTPClient, _ userAgent: String
    ) async -> (outcome: Outcome, wait: Double?) {
        let profile: UpstreamProfile
        do throws(UpstreamProfile.InvalidHeaderError) {
            // The operator chooses the address, which may be on this machine.
            profile = try UpstreamProfile(
                headers: request.headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
                userAgent: userAgent,
                timeouts: UpstreamTimeouts(connect: 2, firstByte: 10, total: 15),
                limits: UpstreamLimits(body: 1 << 20, redirects: 0), allowPrivate: true)
        } catch {
            return (.failure("a header of the purge request cannot be sent"), nil)
        }
        var fetch = UpstreamRequest(url: request.url, profile: profile)
        fetch.content = UpstreamRequest.Content(method: request.method, bytes: Array(request.body.utf8))
        switch await client.fetch(fetch) {
        case .success(let response):
            let wait = response.headers.retryAfter.flatMap { ASCII.decimal(Array($0.utf8)) }
            return (.status(response.status), wait.map { Double(min($0, 300)) })
        // Counts as status 200. The status may be another one: libcurl refuses a `Content-Length` above the limit
        // before the head is complete.
        case .failure(.tooLarge(.body, limit: _)): return (.status(200), nil)
        case .failure(let error): return (.failure("\(error)"), nil)
        }
    }
}

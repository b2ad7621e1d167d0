import HTTPServer

/// Responses that tell whether the server runs and is ready, and which version it has.
enum StateAnswers {
    /// The response of `/health`: the server answers.
    static let health = json(["status": "ok"])
    /// The response of `/version`.
    static let version = json(["name": "tileserver", "version": TileServer.version])

    /// The response of `/ready`: 200 if the server is ready, otherwise 503.
    static func ready(_ state: Readiness) -> Response {
        guard state == .ready else {
            return Problem(
                .serviceUnavailable, state.rawValue, "The server is starting or stopping.",
                fields: [("Retry-After", "1")]
            ).response()
        }
        return isReady
    }

    private static let isReady = json(["status": "ready"])

    private static func json(_ value: [String: String]) -> Response {
        .json(JSONBody.bytes(value), .noStore)
    }
}

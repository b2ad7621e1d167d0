import HTTPServer

/// What the server says of its state.
enum StateAnswers {
    /// It answers.
    static let health = json(["status": "ok"])
    /// Which one it is.
    static let version = json(["name": "tileserver", "version": TileServer.version])

    /// Whether it serves.
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

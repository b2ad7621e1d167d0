import Configuration
import HTTPServer

extension ReloadReport {
    /// The response of a successful `POST /admin/reload`.
    var document: [String: Any] {
        [
            "layers": layers, "maps": maps, "needsRestart": needsRestart,
            "warnings": warnings.map(\.document),
        ]
    }
}

extension ReloadError {
    /// The response of a failed `POST /admin/reload`.
    var response: Response {
        switch self {
        case .noFile:
            Problem(
                .conflict, "no-configuration-file",
                "This server runs inside a program and has no configuration file to read."
            ).adminResponse
        case .mistakes(let errors): Self.refusal(errors.problems.map(\.document))
        case .refused(.stopped):
            Problem(
                .serviceUnavailable, Readiness.draining.rawValue, "The server is stopping.",
                fields: [("Retry-After", "1")]
            ).adminResponse
        case .refused, .token: Self.refusal([["text": "\(self)"]])
        case .hangs, .tooManyHang:
            Problem(
                .serviceUnavailable, "reload-hangs", "The reload did not finish in time.",
                fields: [("Retry-After", "60")]
            ).response(["text": "\(self)"], common: CommonFields.admin)
        }
    }

    private static func refusal(_ mistakes: [[String: Any]]) -> Response {
        Problem(.unprocessableContent, "invalid-configuration", "The configuration has errors; nothing has changed.")
            .response(["mistakes": mistakes], common: CommonFields.admin)
    }
}

extension ConfigurationProblem {
    /// The text of the problem and its place. `key` is present if the problem is about a key.
    fileprivate var document: [String: Any] {
        var document: [String: Any] = ["text": message]
        if !path.isEmpty { document["key"] = path }
        switch origin {
        case .file(let name, let line, let column):
            document.merge(["file": name, "line": line, "column": column]) { $1 }
        case .environment(let name): document["variable"] = name
        case .flag(let name): document["flag"] = name
        case .unreadable(let file): document["file"] = file
        case .standard: break
        }
        return document
    }
}

import Configuration
import HTTPServer

extension ReloadReport {
    /// As `POST /admin/reload` says it.
    var document: [String: Any] {
        [
            "layers": layers, "maps": maps, "needsRestart": needsRestart,
            "warnings": warnings.map(\.document),
        ]
    }
}

extension ReloadError {
    /// As `POST /admin/reload` says it.
    var response: Response {
        switch self {
        case .noFile:
            Problem(
                status: .conflict, code: "no-configuration-file",
                title: "This server is part of a program and has no configuration file to read again."
            ).response(common: CommonFields.admin)
        case .mistakes(let errors): Self.refusal(errors.problems.map(\.document))
        case .refused(.stopped):
            Problem(
                status: .serviceUnavailable, code: Readiness.draining.rawValue, title: "The server is stopping.",
                fields: [("Retry-After", "1")]
            ).response(common: CommonFields.admin)
        case .refused, .token: Self.refusal([["text": "\(self)"]])
        case .hangs, .tooManyHang:
            Problem(
                status: .serviceUnavailable, code: "reload-hangs", title: "The reload has not ended in time.",
                fields: [("Retry-After", "60")]
            ).response(["text": "\(self)"], common: CommonFields.admin)
        }
    }

    private static func refusal(_ mistakes: [[String: Any]]) -> Response {
        Problem(
            status: .unprocessableContent, code: "invalid-configuration",
            title: "The configuration has mistakes; nothing has changed."
        ).response(["mistakes": mistakes], common: CommonFields.admin)
    }
}

extension ConfigurationProblem {
    /// Where it stands and what it says; `key` is there where it is about one.
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

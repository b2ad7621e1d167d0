import Configuration
import Keys

/// Writes an error response of the server as text: the title of the problem, and what helps to correct the request.
struct ServerRefusal {
    private let status: Int
    private let body: String
    private let problem: JSONMembers?

    init(status: Int, body: String) {
        self.status = status
        self.body = body
        problem = JSONMembers(Array(body.utf8))
    }

    /// Returns the text. An unknown layer gets the most similar id in `configuration`. The mistakes of a configuration
    /// file have one line each.
    func text(_ configuration: Configuration, path: String) -> String {
        guard let problem, let title = problem.string("title") else {
            return "the server answered \(status): \(body.prefix(1_000))"
        }
        switch problem.string("code") {
        case "unknown-layer":
            let id = path.split(separator: "?")[0].split(separator: "/").last.map(String.init) ?? ""
            let known = (configuration.layers + configuration.maps).map(\.id)
            return "the server has no layer or map \(id)\(hint(for: id, among: known))"
        case "invalid-configuration":
            let mistakes = problem.objects("mistakes")?.compactMap(Self.line) ?? []
            return ([title] + mistakes).joined(separator: "\n")
        default:
            return ([title] + [problem.string("text")].compactMap(\.self)).joined(separator: " ")
        }
    }

    /// Returns a problem of the configuration in the form in which `check` prints it. Nil if it has no text.
    static func line(_ mistake: JSONMembers) -> String? {
        guard let text = mistake.string("text") else { return nil }
        var place = mistake.string("file") ?? mistake.string("variable") ?? mistake.string("flag") ?? ""
        for number in ["line", "column"] {
            if let number = mistake.integer(number) { place += ":\(number)" }
        }
        return [place, mistake.string("key") ?? "", text].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

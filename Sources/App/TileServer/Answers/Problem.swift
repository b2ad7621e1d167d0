import Bytes
import HTTPServer

/// An error as RFC 9457 writes it. The texts are fixed: nothing of the request is echoed (docs/spec/threats.md 3).
struct Problem: Sendable {
    let status: Status
    /// The last part of the problem's type, and its `code`.
    let code: String
    let title: String
    let control: Caching.Control
    let cacheStatus: CacheStatus
    var fields: [(name: String, value: String)]
    var closes = false
    /// The parameter of the request that is at fault, by a name of ours.
    var field: String?
    /// The fields of the request that decide what a public route's error is; empty: none (RFC 9110 12.5.5).
    var vary: String

    init(
        _ status: Status, _ code: String, _ title: String, fields: [(name: String, value: String)] = [],
        control: Caching.Control = .noStore, cacheStatus: CacheStatus = .unsaid, vary: String = "Sec-Fetch-Dest"
    ) {
        (self.status, self.code, self.title, self.fields) = (status, code, title, fields)
        (self.control, self.cacheStatus, self.vary) = (control, cacheStatus, vary)
    }

    /// The answer that says so.
    func response(common: SharedBytes = CommonFields.open) -> Response {
        Response(
            status, fields: FieldLines.make(lines(varying: common !== CommonFields.admin) + fields), common: common,
            caching: Caching(control, status: cacheStatus.line), body: body, closes: closes)
    }

    /// The answer of a route for administration.
    var adminResponse: Response { response(common: CommonFields.admin) }

    /// The same, with members of its own beside those that every problem has. Not on a reactor's busy path: see `body`.
    func response(_ members: [String: Any], common: SharedBytes) -> Response {
        var response = response(common: common)
        let document: [String: Any] = ["code": code, "status": status.rawValue, "title": title, "type": type]
        response.body = JSONBody.bytes(document.merging(members) { $1 })
        return response
    }

    private var type: String { "urn:problem-type:tileserver:\(code)" }

    /// What every answer with this problem says.
    func lines(varying: Bool) -> [(name: String, value: String)] {
        let varies = varying && !vary.isEmpty ? [(name: "Vary", value: vary)] : []
        return [("Content-Type", "application/problem+json"), (OwnField.problem.rawValue, code)] + varies
    }

    /// Written here, as `JSONBody` would: that takes 0.2 ms, and errors are answered on reactors.
    var body: SharedBytes {
        let field = field.map { "\"field\":\(JSONBody.quoted($0))," } ?? ""
        return SharedBytes(
            """
            {"code":\(JSONBody.quoted(code)),\(field)"status":\(status.rawValue),"title":\(JSONBody.quoted(title)),\
            "type":\(JSONBody.quoted(type))}\n
            """)
    }
}

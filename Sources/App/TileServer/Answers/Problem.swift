import Bytes
import HTTPServer

/// An error response with a problem in JSON, in the format of RFC 9457. The code and the title contain no part of the
/// request (docs/spec/threats.md 3).
struct Problem: Sendable {
    let status: Status
    /// The last part of the problem's type, and the member `code`.
    let code: String
    let title: String
    let control: Caching.Control
    let cacheStatus: CacheStatus
    var fields: [(name: String, value: String)]
    var closes = false
    /// The name of the wrong parameter, or the path of the wrong field in the request's JSON. The names in such a path
    /// can be text from the request. Each of them is cut after 64 Unicode scalars.
    var field: String?
    /// The request headers on which the errors of public routes depend. Empty: none (RFC 9110 12.5.5).
    var vary: String

    init(
        _ status: Status, _ code: String, _ title: String, fields: [(name: String, value: String)] = [],
        control: Caching.Control = .noStore, cacheStatus: CacheStatus = .unsaid, vary: String = "Sec-Fetch-Dest"
    ) {
        (self.status, self.code, self.title, self.fields) = (status, code, title, fields)
        (self.control, self.cacheStatus, self.vary) = (control, cacheStatus, vary)
    }

    /// Returns the problem as a response.
    func response(common: SharedBytes = CommonFields.open) -> Response {
        Response(
            status, fields: FieldLines.make(lines(varying: common !== CommonFields.admin) + fields), common: common,
            caching: Caching(control, status: cacheStatus.line), body: body, closes: closes)
    }

    /// Returns the problem as a response of an admin route.
    var adminResponse: Response { response(common: CommonFields.admin) }

    /// Returns the problem with additional members. Slower than `body`, so not for frequent errors on a reactor.
    func response(_ members: [String: Any], common: SharedBytes) -> Response {
        var response = response(common: common)
        let document: [String: Any] = ["code": code, "status": status.rawValue, "title": title, "type": type]
        response.body = JSONBody.bytes(document.merging(members) { $1 })
        return response
    }

    private var type: String { "urn:problem-type:tileserver:\(code)" }

    /// Returns the header lines of every response with this problem.
    func lines(varying: Bool) -> [(name: String, value: String)] {
        let varies = varying && !vary.isEmpty ? [(name: "Vary", value: vary)] : []
        return [("Content-Type", "application/problem+json"), (OwnField.problem.rawValue, code)] + varies
    }

    /// The content. It is formatted here and not by `JSONBody`, which takes 0.2 ms, because errors are answered on
    /// reactors.
    var body: SharedBytes {
        let field = field.map { "\"field\":\(JSONBody.quoted($0))," } ?? ""
        return SharedBytes(
            """
            {"code":\(JSONBody.quoted(code)),\(field)"status":\(status.rawValue),"title":\(JSONBody.quoted(title)),\
            "type":\(JSONBody.quoted(type))}\n
            """)
    }
}

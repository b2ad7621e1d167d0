import Foundation
import Testing

@testable import TileServer

/// Tests of the JSON of errors, which the server writes without an encoder.
@Suite struct ProblemTests {
    @Test(arguments: [nil, "path"]) func writesAProblemLikeOtherDocuments(field: String?) {
        var problem = Problem(.badRequest, "malformed", #"A "title" \ of its own: Größe, 地図 / 🗺."#)
        problem.field = field
        var members: [String: Any] = [
            "code": problem.code, "status": 400, "title": problem.title,
            "type": "urn:problem-type:tileserver:malformed",
        ]
        members["field"] = field
        #expect(problem.body.array == JSONBody.bytes(members).array)
    }

    @Test func escapesStrings() throws {
        let text = String(String.UnicodeScalarView((0..<0x80).compactMap(Unicode.Scalar.init)))
        let read = try JSONSerialization.jsonObject(with: Data("[\(JSONBody.quoted(text))]".utf8)) as? [String]
        #expect(read == [text])
    }
}

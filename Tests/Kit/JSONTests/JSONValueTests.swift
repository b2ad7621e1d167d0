import Testing

@testable import JSON

/// Reads fields of small bodies and checks the paths in the error messages.
@Suite struct JSONValueTests {
    private func value(_ text: String) throws -> JSONValue { try JSONText(Array(text.utf8)).value }

    @Test func readsFields() throws {
        let text = #"{"n": 1.5, "s": "a\u0062", "p": [1, -2], "e": [{}, {"n": 7}], "z": null}"#
        let object = try value(text).object(["s", "n", "e", "p", "q", "z"])
        #expect(try object["n"]?.number() == 1.5 && object.required("s").string() == "ab")
        #expect(try object["p"]?.numbers(2) == [1, -2] && object["q"] == nil && object["z"] == nil)
        let elements = try object.required("e").elements(atMost: 2)
        #expect(elements.map(\.path) == ["e[0]", "e[1]"])
        #expect(try elements[1].object(["n"]).required("n").number() == 7)
    }

    @Test func namesThePathOfAMissingField() throws {
        let object = try value("{\"a\": [{\"b\": {}, \"c\": null}]}").object(["a"])
        let inner = try object.required("a").elements(atMost: 9)[0].object(["b", "c"])
        #expect(throws: JSONError.missing(path: "a[0].c")) { try inner.required("c") }
        #expect(throws: JSONError.missing(path: "a[0].b.d")) { try inner.required("b").object(["d"]).required("d") }
        #expect(throws: JSONError.missing(path: "x")) { try object.required("x") }
    }

    @Test(
        arguments: [
            ("{\"a\": {\"b\": 1}}", "a.b"), ("{\"a\": {}, \"A\": 1}", "A"), ("{\"a\": {\"\": 1}}", "a.\"\""),
            ("{\"a\": {\"c.d[0]\": 1}}", "a.\"c.d[0]\""), ("{\"a\": {\"c\": 1, \"\\u0062\": null}}", "a.b"),
            // The path is on one line, whatever characters the name contains.
            ("{\"\\u0009\\\"\\n\\u0085é\\\\\": 1}", "\"\\u0009\\\"\\u000a\\u0085é\\\\\""),
        ])
    func namesThePathOfAnUnknownField(text: String, path: String) {
        #expect(throws: JSONError.unknown(path: path)) {
            try value(text).object(["a"]).required("a").object(["c"])
        }
    }

    @Test(
        arguments: [
            ("\"1\"", "a number", "a string"), ("true", "a number", "a Boolean"), ("[]", "a number", "an array"),
            ("{}", "a number", "an object"), ("1e309", "a finite number", "a number that is too large"),
            ("-1e309", "a finite number", "a number that is too large"),
        ])
    func refusesValuesThatAreNoNumber(text: String, expected: String, found: String) throws {
        let number = try value("{\"a\": \(text)}").object(["a"]).required("a")
        #expect(throws: JSONError.mistyped(path: "a", expected: expected, found: found)) { try number.number() }
    }

    @Test func refusesValuesOfTheWrongType() throws {
        #expect(throws: JSONError.mistyped(path: "", expected: "an object", found: "an array")) {
            try value("[]").object([])
        }
        #expect(throws: JSONError.mistyped(path: "", expected: "a string", found: "null")) {
            try value("null").string()
        }
        #expect(throws: JSONError.mistyped(path: "", expected: "an array", found: "a number")) {
            try value("1").elements(atMost: 1)
        }
        #expect(throws: JSONError.mistyped(path: "", expected: "at most 1 elements", found: "more")) {
            try value("[1,2]").elements(atMost: 1)
        }
        #expect(throws: JSONError.mistyped(path: "", expected: "2 numbers", found: "1")) { try value("[1]").numbers(2) }
        #expect(throws: JSONError.mistyped(path: "[1]", expected: "a number", found: "null")) {
            try value("[1,null]").numbers(2)
        }
    }
}

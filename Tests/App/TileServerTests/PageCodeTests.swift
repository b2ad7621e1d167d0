import Foundation
import Runtime
import TestSupport
import Testing

@testable import TileServer

/// Tests of the codes that the viewer page exchanges for the admin token (docs/spec/threats.md T54).
@Suite(.blocking) struct PageCodeTests {
    private static let start = MonotonicTime.now()
    private let token = AdminToken(configured: "0123456789abcdef")

    private func redeem(_ codes: PageCodes, _ code: String, after seconds: Double, for token: AdminToken? = nil) -> Bool
    {
        Array(code.utf8).withUnsafeBytes {
            codes.redeem($0, for: token ?? self.token, at: Self.start.adding(seconds: seconds))
        }
    }

    @Test func isValidOnceAndForAMinute() {
        let codes = PageCodes()
        let (first, second) = (codes.make(for: token, at: Self.start), codes.make(for: token, at: Self.start))
        #expect(first != second && first.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(redeem(codes, first, after: 59.9) && !redeem(codes, first, after: 59.9))
        #expect(!redeem(codes, second, after: 60))
        #expect(!redeem(codes, "", after: 0) && !redeem(codes, token.text, after: 0))
    }

    @Test func isValidForOneTokenOnly() {
        let codes = PageCodes()
        let code = codes.make(for: token, at: Self.start)
        #expect(!redeem(codes, code, after: 1, for: AdminToken(configured: "another 89abcdef")))
        #expect(!redeem(codes, code, after: 1))
    }

    @Test func dropsTheOldestCodeBeyondItsLimit() {
        let codes = PageCodes()
        let made = (0...PageCodes.most).map { _ in codes.make(for: token, at: Self.start) }
        #expect(!redeem(codes, made[0], after: 1))
        for code in made.dropFirst() { #expect(redeem(codes, code, after: 1)) }
    }

    private func code(_ endpoint: Endpoint, _ fields: [String] = []) async throws -> String {
        let answer = try await endpoint.ask("POST", "/admin/code", ["Authorization: Bearer \(Endpoint.token)"] + fields)
        #expect(answer.status == 200 && answer["cache-control"] == "no-store" && answer.json?["seconds"] as? Int == 60)
        return try #require(answer.json?["code"] as? String)
    }

    @Test(arguments: Way.allCases) func exchangesACodeForTheTokenOnce(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let page = ["Origin: http://test", "Sec-Fetch-Site: same-origin"]
            let code = try await code(endpoint)
            let given = try await endpoint.ask("POST", "/admin/token", ["Authorization: Bearer \(code)"] + page)
            #expect(given.status == 200 && given.json?["token"] as? String == Endpoint.token, "\(given.summary)")
            #expect(given["cache-control"] == "no-store" && given["access-control-allow-origin"] == nil)
            let again = try await endpoint.ask("POST", "/admin/token", ["Authorization: Bearer \(code)"] + page)
            #expect(again.status == 401 && again.problem == "unauthorized" && again["www-authenticate"] == "Bearer")
            // A code is not accepted as the token, and the token is not accepted as a code.
            let other = try await self.code(endpoint)
            #expect(try await endpoint.ask("DELETE", "/admin/cache", ["Authorization: Bearer \(other)"]).status == 401)
            let token = ["Authorization: Bearer \(Endpoint.token)"]
            #expect(try await endpoint.ask("POST", "/admin/token", token).status == 401)
            #expect(try await endpoint.ask("POST", "/admin/code", ["Authorization: Bearer x"]).status == 401)
            #expect(endpoint.lines.all.contains { $0.contains("admin_denied") && $0.contains("\"why\":\"code\"") })
        }
    }

    @Test(arguments: Way.allCases) func refusesOtherSitesHostsAndMethods(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let code = try await code(endpoint)
            let fields = ["Authorization: Bearer \(code)"]
            for (own, status) in [
                (["Sec-Fetch-Site: cross-site"], 403), (["Origin: https://evil.example"], 403),
                (["Sec-Fetch-Site: same-site"], 403), (["Host: evil.example"], 421),
            ] {
                #expect(try await endpoint.ask("POST", "/admin/token", fields + own).status == status, "\(own)")
                let token = ["Authorization: Bearer \(Endpoint.token)"]
                #expect(try await endpoint.ask("POST", "/admin/code", token + own).status == status, "\(own)")
            }
            for path in ["/admin/token", "/admin/code"] {
                #expect(try await endpoint.ask("GET", path, fields).status == 405)
            }
            #expect(try await endpoint.ask("POST", "/admin/token?x=1", fields).status == 400)
            // A refused request does not use up the code.
            #expect(try await endpoint.ask("POST", "/admin/token", fields).status == 200)
        }
    }

    @Test(arguments: Way.allCases) func limitsWrongCodesOfAPeer(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let code = try await code(endpoint)
            let wrong = ["Authorization: Bearer \(String(repeating: "0", count: 32))"]
            for _ in 0..<FailedTokens.free {
                #expect(try await endpoint.ask("POST", "/admin/token", wrong).status == 401)
            }
            for fields in [wrong, []] {
                let late = try await endpoint.ask("POST", "/admin/token", fields)
                #expect(late.status == 429 && late.problem == "too-many-failures" && late["retry-after"] != nil)
            }
            // Wrong tokens and wrong codes are counted together.
            #expect(try await endpoint.ask("DELETE", "/admin/cache/test", wrong).status == 429)
            #expect(try await endpoint.ask("POST", "/admin/token", ["Authorization: Bearer \(code)"]).status == 200)
        }
    }
}

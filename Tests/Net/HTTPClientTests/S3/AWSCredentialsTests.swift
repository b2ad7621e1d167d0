import Testing

@testable import HTTPClient

@Suite struct AWSCredentialsTests {
    private static let secret = "wJalrXUtnFEMIxK7MDENG+bPxRfiCYEXAMPLEKEY"
    private static let token = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQW"

    /// Returns the error of the choice, or nil.
    private func fault(
        id: String? = nil, secret: String? = nil, token: String? = nil, _ environment: [String: String] = [:]
    ) -> AWSCredentialsError? {
        do throws(AWSCredentialsError) {
            _ = try AWSCredentials.chosen(
                accessKeyID: id, secretAccessKey: secret, sessionToken: token, environment: environment)
            return nil
        } catch {
            return error
        }
    }

    @Test func prefersTheConfigurationAndNeverMixes() throws {
        let environment = [
            "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "env-secret", "AWS_SESSION_TOKEN": "env-token",
        ]
        let own = try AWSCredentials.chosen(
            accessKeyID: "OWN", secretAccessKey: "own-secret", environment: environment)
        #expect(try own == AWSCredentials(accessKeyID: "OWN", secretAccessKey: "own-secret"))
        let found = try AWSCredentials.chosen(environment: environment)
        #expect(
            try found == AWSCredentials(accessKeyID: "ENV", secretAccessKey: "env-secret", sessionToken: "env-token"))
        #expect(fault(id: "OWN", environment) == .incomplete(present: "accessKeyID", missing: "secretAccessKey"))
    }

    @Test func hasNoneWithoutValues() throws {
        #expect(try AWSCredentials.chosen(environment: [:]) == nil)
        let empty = ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": ""]
        #expect(try AWSCredentials.chosen(environment: empty) == nil)
    }

    @Test func namesTheMissingHalf() {
        #expect(fault(secret: "s") == .incomplete(present: "secretAccessKey", missing: "accessKeyID"))
        #expect(fault(token: "t") == .incomplete(present: "sessionToken", missing: "accessKeyID"))
        #expect(fault(id: "i", token: "t") == .incomplete(present: "accessKeyID", missing: "secretAccessKey"))
        #expect(
            fault(["AWS_ACCESS_KEY_ID": "i", "AWS_SECRET_ACCESS_KEY": ""])
                == .incomplete(present: "AWS_ACCESS_KEY_ID", missing: "AWS_SECRET_ACCESS_KEY"))
        #expect(
            fault(["AWS_SESSION_TOKEN": "t"])
                == .incomplete(present: "AWS_SESSION_TOKEN", missing: "AWS_ACCESS_KEY_ID"))
        #expect(
            fault(id: "i").map { "\($0)" }
                == "accessKeyID is set and secretAccessKey is missing; set both, or none for a public bucket")
    }

    @Test func rejectsEmptyValuesOfTheConfiguration() {
        #expect(fault(id: "", secret: "s") == .empty("accessKeyID"))
        #expect(fault(id: "i", secret: "") == .empty("secretAccessKey"))
        #expect(fault(id: "i", secret: "s", token: "") == .empty("sessionToken"))
    }

    @Test func rejectsValuesThatCannotBeSigned() {
        for wrong in ["a b", "a\n", "ü", "a\u{0}", "a/b", "a,b", String(repeating: "a", count: 129)] {
            guard case .invalid("accessKeyID", _) = fault(id: wrong, secret: "s") else {
                Issue.record("\(wrong.debugDescription)")
                continue
            }
        }
        let line = "unspeakable\n"
        let errors = [
            fault(id: "i", secret: line), fault(id: "i", secret: "s", token: line),
            fault(["AWS_ACCESS_KEY_ID": "i", "AWS_SECRET_ACCESS_KEY": line]),
        ]
        for error in errors {
            guard case .invalid = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(!String(reflecting: error).contains("unspeakable"))
        }
    }

    @Test func readsTheRegionOfTheEnvironment() {
        #expect(AWSCredentials.region(in: [:]) == nil)
        #expect(AWSCredentials.region(in: ["AWS_DEFAULT_REGION": "b"]) == "b")
        #expect(AWSCredentials.region(in: ["AWS_REGION": "a", "AWS_DEFAULT_REGION": "b"]) == "a")
        #expect(AWSCredentials.region(in: ["AWS_REGION": "", "AWS_DEFAULT_REGION": "b"]) == "b")
    }

    @Test func hidesSecretAndTokenInEveryText() throws {
        struct Holder { let credentials: AWSCredentials? }
        // The ID may be the secret if an operator has swapped the two.
        for id in ["AKIAIOSFODNN7EXAMPLE", Self.secret] {
            let credentials = try AWSCredentials(
                accessKeyID: id, secretAccessKey: Self.secret, sessionToken: Self.token)
            let signature = AWSSignature(credentials: credentials, region: "us-east-1")
            var texts = [
                "\(credentials)", String(reflecting: credentials), "\(signature)", String(reflecting: signature),
                "\(Holder(credentials: credentials))", String(reflecting: [credentials]),
                String(describing: Optional(credentials)),
            ]
            var dumped = ""
            dump(credentials, to: &dumped)
            dump(Holder(credentials: credentials), to: &dumped)
            dump(signature, to: &dumped)
            texts.append(dumped)
            for text in texts {
                #expect(!text.contains(Self.secret.prefix(8)) && !text.contains(Self.token.prefix(8)), "\(text)")
            }
        }
    }
}

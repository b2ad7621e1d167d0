import Bytes

/// Checks the names of S3 buckets.
enum S3Bucket {
    /// Checks `name`, the name of a bucket or the alias of an access point, against "General purpose bucket naming
    /// rules" of the Amazon S3 User Guide. Returns the rule that `name` breaks, or nil if `name` is valid.
    static func fault(of name: String) -> String? {
        let bytes = Array(name.utf8)
        guard (3...63).contains(bytes.count) else { return "expected 3 to 63 characters, found \(bytes.count)" }
        guard bytes.allSatisfy(isAllowed) else {
            return "expected lower-case letters, digits, dots and hyphens only"
        }
        guard let first = bytes.first, let last = bytes.last, ASCII.isLetterOrDigit(first), ASCII.isLetterOrDigit(last)
        else { return "the name must begin and end with a letter or a digit" }
        guard !name.contains("..") else { return "two dots must not be adjacent" }
        let labels = bytes.split(separator: ASCII.dot)
        if labels.count == 4, labels.allSatisfy({ $0.allSatisfy(ASCII.isDigit) }) {
            return "the name must not look like an IP address"
        }
        return reservation(of: name)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (ASCII.isLetterOrDigit(byte) && ASCII.lowercased(byte) == byte) || byte == ASCII.dot
            || byte == UInt8(ascii: "-")
    }

    /// Returns a message if AWS reserves the prefix of `name`, or if the suffix of `name` marks a bucket that the
    /// server cannot read. Aliases of access points (`-s3alias`, `--ol-s3`) are allowed, because a client reads
    /// objects through an alias like objects of a bucket.
    private static func reservation(of name: String) -> String? {
        if let prefix = ["xn--", "sthree-", "amzn-s3-demo-"].first(where: name.hasPrefix) {
            return "AWS reserves the prefix \(prefix); write the name of your own bucket"
        }
        // Directory buckets need sessions, and access points of many regions need Signature Version 4A.
        if let suffix = [".mrap", "--x-s3", "--table-s3"].first(where: name.hasSuffix) {
            return "buckets with the suffix \(suffix) are not supported; copy the object to a general purpose bucket"
        }
        return nil
    }
}

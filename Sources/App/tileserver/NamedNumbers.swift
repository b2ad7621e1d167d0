/// Reads cameras and places whose numbers have names, such as `lat=49.26,lng=-123.11,zoom=11`. With names, the numbers
/// can have any order. Text without `=` is not changed, because the commands also take numbers without names.
enum NamedNumbers {
    private typealias Names = [(name: String, others: Set<String>)]

    private static let place: Names = [("lng", ["lon", "longitude"]), ("lat", ["latitude"])]
    private static let turn: Names = [("bearing", []), ("tilt", ["viewingAngle"])]

    /// Returns the camera as `lon,lat,zoom[@bearing[,tilt]]`. `option` is for the error message.
    static func camera(_ text: String, option: String) throws(CommandError) -> String {
        guard text.contains("=") else { return text }
        let values = try values(of: text, place + [("zoom", [])] + turn, option)
        guard let lng = values["lng"], let lat = values["lat"], let zoom = values["zoom"] else {
            throw .usage("\(option): expected lat=…,lng=…,zoom=…, found \(text)")
        }
        guard values["bearing"] ?? values["tilt"] != nil else { return "\(lng),\(lat),\(zoom)" }
        return "\(lng),\(lat),\(zoom)@\(values["bearing"] ?? "0"),\(values["tilt"] ?? "0")"
    }

    /// Returns a marker or a path, which are words with `|` between them. Each word with a named place becomes
    /// `lon,lat`.
    static func list(_ text: String) throws(CommandError) -> String {
        var words: [String] = []
        for word in text.split(separator: "|", omittingEmptySubsequences: false).map(String.init) {
            // A label may contain an equals sign.
            guard word.wholeMatch(of: /[A-Za-z]+=.*/) != nil else {
                words.append(word)
                continue
            }
            let values = try values(of: word, place, "place")
            guard let lng = values["lng"], let lat = values["lat"] else {
                throw .usage("expected lat=…,lng=…, found \(word)")
            }
            words.append("\(lng),\(lat)")
        }
        return words.joined(separator: "|")
    }

    /// Returns the place as `lat,lng`, or the camera as `lat,lng,zoom[,bearing[,tilt]]`: the order of `tileserver
    /// camera`.
    static func latitudeFirst(_ text: String, _ name: String) throws(CommandError) -> String {
        guard text.contains("=") else { return text }
        let values = try values(of: text, place + [("zoom", [])] + turn, name)
        guard let lng = values["lng"], let lat = values["lat"] else {
            throw .usage("\(name): expected lat=…,lng=…, found \(text)")
        }
        let rest = ["zoom", "bearing", "tilt"].map { values[$0] }
        let count = (rest.lastIndex { $0 != nil } ?? -1) + 1
        guard count == 0 || rest[0] != nil else { throw .usage("\(name): zoom=… is missing in \(text)") }
        return ([lat, lng] + rest.prefix(count).map { $0 ?? "0" }).joined(separator: ",")
    }

    private static func values(
        of text: String, _ names: Names, _ option: String
    ) throws(CommandError) -> [String: String] {
        var values: [String: String] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            let known = names.first { $0.name == sides[0] || $0.others.contains(sides[0]) }
            guard sides.count == 2, let name = known?.name else {
                let expected = names.map { "\($0.name)=…" }.joined(separator: ", ")
                throw .usage("\(option): expected \(expected), found \(part)")
            }
            guard Double(parameter: sides[1][...]) != nil else {
                throw .usage("\(option): expected a number, found \(part)")
            }
            guard values.updateValue(sides[1], forKey: name) == nil else {
                throw .usage("\(option): \(name) appears twice in \(text)")
            }
        }
        return values
    }
}

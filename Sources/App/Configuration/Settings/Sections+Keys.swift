import Keys

extension ServerSettings: KeyedSettings {
    package static let formerKeys = ["accessLog": "log: { access: all }"]

    package static let keys: [Key<ServerSettings>] = [
        Key(
            "host", \.host, .host,
            "the address to listen on: IPv4, IPv6 or `localhost`; `0.0.0.0` is every IPv4 address. `TILESERVER_HOST`"),
        Key("port", \.port, .integer(0...65_535), "0 takes any free one. `TILESERVER_PORT`"),
        Key(
            "publicURL", optional: \.publicURL, .publicURL, takesNull: true,
            "what clients see in front of every path, such as `https://tiles.example.org/maps`. `TILESERVER_PUBLIC_URL`"
        ),
        Key(
            "trustedProxies", list: \.trustedProxies, of: .addressBlock,
            "addresses or blocks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For`, `-Host`, `-Proto`, `-Prefix` and "
                + "`Forwarded` (of this, `for`) are believed; a host may have 255 bytes, a prefix 1,024"),
        Key("reactors", \.reactors, .integer(0...256), "event loops; 0 is one for each core"),
        Key(
            "memory", optional: \.memory, .size(32 << 20...1 << 41), takesNull: true,
            "[the most that the process uses](operations.md#memory-and-disk); unset, 1.25 × `cache.memory` + 256 MiB, or nine "
                + "tenths of the control group's limit where that is less"),
        Key(
            "watch", \.watch, .boolean,
            "[read this file again](operations.md#reading-the-configuration-again) when it changes"),
        Key(
            "drainDelay", \.drainDelay, .duration(.zero...Duration.seconds(3_600)),
            "how long `/ready` answers 503 after SIGTERM [before the server begins to end]"
                + "(operations.md#restart-without-losing-a-request)"),
        Key("limits", section: \.limits, "what one client, and all together, may take"),
    ]
}

extension AdminSettings: KeyedSettings {
    package static let keys: [Key<AdminSettings>] = [
        Key(
            "token", schema: ValueRule<String>.token.schema,
            "the token that clearing asks for: visible ASCII, 16 to 512 bytes, such as `openssl rand -hex 16` makes. "
                + "`TILESERVER_ADMIN_TOKEN`", read: { $0.value("token", .token, into: &$1.token) }),
        Key(
            "hosts", list: \.hosts, of: .hostName,
            "further names, without a port, by which admin requests may call the server, such as its name in a container "
                + "network"),
    ]
}

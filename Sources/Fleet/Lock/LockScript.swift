import RedisClient

/// What Redis does with the key of a tile that is fetched. Few bytes that end by themselves: allowed where Redis is full.
enum LockScript {
    /// Keys: the lock, the count of those who wait, the tile. Arguments: a token, milliseconds. 1: it is the token's; 2: and the tile is
    /// there; 0: it is another's, which is told of one more who waits.
    static let acquire = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
          return 1 + redis.call('EXISTS', KEYS[3])
        end
        -- One that never ends is of nobody who lives.
        if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
        redis.call('INCR', KEYS[2])
        redis.call('PEXPIRE', KEYS[2], ARGV[2])
        return 0
        """)

    /// Keys: the lock, the count. Argument: the token. Gives the lock back where nobody waits; 1 where somebody does, who is to be
    /// told first.
    static let release = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end
        redis.call('DEL', KEYS[1])
        return 0
        """)

    /// Keys: the lock, the count, the stream. Arguments: the token, the tile's name. Gives the lock back, and tells those who wait.
    static let announce = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
        redis.call('DEL', KEYS[2])
        redis.call('XADD', KEYS[3], 'MAXLEN', '~', '256', '*', 't', ARGV[2])
        return 1
        """)
}

import RedisClient

/// What Redis does with the numbers, each time as one step that nothing comes between. `ModelRedis` of the tests does the same in
/// Swift, and is compared with it.
///
/// `clear` and `purge` give a message its id and write it; `merge` puts the numbers of a node and of Redis together, and
/// answers what the node does not know. A row that cannot be read, or lies more than ten years ahead, counts as none.
package enum FleetScript {
    /// Keys: the hash of rows by layer, the stream, the hash of nodes. Arguments: what to do, then as in `FleetRequest`. Allowed
    /// where Redis is full: it stores a few bytes a layer, and without them clears reach nobody.
    package static let script = RedisScript(
        """
        #!lua flags=allow-oom
        local rows, bus, nodes = KEYS[1], KEYS[2], KEYS[3]
        local time = redis.call('TIME')
        local now = math.max(tonumber(time[1]), tonumber(ARGV[2]))
        local ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
        local horizon = now + 315360000

        -- Nothing behind it would be believed, nor an id that could be given after it.
        local newest = redis.call('XREVRANGE', bus, '+', '-', 'COUNT', 1)
        if newest[1] then
          local m, s = string.match(newest[1][1], '^(%d+)%-(%d+)$')
          if tonumber(m) / 1000 > horizon or tonumber(s) >= 9007199254740991 then
            redis.call('DEL', bus)
            newest = {}
          end
        end

        local function later(am, as, bm, bs)
          return am > bm or (am == bm and as > bs)
        end

        local function text(row)
          return string.format('%.0f %.0f-%.0f %.0f-%.0f', unpack(row))
        end

        local function parsed(value)
          if not value then return nil end
          local row = {string.match(value, '^(%d+) (%d+)%-(%d+) (%d+)%-(%d+)$')}
          if #row ~= 5 then return nil end
          for i = 1, 5 do
            row[i] = tonumber(row[i])
            if row[i] >= 9007199254740992 then return nil end
          end
          if row[1] > horizon or row[2] / 1000 > horizon or row[4] / 1000 > horizon then return nil end
          return row
        end

        -- What the node says. A generation that a wrong clock has left is the node's own matter.
        local function said(value)
          local row = parsed((string.gsub(value, '^%d+', function(generation)
            if tonumber(generation) > horizon then return '0' end
          end)))
          return row or {0, 0, 0, 0, 0}
        end

        local function joined(a, b)
          local row = {math.max(a[1], b[1]), a[2], a[3], a[4], a[5]}
          if later(b[2], b[3], a[2], a[3]) then row[2], row[3] = b[2], b[3] end
          if later(b[4], b[5], a[4], a[5]) then row[4], row[5] = b[4], b[5] end
          return row
        end

        local function known(layer)
          local value = redis.call('HGET', rows, layer)
          return parsed(value) or {0, 0, 0, 0, 0}, value
        end

        -- Messages are forgotten by their number, and, where lists of tiles make them large, by their bytes.
        local function trim(fields)
          local size = 0
          for _, field in ipairs(fields) do size = size + #field end
          if size < 4096 then return end
          local usage = redis.pcall('MEMORY', 'USAGE', bus)
          if type(usage) == 'number' and usage > 16777216 then
            redis.call('XTRIM', bus, 'MAXLEN', '~', math.ceil(redis.call('XLEN', bus) / 2))
          end
        end

        -- Later than everything that is known of the layer, whatever the clock says.
        local function add(row, fields)
          local m, s = row[2], row[3]
          if later(row[4], row[5], m, s) then m, s = row[4], row[5] end
          local added
          if m >= ms then
            local id = string.format('%.0f-%.0f', m, s + 1)
            added = redis.pcall('XADD', bus, 'MAXLEN', '~', '10000', id, unpack(fields))
          end
          if type(added) ~= 'string' then
            added = redis.call('XADD', bus, 'MAXLEN', '~', '10000', '*', unpack(fields))
          end
          trim(fields)
          m, s = string.match(added, '^(%d+)%-(%d+)$')
          return tonumber(m), tonumber(s), added
        end

        local function clear(node, name, first)
          local answers = {}
          for i = first, #ARGV, 2 do
            local layer = ARGV[i]
            local row = joined(said(ARGV[i + 1]), (known(layer)))
            row[1] = math.max(row[1] + 1, now)
            local id
            row[2], row[3], id = add(row, {
              'kind', 'clear', 'layer', layer, 'node', node, 'name', name,
              'generation', string.format('%.0f', row[1])})
            redis.call('HSET', rows, layer, text(row))
            answers[#answers + 1] = string.format('%s %.0f %s', layer, row[1], id)
          end
          return answers
        end

        local function purge(node, name, soft, area, first)
          local answers = {}
          for i = first, #ARGV, 2 do
            local layer = ARGV[i]
            local row = joined(said(ARGV[i + 1]), (known(layer)))
            local previous = string.format('%.0f-%.0f', row[4], row[5])
            local id
            row[4], row[5], id = add(row, {
              'kind', 'purge', 'layer', layer, 'node', node, 'name', name, 'previous', previous,
              'soft', soft, 'area', area})
            redis.call('HSET', rows, layer, text(row))
            answers[#answers + 1] = string.format('%s %s %s', layer, previous, id)
          end
          return answers
        end

        local function register(node, position, about)
          redis.call('HSET', nodes, node, string.format('%.0f %s %s', ms, position, about))
          local all = redis.call('HGETALL', nodes)
          local answers = {}
          for i = 1, #all, 2 do
            local seen = tonumber(string.match(all[i + 1], '^(%d+) '))
            local isJunk = #all[i] + #all[i + 1] > 256
            if isJunk or not seen or math.abs(seen - ms) > 300000 or #answers == 500 then
              redis.call('HDEL', nodes, all[i])
            else
              answers[#answers + 1] = string.format('%s %s', all[i], all[i + 1])
            end
          end
          return answers
        end

        local function messages(after)
          if after == '' then return {}, 0 end
          local entries = redis.call('XRANGE', bus, '(' .. after, '+', 'COUNT', 257)
          local taken, size = {}, 0
          for _, entry in ipairs(entries) do
            local own = 0
            for _, value in ipairs(entry[2]) do own = own + #value end
            -- No message is so large: its id alone is passed on, so that it holds up nobody.
            if own > 262144 then own, entry[2] = 0, {} end
            size = size + own
            if #taken == 256 or (size > 1048576 and #taken > 0) then return taken, 1 end
            taken[#taken + 1] = entry
          end
          return taken, 0
        end

        local function merge(node, about, after, first)
          local answers = {}
          for i = first, #ARGV, 2 do
            local layer, own = ARGV[i], said(ARGV[i + 1])
            local there, value = known(layer)
            local row = joined(own, there)
            local line = text(row)
            if line ~= value and line ~= '0 0-0 0-0' then redis.call('HSET', rows, layer, line) end
            if line ~= text(own) then answers[#answers + 1] = layer .. ' ' .. line end
          end
          local last = newest[1] and newest[1][1] or '0-0'
          local entries, more = messages(after)
          -- Who asks for the first time has done nothing yet of what it is answered.
          local position = after
          if position == '' then position = '0-0' end
          return {last, ms, more, answers, register(node, position, about), entries}
        end

        if ARGV[1] == 'clear' then return clear(ARGV[3], ARGV[4], 5) end
        if ARGV[1] == 'purge' then return purge(ARGV[3], ARGV[4], ARGV[5], ARGV[6], 7) end
        return merge(ARGV[3], ARGV[4], ARGV[5], 6)
        """)
}

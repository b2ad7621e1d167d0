/// How the script puts a node's numbers and those of Redis together.
extension FleetScript {
    static let merging = """
        local function register(position, about)
          local own = string.format('%.0f %s %s#2', ms, position, about)
          redis.call('HSET', nodes, me, own)
          local answers = {string.format('%s %s', me, own)}
          for i = 1, #present, 2 do
            if present[i] ~= me then
              if isGone(present[i], present[i + 1]) or #answers == 500 then
                redis.call('HDEL', nodes, present[i])
              else
                answers[#answers + 1] = string.format('%s %s', present[i], present[i + 1])
              end
            end
          end
          return answers
        end

        -- The entries behind `after`, whether there are more, and whether `after` itself is there: else some may be lost.
        local function entries(after)
          if after == '' then return {}, 0, false end
          local all = redis.call('XRANGE', bus, after, '+', 'COUNT', 258)
          local isFound = all[1] ~= nil and all[1][1] == after
          local taken, size = {}, 0
          for i = isFound and 2 or 1, #all do
            local entry, own = all[i], 0
            for _, value in ipairs(entry[2]) do own = own + #value end
            -- No message is so large: its id alone is passed on, so that it holds up nobody.
            if own > 262144 then own, entry[2] = 0, {} end
            size = size + own
            if #taken == 256 or (size > 1048576 and #taken > 0) then return taken, 1, isFound end
            taken[#taken + 1] = entry
          end
          return taken, 0, isFound
        end

        local function merge(about, after, applied, first)
          local answers, there = {}, values(first)
          for i = first, #ARGV, 2 do
            local layer, told, value = ARGV[i], ARGV[i + 1], there[(i - first) / 2 + 1]
            if value ~= told or not parsed(value) then
              local own = said(told)
              local row = joined(own, known(value))
              local line = text(row)
              if line ~= value then
                redis.call('HSET', rows, layer, line)
                if line ~= '0 0-0 0-0' then silent[#silent + 1] = layer end
              end
              if line ~= text(own) then answers[#answers + 1] = layer .. ' ' .. line end
            end
          end
          announce()
          local taken, more, isFound = entries(after)
          local step = 0
          if isBroken or not isFound then step = 1 end
          if isMixed then step = 2 end
          if applied == '' then applied = '0-0' end
          return {last, ms, more, answers, register(applied, about), taken, step}
        end
        """

    static let end = """
        local answer
        if ARGV[1] == 'clear' then answer = clear(ARGV[4], 5)
        elseif ARGV[1] == 'clears' then answer = clears(ARGV[4], 5)
        elseif ARGV[1] == 'purge' then answer = purge(ARGV[4], ARGV[5], ARGV[6], 7)
        elseif ARGV[1] == 'sweep' then answer = sweep(ARGV[4], 5)
        else answer = merge(ARGV[4], ARGV[5], ARGV[6], 7) end
        if isPosted and not isMixed then redis.call('HSET', rows, ':', last) end
        return answer
        """
}

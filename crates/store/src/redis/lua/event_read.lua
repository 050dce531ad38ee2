local stream = find(KEYS[1])
if not stream then
    return false
end
local after, limit = tonumber(ARGV[2]), tonumber(ARGV[3])
local from = math.max(after + 1 - stream.first, 0)
local events = redis.call('LRANGE', KEYS[2], text(from), text(from + limit - 1))
return { stream.first, stream.newest, stream.finished and 1 or 0, events }

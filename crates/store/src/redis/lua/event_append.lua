local meta, list, keys, index = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local most, most_bytes, finish, channel, remembered = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7], ARGV[8]
local stream = begin(meta, index, ARGV[2], tonumber(ARGV[3]))
if stream.finished then
    return false
end
local places = {}
for i = 9, #ARGV, 2 do
    local once, place = string.sub(ARGV[i], 2), nil
    if string.sub(ARGV[i], 1, 1) == '+' then
        place = tonumber(redis.call('ZSCORE', keys, once) or nil)
    end
    if not place then
        stream.newest = stream.newest + 1
        stream.bytes = stream.bytes + #ARGV[i + 1]
        place = stream.newest
        redis.call('RPUSH', list, ARGV[i + 1])
        if ARGV[i] ~= '-' then
            redis.call('ZADD', keys, text(place), once)
        end
    end
    places[#places + 1] = place
end
-- The newest stays whatever its size: it may be the answer.
while stream.newest > stream.first and (stream.newest - stream.first >= most or stream.bytes > most_bytes) do
    stream.bytes = stream.bytes - #redis.call('LPOP', list)
    stream.first = stream.first + 1
end
redis.call('ZREMRANGEBYRANK', keys, 0, -1 - tonumber(remembered))
stream.finished = finish == '1'
save(meta, stream)
extend(meta, stream.till)
redis.call('PUBLISH', channel, '')
return places

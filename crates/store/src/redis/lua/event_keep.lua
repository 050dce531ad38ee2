local index, till = KEYS[1], now + tonumber(ARGV[2])
for _, number in ipairs(redis.call('SMEMBERS', index)) do
    local meta = index .. ':' .. number
    local stream = find(meta)
    if not stream then
        redis.call('SREM', index, number)
    elseif not stream.finished and stream.till < till then
        extend(meta, till)
        if redis.call('PTTL', index) < till - now then
            forget_at(index, till)
        end
    end
end
return 1

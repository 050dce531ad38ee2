if not till() then
    return false
end
for i = 2, #ARGV, 2 do
    if ARGV[i + 1] == '' then
        redis.call('HDEL', KEYS[1], ':' .. ARGV[i])
    else
        redis.call('HSET', KEYS[1], ':' .. ARGV[i], string.sub(ARGV[i + 1], 2))
    end
end
return tostring(redis.call('HINCRBY', KEYS[1], 'version', 1))

if not till() then
    return false
end
local kept = now + tonumber(ARGV[2])
redis.call('HSET', KEYS[1], 'till', text(kept))
forget_at(KEYS[1], kept)
return redis.call('HGET', KEYS[1], 'version')

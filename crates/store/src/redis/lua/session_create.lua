if till() then
    return 0
end
redis.call('DEL', KEYS[1])
local kept = now + tonumber(ARGV[2])
redis.call('HSET', KEYS[1], 'till', text(kept), 'version', '1')
if ARGV[3] ~= '' then
    redis.call('HSET', KEYS[1], 'owner', string.sub(ARGV[3], 2))
end
for i = 4, #ARGV, 2 do
    redis.call('HSET', KEYS[1], ':' .. ARGV[i], ARGV[i + 1])
end
forget_at(KEYS[1], kept)
return 1

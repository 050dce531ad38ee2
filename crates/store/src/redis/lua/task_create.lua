if find() then
    return 0
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'record', ARGV[2], 'lease', ARGV[3], 'till', ARGV[4], 'version', '1', 'ended', '0')
if ARGV[4] ~= '0' then
    forget_at(KEYS[1], tonumber(ARGV[4]))
end
return 1

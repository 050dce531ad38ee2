-- Notes until when sessions of an owner are kept; 0 is for those that are gone.
for i = 2, #ARGV, 2 do
    if ARGV[i + 1] == '0' then
        redis.call('ZREM', KEYS[1], ARGV[i])
    else
        redis.call('ZADD', KEYS[1], 'XX', ARGV[i + 1], ARGV[i])
    end
end
return 1

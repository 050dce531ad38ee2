local found = find()
if found and found[5] == '0' then
    redis.call('HSET', KEYS[1], 'lease', text(now + tonumber(ARGV[2])))
end
return 1

local found = find()
if not found then
    return false
end
return { text(now), found[1], found[2] }

local found = till()
return found and text(found) or '0'

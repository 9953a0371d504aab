SELECT origin
FROM flights
WHERE origin = 'two
lines'

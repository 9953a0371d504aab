SELECT origin FROM flights
WHERE distance > 100 AND distance <= 100 AND origin IS NOT NULL AND cancelled AND NOT cancelled AND crew IS NULL

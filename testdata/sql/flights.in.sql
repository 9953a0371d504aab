SELECT
  origin,
  destination,
  date AS departed,
  delay AS delay_minutes
FROM {{ source("flights") }}
WHERE delay >= 60

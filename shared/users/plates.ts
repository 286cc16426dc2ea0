// Normalizes license plates for storing and comparing: capital letters, trimmed, single spaces inside.
// Hyphens and spaces count: B-ER 2 and BE-R 2 are two cars, and a booking for the wrong car is worse than a second vehicle.
// Plates that an older release stored as typed stay as they are, and are compared in this form.

export const normalizePlate = (typed: string): string => typed.trim().replace(/\s+/g, ' ').toUpperCase()

/** SQL: the same. */
export const normalPlateSql = (plate: string) => `upper(btrim(regexp_replace(${plate}, '\\s+', ' ', 'g')))`

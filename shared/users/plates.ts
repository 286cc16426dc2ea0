// Normalizes license plates for storing and comparing: capital letters, no surrounding spaces, and single spaces
// inside. Hyphens and spaces matter: B-ER 2 and BE-R 2 are two different cars, and a booking for the wrong car is worse
// than a duplicate vehicle. Older releases stored plates as people typed them. Such plates stay unchanged, and are
// normalized when they are compared.

export const normalizePlate = (typed: string): string => typed.trim().replace(/\s+/g, ' ').toUpperCase()

/** SQL that normalizes a license plate in the same way as normalizePlate. */
export const normalizedPlateSql = (plate: string) =>
  `upper(btrim(regexp_replace(${plate}, '\\s+', ' ', 'g')))`
